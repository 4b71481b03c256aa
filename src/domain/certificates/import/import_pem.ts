/** Imports PEM text: one certificate with its chain, or each certificate separately. */

import { z } from "zod";
import { invalid } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { operation, shown } from "../../../operation/mod.ts";
import type { AnyObject } from "../../../resource/mod.ts";
import { type CertificateCall, certificates } from "../mod.ts";
import { choiceOf, ImportReport, reportOf } from "./responses.ts";
import { authorizeImport } from "./authorize_import.ts";
import { applyRows, importRows, type Refusal } from "./import_rows.ts";
import { type PemItem, PemText, readPemItem, readPemItems, readPemText, withoutIssuers } from "./pem_item.ts";
import { type ImportRow, type Inherited, mergeErrors } from "./rows.ts";

const RULE = { noun: "item", field: "pem_content" } as const;

/** All certificates have the same additional fields, so the same error in several rows is reported once. */
const refuseFields: Refusal = (rows) => invalid(mergeErrors(rows.map(({ errors }) => errors)));

/**
 * Imports PEM text, all of it or nothing. Returns the certificate. Returns a report instead of several
 * certificates, as with `split` (existing ones are skipped by default), and if existing certificates are not
 * errors. Errors: forbidden, invalid (by field).
 */
export const importPem = operation({
  needs: [[authorizeImport, certificates]],
  input: PemText,
  output: z.union([shown(certificates), ImportReport]),
  run: async ({ ctx, allowed, input: { split, chain_only, on_duplicate, overwrite, ...given } }) => {
    if (chain_only !== undefined && !split) throw invalid({ chain_only: ["chain_only requires split."] });
    const rows = split ? await readSeparately(given, chain_only) : await inSlices(readPemText(given));
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

/** Reads the first certificate of a text, with all others as its chain. */
export async function readWithChain(given: PemItem): Promise<ImportRow> {
  return await inSlices(readPemItem(given, 0));
}

/** Reads each certificate of a text with its chain, without issuers that are stored in chains only. Errors: invalid. */
export async function readSeparately(
  given: PemItem,
  chainOnly: readonly string[] = [],
): Promise<ImportRow[]> {
  return withoutIssuers(await inSlices(readPemItems(given)), chainOnly);
}

/** Stores rows of {@link readSeparately} in an open transaction; skips existing certificates. Errors: invalid. */
export async function storeSeparately(
  call: CertificateCall,
  rows: readonly ImportRow[],
): Promise<ImportReport> {
  const rule = { ...RULE, onDuplicate: "skip" } as const;
  return reportOf(await applyRows(call, rows, { rule, refusal: refuseFields }));
}

/** Returns whether the response of an import is a report, not a certificate. */
export function isImportReport(answer: AnyObject | ImportReport): answer is ImportReport {
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
  const rule = { ...RULE, onDuplicate: "error" } as const;
  const { rows: stored } = await applyRows(call, rows, {
    rule,
    refusal: refuseFields,
    inherited,
    outside: "Your permissions do not allow renewing with this certificate.",
  });
  return new Map(stored.flatMap(({ place, id }) => id === undefined ? [] : [[place, id]]));
}
