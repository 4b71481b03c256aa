/** Reads request bodies, up to a limit. */

import { AppError } from "./errors.ts";

function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The request body is larger than the limit of ${maxBytes} bytes.`);
}

/** The whole body. Errors: too_large, before more than that is kept. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBytes) {
    await request.body?.cancel();
    throw tooLarge(maxBytes);
  }
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
