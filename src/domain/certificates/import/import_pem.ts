/**
 * Imports PEM text (one certificate with its chain, or each certificate separately), or a file of certificates: DER, PEM,
 * or PKCS#7 in DER, BER or PEM, detected from its content.
 */

import { z } from "zod";
import { AppError, invalid, invalidField } from "../../../base/errors.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { objectBody, operation, shown } from "../../../operation/mod.ts";
import { documented, expectedError, type Out } from "../../../resource/mod.ts";
import { type CertificateCall, certificates } from "../mod.ts";
import { authorizeImport, choiceOf, ImportReport, reportOf } from "./responses.ts";
import { applyRows, importRows, type Refusal } from "./import_rows.ts";
import { PemText, readPemItems, readPemText, separateRows } from "./pem_item.ts";
import { distinctFindings, type ImportRow, type Inherited, ON_DUPLICATE } from "./rows.ts";
import { type Finding as RowError, finding, issue } from "../../../base/findings.ts";
import { MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { containerOf, type Finding, searchingKey } from "../../../x509/mod.ts";
import { readBundle } from "./bundle.ts";

const RULE = { noun: "item", field: "pem_content" } as const;

/** All certificates have the same additional fields, so the same error in several rows is reported once. */
const refuseFields: Refusal = (rows) => invalid(distinctFindings(rows.flatMap(({ errors }) => errors)));

/**
 * Imports PEM text, all of it or nothing. Returns the certificate. Returns a report instead of several
 * certificates, as with `split` (existing ones are skipped by default), and if existing certificates are not
 * errors. Errors: forbidden, invalid (by field).
 */
export const importPem = operation({
  needs: [[authorizeImport, certificates]],
  input: PemText,
  output: z.union([shown(certificates), ImportReport]),
  run: async ({ ctx, allowed, input: { split, on_duplicate, overwrite, ...given } }) => {
    const rows = await inSlices(split ? readPemItems(given) : readPemText(given));
    const several = split || rows.length > 1;
    const choice = choiceOf({ on_duplicate, overwrite }, { fallback: several ? "skip" : "error" });
    const reports = several || choice.onDuplicate !== "error";
    const rule = { ...RULE, ...choice };
    const outcome = await importRows(
      { ctx, allowed: allowed(certificates), rows, rule, allFields: !reports },
      refuseFields,
    );
    const [created] = outcome.rows;
    return reports || created?.object === undefined ? reportOf(outcome) : created.object;
  },
});

/** Stores certificates of a text in an open transaction; skips existing certificates. Errors: invalid. */
export async function storeSeparately(
  call: CertificateCall,
  rows: readonly ImportRow[],
): Promise<ImportReport> {
  const rule = { ...RULE, onDuplicate: "skip" } as const;
  return reportOf(await applyRows(call, rows, { rule, refusal: refuseFields }));
}

/** Returns whether the response of an import is a report, not a certificate. */
export function isImportReport(answer: Out | ImportReport): answer is ImportReport {
  return "created_count" in answer;
}

/**
 * Stores successors in the caller's transaction; their texts must have been searched for private keys. Returns their
 * ids by the places of their rows. The number of statements does not depend on the number of rows. Errors: invalid
 * (also if a certificate exists), forbidden.
 */
export async function storeSuccessors(
  call: CertificateCall,
  rows: readonly ImportRow[],
  inherited: ReadonlyMap<number, Inherited>,
): Promise<ReadonlyMap<number, number>> {
  const rule = { ...RULE, onDuplicate: "error", completes: false } as const;
  const { rows: stored } = await applyRows(call, rows, {
    rule,
    refusal: refuseFields,
    inherited,
    outside: "Your permissions do not allow renewing with this certificate.",
  });
  return new Map(stored.flatMap(({ place, id }) => id === undefined ? [] : [[place, id]]));
}

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
  if (given === undefined) return issue("required");
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
      (planned) => invalid(byPart(input, planned.flatMap(({ errors }) => errors))),
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
    throw invalidField("file", "private_key");
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

function unreadable({ code, message: reason, block, line }: Finding): RowError {
  return code === "no_pem"
    ? finding("file_without_pem", { reason })
    : finding("file_unreadable", { reason, block, line });
}

/**
 * Groups errors by part: those about the certificates belong to the file, those about a field of the form
 * keep its name.
 */
function byPart(form: FileForm, all: readonly RowError[]): RowError[] {
  return distinctFindings(
    all.map(({ field = "", ...one }) => ({ ...one, field: Object.hasOwn(form, field) ? field : "file" })),
  );
}
