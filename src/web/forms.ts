/** Forms that were sent: read up to a limit, and shown to be our own. */

import { timingSafeEqual } from "node:crypto";
import { AppError } from "../base/errors.ts";
import { parseForm } from "../base/form_data.ts";
import { MAX_FORM_FIELDS } from "../base/limits.ts";
import type { Call, PublicCall } from "./call.ts";

/** Name of the field by which a form shows that it is this session's own. */
export const CSRF_FIELD = "csrf";

const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data"];

/**
 * The fields of a posted form; none of a request without a body.
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
      `Pages take forms, not ${JSON.stringify(type.slice(0, 100))}. Programs find the API under /api/.`,
    );
  }
  try {
    return await parseForm(bytes, type);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid", "The form cannot be read. Go back and send it again.", { cause });
  }
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

/** Refuses forms that do not carry the session's own token. */
export function requireOwnForm({ form, session }: Call): void {
  const given = new TextEncoder().encode(String(form.get(CSRF_FIELD) ?? ""));
  const own = new TextEncoder().encode(session.csrf);
  if (given.length === own.length && timingSafeEqual(given, own)) return;
  throw new AppError(
    "forbidden",
    "This form is too old: you have signed in anew since. Load the page again.",
  );
}

/** The texts of a field's values, without files. Browsers send line breaks as CR LF (HTML §4.10.21.4). */
export function textsOf(form: FormData, name: string): string[] {
  return form.getAll(name).flatMap((value) =>
    typeof value === "string" ? [value.replaceAll("\r\n", "\n")] : []
  );
}

/** The text of a field; empty when it is absent or a file. */
export function textOf(form: FormData, name: string): string {
  return textsOf(form, name)[0] ?? "";
}

/** The whole numbers among the values of a field (`ids`). Errors: invalid, when there are more than a form has fields. */
export function idsOf(form: FormData | URLSearchParams, name: string): number[] {
  const texts = (form.getAll(name) as unknown[]).flatMap((value) =>
    typeof value === "string" ? value.split(",", MAX_FORM_FIELDS + 1) : []
  );
  if (texts.length > MAX_FORM_FIELDS) {
    throw new AppError("invalid", `Too many objects are selected. Expected at most ${MAX_FORM_FIELDS}.`);
  }
  return texts.filter((text) => /^\d{1,15}$/.test(text.trim())).map(Number);
}
