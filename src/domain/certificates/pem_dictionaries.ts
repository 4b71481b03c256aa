/** What certificates of one issuer have in common, against which their DER is compressed. */

import { sql } from "drizzle-orm";
import { sha256Hex } from "../../base/bytes.ts";
import { memoize } from "../../base/memoize.ts";
import { perDatabase, type Transaction } from "../../db/mod.ts";
import { pem_dictionaries } from "../../db/schema/mod.ts";
import type { Draft, WriteStep } from "../../resource/mod.ts";
import type { Certificate } from "../../x509/mod.ts";

/** A dictionary that is in the database. */
export interface PemDictionary {
  readonly id: number;
  readonly content: Uint8Array;
  /** The content as SQLite's hex() returns it. */
  readonly hex: string;
}

/** Dictionaries of a database: some 600 bytes each, which processes keep in memory. Later issuers have none. */
const MAX_DICTIONARIES = 1_000;
/** Bytes of a dictionary: more than usual certificates have in common. */
const MAX_DICTIONARY_BYTES = 2_000;
/** Hex digits of an issuer's hash: 48 bits, which JSON and SQLite keep exactly. */
const ISSUER_DIGITS = 12;

/** Committed dictionaries by issuer. */
const dictionariesOf = perDatabase(() => new Map<number, PemDictionary>());

/**
 * Dictionaries by the input of drafts, which copies of a draft share. Drafts are of `resource/`, which knows no
 * certificates, so they have no field for it.
 */
const chosen = new WeakMap<Draft["input"], PemDictionary>();

/** Returns the dictionary for the PEM of a draft, if its issuer has one. */
export function dictionaryOf(draft: Draft): PemDictionary | undefined {
  return chosen.get(draft.input);
}

/** The hash of an issuer's name, which several imported certificates share. */
const issuerOf = memoize((certificate: Certificate): number =>
  parseInt(sha256Hex(certificate.issuer.der).slice(0, ISSUER_DIGITS), 16)
);

/** A certificate that a draft writes. */
interface Written {
  readonly draft: Draft;
  readonly certificate: Certificate;
}

/**
 * Finds the dictionaries of certificates that drafts write, and makes one for an issuer that has another certificate.
 * One statement if the dictionary of an issuer is not known, otherwise none.
 */
export async function chooseDictionaries(
  { ctx, tx }: Pick<WriteStep, "ctx" | "tx">,
  written: readonly Written[],
): Promise<void> {
  const committed = dictionariesOf(ctx.database);
  const byIssuer = new Map<number, Written[]>();
  for (const one of written) {
    const issuer = issuerOf(one.certificate);
    const known = committed.get(issuer);
    if (known !== undefined) chosen.set(one.draft.input, known);
    else byIssuer.set(issuer, [...byIssuer.get(issuer) ?? [], one]);
  }
  if (byIssuer.size === 0) return;
  const found = await storedOrNew(tx, byIssuer);
  for (const [issuer, dictionary] of found) {
    for (const { draft } of byIssuer.get(issuer) ?? []) chosen.set(draft.input, dictionary);
  }
  // Not before: what a rolled back transaction has stored would be missing.
  tx.afterCommit(() => {
    for (const [issuer, dictionary] of found) committed.set(issuer, dictionary);
  });
}

/** Returns the dictionaries of issuers, and makes those that are missing: together they may exceed the maximum. */
async function storedOrNew(
  tx: Transaction,
  byIssuer: ReadonlyMap<number, readonly Written[]>,
): Promise<Map<number, PemDictionary>> {
  const candidates = [...byIssuer].map(([issuer, [first, second]]) => [
    issuer,
    first?.draft.input.issuer ?? "",
    Number(second !== undefined),
    first === undefined ? "" : commonPart(first.certificate).toHex(),
  ]);
  const rows = await tx.all<{ issuer: number; id: number; content: string }>(
    sql`INSERT INTO ${pem_dictionaries} (issuer, content)
      SELECT value ->> 0, unhex(value ->> 3) FROM json_each(${JSON.stringify(candidates)})
      WHERE EXISTS (SELECT 1 FROM ${pem_dictionaries} WHERE issuer = value ->> 0)
        OR (value ->> 2 = 1 OR EXISTS (SELECT 1 FROM certificates WHERE issuer = value ->> 1))
          AND (SELECT count(*) FROM ${pem_dictionaries}) < ${MAX_DICTIONARIES}
      ON CONFLICT (issuer) DO UPDATE SET issuer = excluded.issuer RETURNING issuer, id, hex(content) AS content`,
  );
  return new Map(
    rows.map((
      { issuer, id, content },
    ) => [issuer, { id, content: Uint8Array.fromHex(content), hex: content }]),
  );
}

/** Extensions that differ from certificate to certificate. */
const OWN_EXTENSIONS: readonly string[] = ["subjectAltName", "subjectKeyIdentifier"];

/**
 * Returns a certificate without what others do not repeat: its key and signature, and its names, which are deleted with
 * the certificate.
 */
function commonPart({ der, subject, publicKey, extensions, signature }: Certificate): Uint8Array {
  const own = [
    subject.der,
    publicKey.bits,
    signature,
    ...extensions.filter(({ name }) => OWN_EXTENSIONS.includes(name)).map(({ value }) => value),
  ];
  const kept: Uint8Array[] = [];
  let from = 0;
  for (const [start, end] of own.map((part) => placeIn(der, part)).sort(([a], [b]) => a - b)) {
    if (start > from) kept.push(der.subarray(from, start));
    from = Math.max(from, end);
  }
  kept.push(der.subarray(from));
  return Uint8Array.from(kept.flatMap((part) => [...part.subarray(0, MAX_DICTIONARY_BYTES)]))
    .slice(0, MAX_DICTIONARY_BYTES);
}

/** Returns where a part of the DER begins and ends. */
function placeIn(der: Uint8Array, part: Uint8Array): [start: number, end: number] {
  const start = part.byteOffset - der.byteOffset;
  return part.buffer === der.buffer && start >= 0 ? [start, start + part.length] : [0, 0];
}
