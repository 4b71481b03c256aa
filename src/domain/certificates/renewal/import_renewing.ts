/** Imports certificates of which some renew existing ones. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { type FieldErrors, invalid } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { and } from "../../../filters/mod.ts";
import { plainHex, quote, refusingPrivateKeys } from "../../../resource/mod.ts";
import {
  authorizeImport,
  type ImportReport,
  type ImportRow,
  type PemItem,
  readSeparately,
  storeSeparately,
} from "../import/mod.ts";
import { certificates } from "../mod.ts";
import { checkSuccessor, createSuccessors, loadRenewing, replaceAll } from "./succession.ts";

/** A text with certificates, of which some renew existing ones. */
export interface RenewingInput extends PemItem {
  readonly chain_only?: readonly string[];
  /** Ids of the certificates to renew, by the SHA-256 fingerprint of the successor. */
  readonly renew: ReadonlyMap<string, number>;
}

/** The report of the certificates that were imported separately, and the ids of the successors. */
export interface RenewingReport extends ImportReport {
  readonly renewed: readonly number[];
}

/**
 * Imports each certificate of a text, as `importPem` does with `split`; those of `renew` as successors of existing ones,
 * from which they get tenant, tags, description and, unless it is given, the key location. All or nothing. Errors: those
 * of `importPem` and of `renewCertificate`.
 */
export async function importRenewing(
  { ctx, input: { renew, chain_only, ...given } }: { ctx: Context; input: RenewingInput },
): Promise<RenewingReport> {
  const allowed = authorizeImport(ctx);
  const renewing = and(authorize(ctx, "renew", certificates.map), authorize(ctx, "change", certificates.map));
  const errors: FieldErrors = {};
  await inSlices(refusingPrivateKeys({ ...given }, errors));
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const rows = await readSeparately(given, chain_only);
  const successors = successorsIn(rows, renew);
  const prints = new Set(successors.map(({ certificate }) => certificate?.fingerprintSha256));
  const others = rows.filter(({ certificate }) => !prints.has(certificate?.fingerprintSha256));
  const { private_key_location: location } = given;
  const copied = location === undefined
    ? ["private_key_location", "description"] as const
    : ["description"] as const;
  const report = await ctx.database.write(async (tx) => {
    const call = { ctx, tx, resource: certificates, allowed: renewing };
    const old = await loadRenewing(call, [...renew.values()]);
    const created = await createSuccessors(
      call,
      old.map((row, index) => ({
        old: row,
        row: withoutOwn(successors[index] as ImportRow, location),
        copied,
      })),
    );
    const renewed = created.map((successor, index) => ({ old: old[index] as typeof successor, successor }));
    for (const one of renewed) checkSuccessor(one, "pem_content");
    await replaceAll(call, renewed, "pem_content");
    const imported = await storeSeparately({ ...call, allowed }, others);
    return { ...imported, renewed: created.map(({ id }) => id as number) };
  });
  certificates.afterCommit?.(ctx);
  return report;
}

/** Returns the rows of the successors, in the order of `renew`. Errors: invalid (one is missing or repeated). */
function successorsIn(rows: readonly ImportRow[], renew: RenewingInput["renew"]): ImportRow[] {
  const byPrint = new Map(rows.map((row) => [row.certificate?.fingerprintSha256, row]));
  const found = new Set<ImportRow>();
  const ids = new Set<number>();
  for (const [fingerprint, id] of renew) {
    const row = byPrint.get(plainHex(fingerprint, { number: false }));
    if (row === undefined) {
      throw invalid({
        pem_content: [`The text has no certificate with the fingerprint ${quote(fingerprint)}.`],
      });
    }
    if (found.has(row) || ids.has(id)) {
      throw invalid({
        pem_content: [
          `The certificate with the fingerprint ${
            quote(fingerprint)
          }, or the one that it renews (ID: ${id}), is chosen ` +
          "twice. Each certificate can renew one other and be renewed once.",
        ],
      });
    }
    found.add(row);
    ids.add(id);
  }
  return [...found];
}

/** Returns a row without the fields that the successor gets from the old certificate. */
function withoutOwn(row: ImportRow, location: unknown): ImportRow {
  const { pem_content, issuer_chain } = row.body;
  const given = location === undefined ? {} : { private_key_location: location };
  return { ...row, body: { pem_content, issuer_chain, ...given } };
}
