/** Reads request bodies with limits, as JSON or multipart. */

import type { RequestBody } from "../base/body_bytes.ts";
import { AppError } from "../base/errors.ts";
import { parseForm } from "../base/form_data.ts";
import { scanJson } from "../base/scan_json.ts";

/** A body that has not been read yet. */
export interface UnreadBody {
  readonly request: Request;
  readonly body: RequestBody;
  readonly maxBytes: number;
}

/** Reads a JSON body; undefined if it is empty. Errors: those of reading, unsupported_media_type, invalid. */
export async function readJson({ request, body, maxBytes }: UnreadBody): Promise<unknown> {
  const bytes = await body.read(maxBytes);
  if (bytes.length === 0) return undefined;
  const type = mediaType(request);
  if (type !== "application/json" && !type.endsWith("+json")) throw unsupported(request);
  return parseJson(bytes);
}

/** Reads a multipart form. Errors: those of reading, unsupported_media_type, invalid. */
export async function readForm({ request, body, maxBytes }: UnreadBody): Promise<FormData> {
  if (mediaType(request) !== "multipart/form-data") throw unsupported(request);
  const bytes = await body.read(maxBytes);
  try {
    return await parseForm(bytes, request.headers.get("content-type") ?? "");
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid", "Multipart form parse error - the body is not a valid multipart form.", {
      cause,
    });
  }
}

/** Returns the media type without parameters, in lower case. */
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

const decoder = new TextDecoder("utf-8", { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new AppError("invalid", "JSON parse error - the body is not UTF-8.", { cause });
  }
  const { excess, illFormed } = scanJson(bytes);
  if (excess !== undefined) throw new AppError("invalid", `JSON parse error - ${excess}`);
  try {
    const value: unknown = JSON.parse(text);
    if (illFormed) throw notWellFormed();
    return value;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    // The parser's message, but not what it quotes of the body, which may be a secret.
    const message = cause instanceof Error ? cause.message : "";
    const reason = message.replace(/,? ?"[\s\S]*$/, "")
      .replace(/ (?:in JSON )?at position [\s\S]*$/, "")
      .replace(/^Unexpected token.*$/, "unexpected token");
    const place = /position (\d+)/.exec(message)?.[1];
    throw new AppError(
      "invalid",
      `JSON parse error - ${reason || "not valid JSON"}${place === undefined ? "" : ` at position ${place}`}`,
      { cause },
    );
  }
}

/**
 * Returns the error for unpaired surrogates, which JSON can escape but Unicode text cannot contain (RFC 8259
 * §8.2).
 */
function notWellFormed(): AppError {
  return new AppError("invalid", "JSON parse error - a text is not well-formed Unicode.");
}
