/** Reads forms (`multipart/form-data`, `application/x-www-form-urlencoded`), bounded before they are parsed. */

import { AppError } from "./errors.ts";
import { MAX_FORM_FIELDS, MAX_PART_HEADER_BYTES } from "./limits.ts";

const AMPERSAND = 38;
/** A type in which the boundary is where the runtime finds it: other parameters have no quotes that could hide one. */
const MULTIPART_TYPE =
  /^multipart\/form-data(?:\s*;\s*(?!boundary=)[\w-]+=[^\s;"]*)*\s*;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"]{1,70}))(?:\s*;\s*[\w-]+=[^\s;"]*)*$/i;

/** Parses the fields of a form. Errors: invalid (too many fields), and what the runtime throws for a malformed form. */
export async function parseForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  if (contentType.trim().toLowerCase().startsWith("multipart/")) screenParts(bytes, contentType);
  else if (exceeds(bytes, MAX_FORM_FIELDS - 1)) throw tooManyFields();
  return await new Response(bytes, { headers: { "content-type": contentType } }).formData();
}

function tooManyFields(): AppError {
  return new AppError("invalid", `The form has too many fields. Expected at most ${MAX_FORM_FIELDS}.`);
}

/** Whether more than `limit` separators of fields are in an encoded form. */
function exceeds(bytes: Uint8Array, limit: number): boolean {
  let count = 0;
  for (let at = bytes.indexOf(AMPERSAND); at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++count > limit) return true;
  }
  return false;
}

/** Refuses too many parts, and parts with long headers: parsing costs far more than either is worth. */
function screenParts(bytes: Uint8Array, contentType: string): void {
  const match = MULTIPART_TYPE.exec(contentType.trim());
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    const type = JSON.stringify(contentType.slice(0, 200));
    throw new AppError(
      "invalid",
      `Form parse error - the content type ${type} has no boundary, or one that cannot be read.`,
    );
  }
  // As latin1, one character is one byte: the search is the engine's own.
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

/** Whether the headers of a part end within the limit. */
function endsSoon(text: string, start: number): boolean {
  return text.slice(start, start + MAX_PART_HEADER_BYTES).includes("\r\n\r\n");
}
