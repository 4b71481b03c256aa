/** Imports a file of certificates: DER, PEM, or PKCS#7 in DER, BER or PEM; the kind is judged by the content. */

import type { Context } from "../../../auth/mod.ts";
import { addError, AppError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { REQUIRED } from "../../../resource/mod.ts";
import { type Finding, PRIVATE_KEY_MESSAGE, readingCertificates, searchingKey } from "../../../x509/mod.ts";
import { type ImportReport, reportOf } from "./answers.ts";
import { authorizeImport } from "./authorize_import.ts";
import { importRows } from "./import_rows.ts";
import { membersOf } from "./members.ts";
import { merged } from "./plan.ts";
import type { ImportRow } from "./rows.ts";

const RULE = { onDuplicate: "skip", noun: "item", field: "pem_content" } as const;

/**
 * Imports every certificate of the part `file`, with the chain that the file has for each; what is there already is
 * passed over. Further parts: `private_key_location`, `tenant` (name, slug or id), `tags` (a slug; may be repeated).
 * All or nothing. Errors: forbidden, invalid (by part), too_large.
 */
export async function importFile(
  { ctx, form }: { ctx: Context; form: FormData },
): Promise<ImportReport> {
  const allowed = authorizeImport(ctx);
  await refuseKeys(form);
  const rows = await readRows(form);
  const outcome = await importRows(
    { ctx, allowed, rows, rule: RULE },
    (failed) => invalid(byPart(form, failed.map(({ errors }) => errors))),
  );
  return reportOf(outcome);
}

/** Whatever the part is called. */
async function refuseKeys(form: FormData): Promise<void> {
  const errors: FieldErrors = {};
  const pause = pacer();
  for (const [name, value] of form) {
    if (typeof value !== "string") requireSize(value);
    const content = typeof value === "string" ? value : await value.bytes();
    const holds = await inSlices(searchingKey(content), pause);
    if (holds && !Object.hasOwn(errors, name)) addError(errors, name, PRIVATE_KEY_MESSAGE);
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

function requireSize({ size }: File): void {
  if (size <= MAX_PEM_TEXT_BYTES) return;
  throw new AppError("too_large", `The file is larger than the limit of ${MAX_PEM_TEXT_BYTES} bytes.`);
}

async function readRows(form: FormData): Promise<ImportRow[]> {
  const own = readOwn(form);
  const file = readFile(form);
  const read = file instanceof File ? await inSlices(readingCertificates(await file.bytes())) : undefined;
  const wrong = read === undefined ? [file as string] : [...new Set(read.findings.map(unreadable))];
  // The content of the file is the PEM of its records: what is wrong with it stands under that name until it is told.
  if (wrong.length > 0) return [{ ...own, place: 0, errors: { pem_content: wrong } }];
  const members = await inSlices(membersOf(read?.members.map(({ certificate }) => certificate) ?? []));
  return members.map(({ certificate, fields }, place) => ({
    ...own,
    place,
    body: { ...own.body, ...fields },
    errors: {},
    certificate,
  }));
}

/** What the caller says about the certificates. */
function readOwn(form: FormData): Pick<ImportRow, "body" | "tenantText"> {
  const [locations, tenants, slugs] = ["private_key_location", "tenant", "tags"].map((name) =>
    form.getAll(name).filter((value) => typeof value === "string").map((text) => text.trim()).filter(Boolean)
  ) as [string[], string[], string[]];
  return {
    body: {
      ...(locations.length === 0 ? {} : { private_key_location: locations.at(-1) }),
      ...(slugs.length === 0 ? {} : { tags: slugs.map((slug) => ({ slug })) }),
    },
    ...(tenants.length === 0 ? {} : { tenantText: tenants.at(-1) as string }),
  };
}

/** The file, or why there is none. */
function readFile(form: FormData): File | string {
  const [file, ...others] = form.getAll("file");
  if (file === undefined) return REQUIRED;
  if (others.length > 0) return "Expected one file.";
  if (typeof file === "string") return "Expected a file, not a text.";
  return file.size === 0 ? "The file is empty." : file;
}

function unreadable({ message, block, line }: Finding): string {
  const where = block === undefined ? "" : ` (block ${block}, line ${line})`;
  return `Unable to read certificates from the file: ${message}${where}.`;
}

/** Every certificate has the same parts; what is wrong with one of them itself is wrong with the file. */
function byPart(form: FormData, all: readonly FieldErrors[]): FieldErrors {
  const parts: FieldErrors = {};
  for (const [field, messages] of Object.entries(merged(all))) {
    const part = field !== "pem_content" && form.has(field) ? field : "file";
    for (const message of messages) addError(parts, part, message);
  }
  return parts;
}
