/** Responses that stream a document as a file. */

import { Buffer } from "node:buffer";
import { stackOf } from "./errors.ts";
import type { Logger } from "./log.ts";

/** Where a download logs a failure, and with which request id. */
export interface DownloadLog {
  readonly log: Logger;
  readonly requestId: string;
}

/** A document that an operation returns. */
export interface Download {
  readonly mediaType: string;
  readonly fileName: string;
  /**
   * The text in chunks of whole characters, produced on demand. Throws if reading fails. The document is then
   * incomplete.
   */
  readonly text: AsyncIterable<string>;
}

/** Maximum length of a file name in bytes without its extension. File systems allow 255 in total. */
const MAX_STEM_BYTES = 240;

/**
 * Streams a document. A failure before the first chunk is thrown. A later one is logged and aborts the
 * response, so that no client takes a part for the complete document.
 */
export async function download(ctx: DownloadLog, { mediaType, fileName, text }: Download): Promise<Response> {
  const chunks = text[Symbol.asyncIterator]();
  const first = await chunks.next();
  const body = ReadableStream.from(remaining(ctx, first, chunks));
  // JSON is always UTF-8 and has no charset parameter (RFC 8259 §8.1).
  const charset = mediaType === "application/json" ? "" : "; charset=utf-8";
  return new Response(body, {
    headers: { "content-type": `${mediaType}${charset}`, "content-disposition": disposition(fileName) },
  });
}

/** Aborts a response. The runtime prints it to standard error, where every line must be JSON. */
class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
  readonly #requestId: string;

  constructor(requestId: string) {
    super("The response was aborted");
    this.#requestId = requestId;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return JSON.stringify({ level: "error", event: "broken_off", request_id: this.#requestId });
  }
}

async function* remaining(
  ctx: DownloadLog,
  first: IteratorResult<string>,
  chunks: AsyncIterator<string>,
): AsyncGenerator<Uint8Array> {
  try {
    // Faster than TextEncoderStream, which takes longer for a chunk than its text.
    for (let chunk = first; !chunk.done; chunk = await chunks.next()) yield Buffer.from(chunk.value);
  } catch (error) {
    ctx.log.log("error", "defect", {
      request_id: ctx.requestId,
      error: stackOf(error),
      note: "The response was aborted",
    });
    throw new BrokenOffError(ctx.requestId);
  } finally {
    await chunks.return?.();
  }
}

/**
 * Returns a Content-Disposition (RFC 6266) with an ASCII name and the percent-encoded name, both without path
 * separators.
 */
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

/** Returns the first complete characters of a text that fit into a number of UTF-8 bytes. */
function shortened(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
