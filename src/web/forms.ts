/** Reads submitted forms and verifies that this session's pages sent them. */

import { AppError } from "../base/errors.ts";
import { parseForm } from "../base/form_data.ts";
import { MAX_FORM_FIELDS } from "../base/limits.ts";
import { decodeText } from "../x509/mod.ts";
import type { Call, PublicCall } from "./call.ts";
import { isMasked } from "./form_token.ts";

/** Name of the field with the session's token against cross-site request forgery. */
export const CSRF_FIELD = "csrf";

const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data"];

/**
 * Returns the fields of a posted form; none for GET and HEAD.
 * Errors: those of the reading, unsupported_media_type, invalid.
 */
export async function readPosted({ request, body }: PublicCall, maxBytes: number): Promise<FormData> {
  if (request.method === "GET" || request.method === "HEAD") return new FormData();
  const type = request.headers.get("content-type") ?? "";
  const bytes = await body.read(maxBytes);
  if (bytes.length === 0) return new FormData();
  if (!FORM_TYPES.includes(type.split(";")[0]?.trim().toLowerCase() ?? "")) {
    throw new AppError(
      "unsupported_media_type",
      `Pages accept forms, not ${JSON.stringify(type.slice(0, 100))}. The API is under /api/.`,
    );
  }
  try {
    return await parseForm(bytes, type);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid", "The form cannot be read. Go back and send it again.", { cause });
  }
}

/** Reads the offset of a page of rows; 0 for anything else. */
export function offsetOf(given: FormDataEntryValue | null): number {
  return typeof given === "string" && /^\d{1,9}$/.test(given) ? Number(given) : 0;
}

/** Refuses forms that a page of another site sends (Fetch Metadata, `Sec-Fetch-Site`; older browsers: `Origin`). */
export function requireSameOrigin({ request, client }: PublicCall): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const own = site === null
    ? origin === null || origin === client.origin
    : site === "same-origin" || site === "none";
  if (!own) throw new AppError("forbidden", "This form was sent from another site.");
}

/** Refuses forms without the session's token. */
export function requireOwnForm({ form, session }: Call): void {
  if (isMasked(String(form.get(CSRF_FIELD) ?? ""), session.csrf)) return;
  throw new AppError("forbidden", "This form has expired because you have signed in again. Reload the page.");
}

/** Returns the text values of a field. Browsers send line breaks as CR LF (HTML §4.10.21.4). */
export function textsOf(form: FormData, name: string): string[] {
  return form.getAll(name).flatMap((value) =>
    typeof value === "string" ? [value.replaceAll("\r\n", "\n")] : []
  );
}

/** Returns the text of a field; empty if it is absent or a file. */
export function textOf(form: FormData, name: string): string {
  return textsOf(form, name)[0] ?? "";
}

/** Returns the name of the control for a file with the text of a field. */
export function fileOf(name: string): string {
  return `${name}.file`;
}

/** Returns the text of the file that was chosen for a field; undefined without one, empty for a binary file. */
export async function fileTextOf(form: FormData, name: string): Promise<string | undefined> {
  const file = form.get(fileOf(name));
  return file instanceof File && file.size > 0 ? decodeText(await file.bytes()) ?? "" : undefined;
}

/** Returns the whole numbers among the values of a field (`ids`). Errors: invalid (too many). */
export function idsOf(form: FormData | URLSearchParams, name: string): number[] {
  const texts = form.getAll(name).flatMap((value) =>
    typeof value === "string" ? value.split(",", MAX_FORM_FIELDS + 1) : []
  );
  if (texts.length > MAX_FORM_FIELDS) {
    throw new AppError("invalid", `Too many objects are selected. Expected at most ${MAX_FORM_FIELDS}.`);
  }
  return texts.filter((text) => /^\d{1,15}$/.test(text.trim())).map(Number);
}
