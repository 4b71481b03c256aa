/** Imports a file of certificates: DER, PEM, or PKCS#7 in DER, BER or PEM, detected from its content. */

import { z } from "zod";
import { addError, AppError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import { documented, expectedError, REQUIRED } from "../../../resource/mod.ts";
import { containerOf, type Finding, PRIVATE_KEY_MESSAGE, searchingKey } from "../../../x509/mod.ts";
import { certificates } from "../mod.ts";
import { choiceOf, ImportReport, reportOf } from "./responses.ts";
import { authorizeImport } from "./authorize_import.ts";
import { importRows } from "./import_rows.ts";
import { readBundle } from "./bundle.ts";
import { separateRows } from "./pem_item.ts";
import { type ImportRow, mergeErrors, ON_DUPLICATE } from "./rows.ts";

const RULE = { noun: "item", field: "pem_content" } as const;

const text = z.string(expectedError("Expected one text")).trim().optional();
const texts = z.union([z.string(), z.array(z.string())], expectedError("Expected texts"));

/** The parts of the form. */
const FileForm = objectBody({
  file: z.file({ error: ({ input }) => notOneFile(input) }).refine(({ size }) => size > 0, {
    error: "The file is empty.",
  }).describe("DER, PEM or PKCS#7; recognized by its content."),
  private_key_location: text.describe("Location of the private key, for every certificate."),
  tenant: text.describe("Tenant of every certificate, by name, slug or id."),
  tags: documented(texts, { type: "array", items: { type: "string" } }).optional().describe(
    "Tags of every certificate, by slug or name; one part per tag.",
  ),
  on_duplicate: documented(z.enum([...ON_DUPLICATE, ""]), { type: "string", enum: ON_DUPLICATE }).optional()
    .describe(
      "As in `import/`, but `skip` by default.",
    ),
  overwrite: documented(z.enum(["true", "false", ""]), { type: "boolean" }).optional().describe(
    "Whether `update` also replaces values.",
  ),
});
type FileForm = z.infer<typeof FileForm>;

function notOneFile(given: unknown): string {
  if (given === undefined) return REQUIRED;
  return Array.isArray(given) ? "Expected one file." : "Expected a file, not text.";
}

/**
 * Imports every certificate of a file, each with its chain from the file. Existing ones are skipped by
 * default. Imports all or none. Errors: forbidden, invalid (by part), too_large.
 */
export const importFile = operation({
  needs: [[authorizeImport, certificates]],
  input: FileForm,
  output: ImportReport,
  searchedByRun: ["file"],
  run: async ({ ctx, allowed, input }) => {
    requireSize(input.file);
    const choice = choiceOf({
      on_duplicate: input.on_duplicate || undefined,
      overwrite: input.overwrite === "true",
    }, { fallback: "skip" });
    const rows = await readRows(input);
    const outcome = await importRows(
      { ctx, allowed: allowed(certificates), rows, rule: { ...RULE, ...choice } },
      (planned) => invalid(byPart(input, planned.map(({ errors }) => errors))),
    );
    return reportOf(outcome);
  },
});

function requireSize({ size }: File): void {
  if (size <= MAX_PEM_TEXT_BYTES) return;
  throw new AppError("too_large", `The file is larger than the limit of ${MAX_PEM_TEXT_BYTES} bytes.`);
}

async function readRows(form: FileForm): Promise<ImportRow[]> {
  const { body, named } = ownOf(form);
  const bytes = await form.file.bytes();
  const pause = pacer();
  if (containerOf(bytes) === undefined && await inSlices(searchingKey(bytes), pause)) {
    throw invalid({ file: [PRIVATE_KEY_MESSAGE] });
  }
  // The certificates get their PEM from the file, so `byPart` reports its errors for the file.
  const reading = await inSlices(readBundle(bytes, unreadable), pause);
  const rows = await inSlices(separateRows(reading, body), pause);
  return rows.map((row) => ({ ...row, named }));
}

/**
 * Returns the fields that the caller gives for the certificates. Empty parts are ignored, because browsers
 * send them.
 */
function ownOf(
  { private_key_location, tenant, tags = [] }: FileForm,
): Required<Pick<ImportRow, "body" | "named">> {
  const texts = [tags].flat().map((text) => text.trim()).filter(Boolean);
  return {
    body: private_key_location ? { private_key_location } : {},
    named: {
      ...(texts.length === 0 ? {} : { tags: texts }),
      ...(tenant ? { tenant: [tenant] } : {}),
    },
  };
}

function unreadable({ code, message, block, line }: Finding): string {
  if (code === "no_pem") return `${message}. Send a table to bulk-data-import/ instead.`;
  const where = block === undefined ? "" : ` (block ${block}, line ${line})`;
  return `Unable to read certificates from the file: ${message}${where}.`;
}

/**
 * Groups errors by part: those about the certificates belong to the file, those about a field of the form
 * keep its name.
 */
function byPart(form: FileForm, all: readonly FieldErrors[]): FieldErrors {
  const parts: FieldErrors = {};
  for (const [field, messages] of Object.entries(mergeErrors(all))) {
    const part = Object.hasOwn(form, field) ? field : "file";
    for (const message of messages) addError(parts, part, message);
  }
  return parts;
}
