/** Compresses responses for clients that accept it (RFC 9110 §12.5.3). */

import type { Context } from "hono";
import { parseAccept } from "hono/utils/accept";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib";
import type { AppEnv } from "../app_options.ts";
import { COMPRESS_MIN_BYTES, COMPRESS_SYNC_BYTES } from "../base/limits.ts";
import type { Step } from "./chain.ts";
import { readStart } from "./read_start.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Encoding = "br" | "gzip";

/** On lists, Brotli at 1 is smaller than gzip at 6 and takes less than half of its time; gzip at 3 is as small. */
const FAST = { br: quality(1), gzip: { level: 3 } };
/** For files that are compressed once. */
const BEST = { br: quality(9), gzip: { level: 9 } };

/** Text, but no pages: they hold form tokens next to text that a link can choose (see `docs/security.md`). */
const TYPES =
  /^(?:text\/(?!html\b|event-stream\b)|application\/(?:[\w.-]+\+)?(?:json|(?:x-)?yaml|x-pem-file)\b|image\/svg\+xml)/;

/** Compresses text; files that never change only once for each encoding. */
export function compress(): Step {
  const immutable = new Map<string, Promise<Bytes>>();
  return (c) => {
    if (c.res.status !== 200 || !mayCompress(c)) return;
    c.res.headers.append("vary", "Accept-Encoding");
    const accepted = c.req.header("accept-encoding");
    const encoding = acceptedEncoding(accepted, ["br", "gzip"]);
    if (encoding === undefined || c.req.method === "HEAD") return;
    return compressBody(c, { encoding, immutable });
  };
}

/**
 * Whether a response may be compressed: no reply may hold a secret next to text of the request, for then its length tells
 * the secret (BREACH). Secrets are shown in replies to unsafe methods only; exports and GraphQL hold none.
 */
function mayCompress({ req, res, env }: Context<AppEnv>): boolean {
  const { headers } = res;
  if (headers.has("content-encoding") || !TYPES.test(headers.get("content-type") ?? "")) return false;
  return req.method === "GET" || req.method === "HEAD" || headers.has("content-disposition") ||
    env.url.pathname === "/graphql/";
}

/** The encoding that a client prefers, the first of `offered` among equals; undefined for none. */
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
  // The platform's Brotli stream has one quality only, at which an export takes three times as long.
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
    // The same version in other bytes (RFC 9110 §8.8.3.3).
    const etag = headers.get("etag");
    if (etag?.startsWith('"')) headers.set("etag", `W/${etag}`);
  }
  c.res = new Response(body, c.res);
}

/** Compresses at once what takes less time than handing it to another thread, or not much more. */
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
