/** Finds the certificates that those of a text would renew, and what these renewals would lose. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import type { Cell } from "../../../db/mod.ts";
import { allNames } from "../../../x509/mod.ts";
import {
  type CertificateRow,
  type ComparedCertificate,
  findRenewable,
  isExpired,
  isIssuedByName,
  lostNames,
  namesOf,
  type NewCertificate,
  type Renewable,
  type RenewalWarning,
  renewalWarnings,
} from "../mod.ts";
import { draftsWith } from "./import_rows.ts";
import type { ImportPlan } from "./rows.ts";

/** The certificate that one of the text would renew, compared with it. */
export interface InspectedRenewal extends Renewable {
  /** Its names that the new one does not cover. */
  readonly lost: readonly string[];
  readonly warnings: readonly RenewalWarning[];
}

/** Certificates that are compared with the inventory; a page shows no more. */
const MAX_COMPARED = 60;

/**
 * Returns by place the certificates of the inventory that new ones would renew. At most two statements.
 * @param heads The certificates of the text that issue no others.
 */
export async function inspectRenewals(
  ctx: Context,
  { plan, heads }: { plan: ImportPlan; heads: readonly { readonly place: number }[] },
): Promise<ReadonlyMap<number, InspectedRenewal>> {
  const now = ctx.clock.now();
  const places = new Set(heads.map(({ place }) => place));
  const compared = draftsWith(plan, "create").filter(({ place, draft: { row } }) =>
    places.has(place) && !isExpired(Number(row.valid_to), now)
  ).slice(0, MAX_COMPARED);
  const given = compared.map(({ place, draft: { row } }): NewCertificate => ({
    key: place,
    common_name: String(row.common_name),
    sans: JSON.parse(String(row.sans)),
    valid_from: Number(row.valid_from),
    valid_to: Number(row.valid_to),
    tenant: typeof row.tenant_id === "number" ? row.tenant_id : null,
  }));
  const found = renewedOnce(given, await findRenewable(ctx, given, { partly: true }));
  const stored = await storedRows(ctx, found);
  return new Map(compared.flatMap(({ place, draft }, index) => {
    const [renewable, successor] = [found.get(place), given[index]];
    const row = renewable && stored.get(renewable.id);
    if (renewable === undefined || row === undefined || successor === undefined) return [];
    const lost = lostNames(namesOf(row), allNames(successor.common_name, successor.sans));
    const warnings = renewalWarnings(comparedRow(row), comparedRow(draft.row));
    return [[place, { ...renewable, lost, warnings }] as const];
  }));
}

/** Leaves each certificate to one that renews it: with the same names, or the one that expires last. */
function renewedOnce(
  given: readonly { readonly key: number; readonly valid_to: number }[],
  found: ReadonlyMap<number, Renewable>,
): ReadonlyMap<number, Renewable> {
  const taken = new Set<number>();
  const rank = ({ key, valid_to }: typeof given[number]): [number, number] => [
    found.get(key)?.same === true ? 1 : 0,
    valid_to,
  ];
  const ordered = given.toSorted((one, other) => {
    const [[same, end], [otherSame, otherEnd]] = [rank(one), rank(other)];
    return otherSame - same || otherEnd - end;
  });
  return new Map(ordered.flatMap(({ key }) => {
    const renewable = found.get(key);
    if (renewable === undefined || taken.has(renewable.id)) return [];
    taken.add(renewable.id);
    return [[key, renewable] as const];
  }));
}

/** Reads what is compared of stored certificates, by id. No statement without any. */
async function storedRows(
  { database }: Context,
  found: ReadonlyMap<number, Renewable>,
): Promise<ReadonlyMap<number, CertificateRow>> {
  if (found.size === 0) return new Map();
  const ids = JSON.stringify([...found.values()].map(({ id }) => id));
  const rows = await database.all<CertificateRow>(sql`
    SELECT id, common_name, sans, subject, issuer, valid_from, valid_to, algorithm, key_size, spki_sha256
    FROM certificates WHERE id IN (SELECT value FROM json_each(${ids}))`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns what is compared of a row that is stored, or will be; neither has expired. */
function comparedRow(row: Readonly<Record<string, Cell>>): ComparedCertificate {
  const [subject, issuer] = [String(row.subject), String(row.issuer)];
  return {
    issuer,
    valid_from: formatDatetime(Number(row.valid_from)),
    valid_to: formatDatetime(Number(row.valid_to)),
    algorithm: row.algorithm,
    key_size: row.key_size,
    is_expired: false,
    // Without PEM, the subject is unknown.
    is_self_issued: subject === "" ? isIssuedByName(String(row.common_name), issuer) : subject === issuer,
    spki_sha256: typeof row.spki_sha256 === "string" ? row.spki_sha256 : undefined,
  };
}
