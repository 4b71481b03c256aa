/**
 * Compresses the bodies of responses for clients that accept it (RFC 9110 §12.5.3), and removes them for
 * HEAD, where only the length is sent (§9.3.2).
 */

import type { Context } from "hono";
import { parseAccept } from "hono/utils/accept";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompress, constants, gzip, gzipSync } from "node:zlib";
import type { AppEnv } from "../app_options.ts";
import type { Step } from "./headers.ts";

/** Size in bytes below which a response is not compressed, because it fits into one packet. */
export const COMPRESS_MIN_BYTES = 1024;
/** Maximum size in bytes of a response that is compressed on the event loop: about half a millisecond. */
const COMPRESS_SYNC_BYTES = 64 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;
type Encoding = "br" | "gzip";

/** For lists, Brotli 1 is smaller than gzip 6 and takes less than half of its time; gzip 3 is as small. */
const FAST = { br: quality(1), gzip: { level: 3 } };
/** For files that are compressed once. */
const BEST = { br: quality(9), gzip: { level: 9 } };

/**
 * Text. Pages are included, because the token in their forms has another mask in each response (see
 * `docs/security.md`).
 */
const TYPES =
  /^(?:text\/(?!event-stream\b)|application\/(?:[\w.-]+\+)?(?:json|(?:x-)?yaml|x-pem-file)\b|image\/svg\+xml)/;

/** Compresses text. Files that never change are compressed only once per encoding. */
export function compress(): Step {
  const immutable = new Map<string, Promise<Bytes>>();
  return (c) => {
    if (c.res.headers.has("content-encoding")) return adaptStored(c);
    if (c.res.status !== 200 || !mayCompress(c)) return;
    c.res.headers.append("vary", "Accept-Encoding");
    const accepted = c.req.header("accept-encoding");
    const encoding = acceptedEncoding(accepted, ["br", "gzip"]);
    if (encoding === undefined || c.req.method === "HEAD") return;
    return compressBody(c, { encoding, immutable });
  };
}

/**
 * Returns whether a response may be compressed: no response may contain a secret together with text from the
 * request, because its length would then reveal the secret (BREACH). Secrets are only in responses to unsafe
 * methods. Exports and GraphQL contain none.
 */
function mayCompress({ req, res, env }: Context<AppEnv>): boolean {
  const { headers } = res;
  if (!TYPES.test(headers.get("content-type") ?? "")) return false;
  return req.method === "GET" || req.method === "HEAD" || headers.has("content-disposition") ||
    env.url.pathname === "/graphql/";
}

/**
 * Decompresses a file that is stored in Brotli for clients that do not accept it. With gzip, sending takes
 * less.
 */
function adaptStored(c: Context<AppEnv>): Promise<void> | void {
  c.res.headers.append("vary", "Accept-Encoding");
  const encoding = acceptedEncoding(c.req.header("accept-encoding"), ["br", "gzip"]);
  if (encoding === "br") return;
  c.res.headers.delete("content-encoding");
  if (c.req.method === "HEAD") c.res.headers.delete("content-length");
  else return decompressed(c, encoding);
}

async function decompressed(c: Context<AppEnv>, encoding: "gzip" | undefined): Promise<void> {
  const bytes: Bytes = await promisify(brotliDecompress)(await c.res.arrayBuffer());
  replaceBody(c, encoding === undefined ? bytes : await deflated(bytes, encoding, FAST), encoding);
}

/** Returns the encoding that a client prefers, the first of `offered` among equals; undefined for none. */
export function acceptedEncoding<Offered extends string>(
  header: string | undefined,
  offered: readonly Offered[],
): Offered | undefined {
  if (header === undefined) return undefined;
  const accepted = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]));
  const others = accepted.get("*") ?? 0;
  let best: { encoding: Offered; q: number } | undefined;
  for (const encoding of offered) {
    const q = accepted.get(encoding) ?? others;
    if (q > 0 && q >= (accepted.get("identity") ?? 0) && q > (best?.q ?? 0)) best = { encoding, q };
  }
  return best?.encoding;
}

