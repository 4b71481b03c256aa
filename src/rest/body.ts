/** Reads request bodies: bounded, strictly JSON or multipart. */

import type { RequestBody } from "../base/body_bytes.ts";
import { AppError } from "../base/errors.ts";
import { parseForm } from "../base/form_data.ts";
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, MAX_JSON_VALUES } from "../base/limits.ts";

/** A body that has not been read, and what its reader has to know. */
export interface Unread {
  readonly request: Request;
  readonly body: RequestBody;
  readonly maxBytes: number;
}

/** Reads a JSON body; an empty one is undefined. Errors: those of the reading, unsupported_media_type, invalid. */
export async function readJson({ request, body, maxBytes }: Unread): Promise<unknown> {
  const bytes = await body.read(maxBytes);
  if (bytes.length === 0) return undefined;
  const type = mediaType(request);
  if (type !== "application/json" && !type.endsWith("+json")) throw unsupported(request);
  return parseJson(bytes);
}

/** Reads a multipart form. Errors: those of the reading, unsupported_media_type, invalid. */
export async function readForm({ request, body, maxBytes }: Unread): Promise<FormData> {
  if (mediaType(request) !== "multipart/form-data") throw unsupported(request);
  const bytes = await body.read(maxBytes);
  try {
    return await parseForm(bytes, request.headers.get("content-type") ?? "");
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
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
  const { tooDeep, tooMany, tooWide, illFormed } = scan(bytes);
  if (tooDeep) {
    throw new AppError("invalid", `JSON parse error - nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  if (tooMany) {
    throw new AppError(
      "invalid",
      `JSON parse error - more than ${MAX_JSON_VALUES} values. Send several requests.`,
    );
  }
  if (tooWide) {
    throw new AppError("invalid", `JSON parse error - an object has more than ${MAX_JSON_MEMBERS} members.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (illFormed) throw notWellFormed();
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

/** Halves of surrogate pairs, which JSON can write but Unicode text cannot hold (RFC 8259 §8.2). */
function notWellFormed(): AppError {
  return new AppError("invalid", "JSON parse error - a text is not well-formed Unicode.");
}

const BACKSLASH = 92;
const QUOTE = 34;
const COMMA = 44;
/** Start of the count in a list: lower than all commas of a body can raise above zero. */
const NEVER_TOO_MANY = -(2 ** 30);

/**
 * Looks through a JSON text (UTF-8) before it is parsed: whether brackets nest too deeply (later code may then recurse without
 * fear), whether there are too many values, whether an object has too many members, and whether an escape (`\ud83d`) is
 * half of a surrogate pair. Decoded UTF-8 has no halves but escaped ones.
 */
function scan(
  bytes: Uint8Array,
): { tooDeep: boolean; tooMany: boolean; tooWide: boolean; illFormed: boolean } {
  let depth = 0;
  // Between two values of one list or object is a comma; the first of each is counted at its bracket.
  let values = 1;
  // Members so far of the object at each depth; a list never has too many.
  const members = new Int32Array(MAX_JSON_DEPTH + 1);
  let tooWide = false;
  let inString = false;
  let illFormed = false;
  for (let index = 0; index < bytes.length; index++) {
    const code = bytes[index];
    if (inString) {
      if (code === BACKSLASH) {
        const half = escapedHalf(bytes, index);
        if (half === "high" && escapedHalf(bytes, index + 6) === "low") index += 11;
        else {
          illFormed ||= half !== undefined;
          index++;
        }
      } else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === 91 || code === 123) {
      if (++depth > MAX_JSON_DEPTH) return { tooDeep: true, tooMany: false, tooWide: false, illFormed };
      members[depth] = code === 123 ? 1 : NEVER_TOO_MANY;
      values++;
    } else if (code === COMMA) {
      values++;
      if (++members[depth]! > MAX_JSON_MEMBERS) tooWide = true;
    } else if (code === 93 || code === 125) depth--;
  }
  return { tooDeep: false, tooMany: values > MAX_JSON_VALUES, tooWide, illFormed };
}

/** Which half of a surrogate pair is escaped at a place of a JSON text (`\ud83d`). */
function escapedHalf(bytes: Uint8Array, index: number): "high" | "low" | undefined {
  const isEscape = bytes[index] === BACKSLASH && bytes[index + 1] === 117;
  if (!isEscape || (bytes[index + 2]! | 32) !== 100) return undefined;
  const digit = bytes[index + 3]! | 32;
  // 8, 9, a, b; c to f. Other characters are for the parser to refuse.
  if (digit === 56 || digit === 57 || digit === 97 || digit === 98) return "high";
  return digit >= 99 && digit <= 102 ? "low" : undefined;
}
