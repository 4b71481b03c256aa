/** Reads the certificates of reports, finds them in the inventory, and adds missing ones. */

import { sql } from "drizzle-orm";
import { type Context, restriction } from "../../../auth/mod.ts";
import { inSlices, type Pause } from "../../../base/pace.ts";
import type { Transaction } from "../../../db/mod.ts";
import { type Condition, EVERYTHING, or } from "../../../filters/mod.ts";
import { plainHex } from "../../../resource/mod.ts";
import { inventoryFields, parseCertificate, readingCertificates } from "../../../x509/mod.ts";
import { type FoundCertificate, storeFound } from "../../certificates/import/mod.ts";
import { certificates, isProvisional } from "../../certificates/mod.ts";
import type { KnownCertificate } from "./evaluate.ts";

/** A certificate that was found, with the certificates that were sent with it. */
export interface Discovery extends Omit<FoundCertificate, "status"> {
  /** Whether it was found where it belongs: a server that has its key serves it, without a problem. */
  readonly isRight: boolean;
}

/**
 * Returns the inventory's certificates by fingerprint. Adds unknown ones once each, if the settings say so: as pending
 * unless they were found where they belong, and by an agent whose user may add or import certificates. At most four
 * statements in addition to those of an import.
 */
export async function knownCertificates(
  ctx: Context,
  tx: Transaction,
  { discoveries, pushedBy }: { discoveries: readonly Discovery[]; pushedBy: Context | undefined },
): Promise<{ known: Map<string, KnownCertificate>; created: number }> {
  const byFingerprint = new Map(
    // Of several, one that was found where it belongs.
    discoveries.toSorted((a, b) => Number(a.isRight) - Number(b.isRight)).map((one) => [
      one.certificate.fingerprintSha256,
      one,
    ]),
  );
  const known = await findKnown(tx, [...byFingerprint.keys()]);
  const { discover } = ctx.settings.probing;
  if (discover === "off") return { known, created: 0 };
  const allowed = pushedBy === undefined ? EVERYTHING : rightToAdd(pushedBy);
  const unknown = [...byFingerprint].flatMap(([fingerprint, found]): FoundCertificate[] => {
    const isActive = discover === "create" && found.isRight && allowed !== undefined;
    return known.has(fingerprint) ? [] : [{ ...found, status: isActive ? "active" : "pending" }];
  });
  const call = { ctx, tx, resource: certificates, allowed: EVERYTHING };
  const finder = pushedBy === undefined || allowed === undefined ? call : { ctx: pushedBy, allowed };
  const stored = await storeFound(call, unknown, finder);
  if (stored.size > 0) {
    const rows = await tx.all<KnownCertificate>(
      sql`SELECT id, status, replaced_by_id, common_name, discovered_via FROM certificates
          WHERE id IN (SELECT value FROM json_each(${JSON.stringify([...stored.values()])}))`,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const [fingerprint, id] of stored) {
      const row = byId.get(id);
      if (row !== undefined) known.set(fingerprint, row);
    }
  }
  return { known, created: stored.size };
}

/** Returns the certificates that the actor may add or import; undefined without either right. */
function rightToAdd(ctx: Context): Condition | undefined {
  const held = ["add", "import"].flatMap((action) => restriction(ctx, action, certificates.map) ?? []);
  return held.length === 0 ? undefined : or(...held);
}

/**
 * Returns the ids of the inventory's other certificates with the same serial number and issuer, by fingerprint. One
 * statement, none if all are known.
 */
export async function conflictingFingerprints(
  tx: Transaction,
  discoveries: readonly Discovery[],
  known: ReadonlyMap<string, KnownCertificate>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const searched = discoveries.flatMap(({ certificate }) => {
    const { fingerprintSha256 } = certificate;
    const stored = known.get(fingerprintSha256);
    if (stored !== undefined && stored.discovered_via === "") return [];
    const { serial_number, issuer } = inventoryFields(certificate);
    return [[plainHex(serial_number, { number: true }), issuer, fingerprintSha256]];
  });
  if (searched.length === 0) return new Map();
  const rows = await tx.all<{ fingerprint: string; id: number }>(
    sql`SELECT searched.value->>2 AS fingerprint, certificates.id FROM json_each(${
      JSON.stringify(searched)
    }) AS searched
        CROSS JOIN certificates ON certificates.serial_hex = searched.value->>0
          AND certificates.issuer = searched.value->>1
        WHERE certificates.fingerprint_hex <> searched.value->>2 AND NOT ${isProvisional("certificates")}`,
  );
  const byFingerprint = Map.groupBy(rows, ({ fingerprint }) => fingerprint);
  return new Map(
    [...byFingerprint].map(([fingerprint, others]) => [fingerprint, others.map(({ id }) => id)]),
  );
}

async function findKnown(
  tx: Transaction,
  fingerprints: readonly string[],
): Promise<Map<string, KnownCertificate>> {
  if (fingerprints.length === 0) return new Map();
  const rows = await tx.all<KnownCertificate & { fingerprint: string }>(
    sql`SELECT requested.value AS fingerprint, c.id, c.status, c.replaced_by_id, c.common_name, c.discovered_via
        FROM json_each(${JSON.stringify(fingerprints)}) AS requested
        CROSS JOIN certificates AS c ON c.fingerprint_hex = requested.value
        ORDER BY ${isProvisional("c")} DESC, c.id DESC`,
  );
  return new Map(rows.map(({ fingerprint, ...row }) => [fingerprint, row]));
}

/** Maximum number of steps from an expected certificate to its last successor. */
const MAX_SUCCESSORS = 50;

/** Returns each expected certificate with its successors, oldest first. One statement. */
export async function successorsOf(
  tx: Transaction,
  ids: readonly number[],
): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  if (ids.length === 0) return found;
  const rows = await tx.all<{ origin: number; id: number }>(
    sql`WITH RECURSIVE line (origin, id, step) AS (
          SELECT value, value, 0 FROM json_each(${JSON.stringify([...new Set(ids)])})
          UNION ALL
          SELECT line.origin, c.replaced_by_id, line.step + 1 FROM line JOIN certificates AS c ON c.id = line.id
          WHERE c.replaced_by_id IS NOT NULL AND line.step < ${MAX_SUCCESSORS}
        ) SELECT origin, id FROM line ORDER BY origin, step`,
  );
  for (const { origin, id } of rows) found.set(origin, [...found.get(origin) ?? [], id]);
  return found;
}

/** Returns the first of the certificates that a file has, and the others in DER; or why it cannot be read. */
export async function fileOf(
  presented: readonly string[],
  pause: Pause,
): Promise<Pick<Discovery, "certificate" | "chain"> | { refused: string }> {
  const ders: Uint8Array[] = [];
  for (const pem of presented) {
    const read = await certificatesOf(pem, pause);
    if ("refused" in read) return read;
    ders.push(...read);
  }
  const [first, ...chain] = ders;
  const certificate = first === undefined ? undefined : parseCertificate(first).certificate;
  return certificate === undefined ? { refused: "Expected a certificate." } : { certificate, chain };
}

/** Returns the DER of the certificates of a PEM text, or why it has none. */
export async function certificatesOf(pem: string, pause: Pause): Promise<Uint8Array[] | { refused: string }> {
  const { members, findings } = await inSlices(readingCertificates(pem), pause);
  if (members.length > 0) return members.map(({ certificate: { der } }) => der);
  return { refused: `${findings[0]?.message ?? "The text has no certificate"}.` };
}
