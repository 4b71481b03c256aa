/** Parses forms (`multipart/form-data`, `application/x-www-form-urlencoded`) after checking limits. */

import { AppError } from "./errors.ts";
import { MAX_FORM_FIELDS } from "./limits.ts";

/** Maximum size of the headers of a part of a multipart form in bytes; browsers send two short headers. */
export const MAX_PART_HEADER_BYTES = 8 * 1024;

const AMPERSAND = 38;
/**
 * A content type whose boundary is unambiguous: no other parameter is quoted, because that could hide a
 * second boundary.
 */
const MULTIPART_TYPE =
  /^multipart\/form-data(?:\s*;\s*(?!boundary=)[\w-]+=[^\s;"]*)*\s*;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"]{1,70}))(?:\s*;\s*[\w-]+=[^\s;"]*)*$/i;

/**
 * Parses the fields of a form. Errors: invalid (too many fields), and the runtime's own for a malformed form.
 */
export async function parseForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  if (contentType.trim().toLowerCase().startsWith("multipart/")) checkParts(bytes, contentType);
  else if (exceeds(bytes, MAX_FORM_FIELDS - 1)) throw tooManyFields();
  return await new Response(bytes, { headers: { "content-type": contentType } }).formData();
}

function tooManyFields(): AppError {
  return new AppError("invalid", `The form has too many fields. Expected at most ${MAX_FORM_FIELDS}.`);
}

/** Returns whether an encoded form has more than `limit` field separators. */
function exceeds(bytes: Uint8Array, limit: number): boolean {
  let count = 0;
  for (let at = bytes.indexOf(AMPERSAND); at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++count > limit) return true;
  }
  return false;
}

/** Refuses too many parts, and parts with long headers, because the runtime parses both slowly. */
function checkParts(bytes: Uint8Array, contentType: string): void {
  const match = MULTIPART_TYPE.exec(contentType.trim());
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    const type = JSON.stringify(contentType.slice(0, 200));
    throw new AppError(
      "invalid",
      `Form parse error - the content type ${type} has no valid boundary.`,
    );
  }
  // Decoded as latin1, where one character is one byte, so that the native `indexOf` can be used.
  const text = new TextDecoder("latin1").decode(bytes);
  const delimiter = `--${boundary}`;
  let parts = 0;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + delimiter.length)) {
    if (++parts > MAX_FORM_FIELDS + 1) throw tooManyFields();
    const start = at + delimiter.length;
    if (!text.startsWith("--", start) && !endsSoon(text, start)) {
      throw new AppError("invalid", "The headers of a part of the form are too long.");
    }
  }
}

/** Returns whether the headers of a part end within the limit. */
function endsSoon(text: string, start: number): boolean {
  return text.slice(start, start + MAX_PART_HEADER_BYTES).includes("\r\n\r\n");
}
