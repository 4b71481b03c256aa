/** Reads request bodies: bounded, strictly JSON or multipart. */

import { readBytes } from "../base/body_bytes.ts";
import { AppError } from "../base/errors.ts";
import { MAX_JSON_DEPTH } from "../base/limits.ts";

/** Reads a JSON body; an empty one is undefined. Errors: too_large, unsupported_media_type, invalid. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  const type = mediaType(request);
  if (type !== "application/json" && !type.endsWith("+json")) throw unsupported(request);
  return parseJson(bytes);
}

/** Reads a multipart form. Errors: too_large, unsupported_media_type, invalid. */
export async function readForm(request: Request, maxBytes: number): Promise<FormData> {
  if (mediaType(request) !== "multipart/form-data") throw unsupported(request);
  const bytes = await readBytes(request, maxBytes);
  try {
    return await new Response(bytes, {
      headers: { "content-type": request.headers.get("content-type") ?? "" },
    })
      .formData();
  } catch (cause) {
    throw new AppError("invalid", "Multipart form parse error - the body is no valid multipart form.", {
      cause,
    });
  }
}

/** The media type without its parameters, in lower case. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function unsupported(request: Request): AppError {
  const given = request.headers.get("content-type") ?? "";
  return new AppError(
    "unsupported_media_type",
    `Unsupported media type "${given.slice(0, 200)}" in request.`,
  );
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("invalid", "JSON parse error - the body is not UTF-8.", { cause });
  }
  if (nestedDeeper(text, MAX_JSON_DEPTH)) {
    throw new AppError("invalid", `JSON parse error - nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (/\\ud[89a-f]/i.test(text)) requireWellFormed(text);
    return value;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    // The parser's own sentence, without its quotation of the body: that might hold a secret.
    const reason = (cause as Error).message.replace(/,? ?"[\s\S]*$/, "")
      .replace(/ (?:in JSON )?at position [\s\S]*$/, "")
      .replace(/^Unexpected token.*$/, "unexpected token");
    const place = /position (\d+)/.exec((cause as Error).message)?.[1];
    throw new AppError(
      "invalid",
      `JSON parse error - ${reason}${place === undefined ? "" : ` at position ${place}`}`,
      {
        cause,
      },
    );
  }
}

/** Refuses halves of surrogate pairs, which JSON can write but Unicode text cannot hold (RFC 8259 §8.2). */
function requireWellFormed(text: string): void {
  JSON.parse(text, (key, value) => {
    if (key.isWellFormed() && (typeof value !== "string" || value.isWellFormed())) return value;
    throw new AppError("invalid", "JSON parse error - a text is not well-formed Unicode.");
  });
}

/** Whether brackets outside of strings nest deeper than `limit`; later code may then recurse without fear. */
function nestedDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 92) index++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      if (++depth > limit) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
}