async function compressBody(
  c: Context<AppEnv>,
  { encoding, immutable }: { encoding: Encoding; immutable: Map<string, Promise<Bytes>> },
): Promise<void> {
  const { body, headers } = c.res;
  if (body === null) return;
  const start = await readStart(body);
  if ("whole" in start) {
    if (start.whole.length < COMPRESS_MIN_BYTES) return replaceBody(c, start.whole);
    const isImmutable = headers.get("cache-control")?.includes("immutable") ?? false;
    const path = c.env.url.pathname;
    const bytes = isImmutable
      ? await once(immutable, `${encoding} ${path}`, () => deflated(start.whole, encoding, BEST))
      : await deflated(start.whole, encoding, FAST);
    return replaceBody(c, bytes, encoding);
  }
  // The platform's Brotli stream has only one quality, with which an export takes three times as long.
  if (acceptedEncoding(c.req.header("accept-encoding"), ["gzip"]) === undefined) {
    return replaceBody(c, start.stream);
  }
  replaceBody(c, start.stream.pipeThrough(new CompressionStream("gzip")), "gzip");
}

function replaceBody(c: Context<AppEnv>, body: BodyInit, encoding?: Encoding): void {
  const { headers } = c.res;
  if (encoding !== undefined) {
    headers.set("content-encoding", encoding);
    headers.delete("content-length");
    // The same version in other bytes needs a weak entity tag (RFC 9110 §8.8.3.3).
    const etag = headers.get("etag");
    if (etag?.startsWith('"')) headers.set("etag", `W/${etag}`);
  }
  c.res = new Response(body, c.res);
}

/**
 * Compresses on this thread if that takes less, or not much more, time than passing the bytes to another
 * thread.
 */
async function deflated(bytes: Bytes, encoding: Encoding, levels: typeof FAST): Promise<Bytes> {
  if (levels === FAST && bytes.length <= COMPRESS_SYNC_BYTES) {
    return encoding === "br" ? brotliCompressSync(bytes, FAST.br) : gzipSync(bytes, FAST.gzip);
  }
  return encoding === "br"
    ? await promisify(brotliCompress)(bytes, levels.br)
    : await promisify(gzip)(bytes, levels.gzip);
}

function once<T>(made: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

function quality(level: number): { params: Record<number, number> } {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: level } };
}

/** The whole body if it came in one chunk, otherwise a stream of it. */
export type Start = { readonly whole: Bytes } | { readonly stream: ReadableStream<Bytes> };

/** Reads at most two chunks of a body. If it fails within them, the result is a stream that fails. */
export async function readStart(body: ReadableStream<Bytes>): Promise<Start> {
  const reader = body.getReader();
  const chunks: Bytes[] = [];
  try {
    while (chunks.length < 2) {
      const { value, done } = await reader.read();
      if (done) return { whole: chunks[0] ?? new Uint8Array() };
      chunks.push(value);
    }
  } catch (error) {
    return { stream: new ReadableStream({ start: (controller) => controller.error(error) }) };
  }
  return {
    stream: new ReadableStream<Bytes>({
      async pull(controller): Promise<void> {
        const chunk = chunks.shift() ?? (await reader.read()).value;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: (reason) => reader.cancel(reason),
    }, { highWaterMark: 0 }),
  };
}

/**
 * Sets `content-length`, which Hono loses together with the body. A body that streams is cancelled, because
 * its length is unknown.
 */
export function lengthOfHead(c: Context<AppEnv>): Promise<void> | void {
  // The runtime sends a body of known length in one piece only if its stream was not accessed.
  if (c.req.method === "HEAD" && c.res.body !== null) return answerHead(c, c.res.body);
}

async function answerHead(c: Context<AppEnv>, body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const start = await readStart(body);
  if ("whole" in start) c.res.headers.set("content-length", String(start.whole.length));
  else await start.stream.cancel();
  c.res = new Response(null, c.res);
}
