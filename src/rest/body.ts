/** Reads request bodies with limits, as JSON or multipart. */

import { MAX_JSON_DEPTH } from "../base/limits.ts";
import type { RequestBody } from "../base/body_bytes.ts";
import { AppError } from "../base/errors.ts";
import { parseForm } from "../base/form_data.ts";

/**
 * Maximum number of values in a JSON body: a thousand objects with 250 each. Each takes up to a hundred bytes
 * of memory, however short its JSON is.
 */
export const MAX_JSON_VALUES = 250_000;
/**
 * Maximum number of members of an object in a JSON body. Rows of imports have at most as many. Parsing and
 * validating 240,000 different names would take half a second.
 */
export const MAX_JSON_MEMBERS = 1_000;

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
    // The parser's message, but not what it quotes of the body, which may be a secret.
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

/**
 * Returns the error for unpaired surrogates, which JSON can escape but Unicode text cannot contain (RFC 8259
 * §8.2).
 */
function notWellFormed(): AppError {
  return new AppError("invalid", "JSON parse error - a text is not well-formed Unicode.");
}

const BACKSLASH = 92;
const QUOTE = 34;
const COMMA = 44;
/** Initial count in a list: so low that the commas of a body cannot raise it above zero. */
const NEVER_TOO_MANY = -(2 ** 30);

/**
 * Scans JSON text (UTF-8) before it is parsed: whether brackets are nested too deeply (so that other code can
 * be recursive), whether there are too many values, whether an object has too many members, and whether an
 * escape (`\ud83d`) is an unpaired surrogate. Decoded UTF-8 contains no other surrogates.
 */
function scan(
  bytes: Uint8Array,
): { tooDeep: boolean; tooMany: boolean; tooWide: boolean; illFormed: boolean } {
  let depth = 0;
  // A comma separates two values of a list or object. The first value is counted at the bracket.
  let values = 1;
  // Number of members so far of the object at each depth. Lists are not limited.
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

/** Returns which half of a surrogate pair is escaped at a position (`\ud83d`), if any. */
function escapedHalf(bytes: Uint8Array, index: number): "high" | "low" | undefined {
  const isEscape = bytes[index] === BACKSLASH && bytes[index + 1] === 117;
  if (!isEscape || (bytes[index + 2]! | 32) !== 100) return undefined;
  const digit = bytes[index + 3]! | 32;
  // High: 8, 9, a, b. Low: c to f. The parser refuses other characters.
  if (digit === 56 || digit === 57 || digit === 97 || digit === 98) return "high";
  return digit >= 99 && digit <= 102 ? "low" : undefined;
}
