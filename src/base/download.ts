/** Answers with a document as a file: streamed, and broken off where it cannot be completed. */

import { stackOf } from "./errors.ts";
import type { Logger } from "./log.ts";

/** What a download is told of its request: where to report a defect, and under which id. */
export interface Reporting {
  readonly log: Logger;
  readonly requestId: string;
}

/** A document that a verb gives. */
export interface Download {
  readonly mediaType: string;
  readonly fileName: string;
  /** Read as it is asked for; throws when reading fails, and is then no whole document. */
  readonly text: AsyncIterable<string>;
}

/** Bytes of a file name without its extension: file systems take 255 in all. */
const MAX_STEM_BYTES = 240;

/**
 * Streams a document. What fails before its first chunk is an ordinary failure; after that the answer is broken off,
 * so that no client takes a part for the whole, and the log says why.
 */
export async function download(ctx: Reporting, { mediaType, fileName, text }: Download): Promise<Response> {
  const chunks = text[Symbol.asyncIterator]();
  const first = await chunks.next();
  const body = ReadableStream.from(remaining(ctx, first, chunks)).pipeThrough(new TextEncoderStream());
  // JSON is UTF-8 without saying so (RFC 8259 §8.1).
  const charset = mediaType === "application/json" ? "" : "; charset=utf-8";
  return new Response(body, {
    headers: { "content-type": `${mediaType}${charset}`, "content-disposition": disposition(fileName) },
  });
}

/** Breaks an answer off. The runtime prints it on standard error, where every line is JSON. */
class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
  readonly #requestId: string;

  constructor(requestId: string) {
    super("The answer was broken off");
    this.#requestId = requestId;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return JSON.stringify({ level: "error", event: "broken_off", request_id: this.#requestId });
  }
}

async function* remaining(
  ctx: Reporting,
  first: IteratorResult<string>,
  chunks: AsyncIterator<string>,
): AsyncGenerator<string> {
  try {
    for (let chunk = first; !chunk.done; chunk = await chunks.next()) yield chunk.value;
  } catch (error) {
    ctx.log.log("error", "defect", {
      request_id: ctx.requestId,
      error: stackOf(error),
      note: "The answer was broken off",
    });
    throw new BrokenOffError(ctx.requestId);
  } finally {
    await chunks.return?.();
  }
}

/** RFC 6266: a plain name for old clients, the true one percent-encoded; neither can end the header or name a folder. */
export function disposition(fileName: string): string {
  const dot = fileName.lastIndexOf(".");
  const stem = fileName.slice(0, dot).replace(/^\.|[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029/\\]/gu, "_");
  const name = shortened(stem, MAX_STEM_BYTES) + fileName.slice(dot);
  const plain = name.replace(/[^\w.*-]/g, "_");
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Whole characters of a text, up to so many bytes of UTF-8. */
function shortened(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
