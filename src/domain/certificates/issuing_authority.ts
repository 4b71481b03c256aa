/** Finds the authority of a certificate. */

import { sql } from "drizzle-orm";
import type { Cell, Transaction } from "../../db/mod.ts";
import { certificate_authorities } from "../../db/schema/mod.ts";
import type { Draft } from "../../resource/mod.ts";
import type { CertificateDraft } from "./resource.ts";

/** Values of a chain that was not validated, or whose result is no longer valid. */
export const NO_CHAIN_STATUS: Record<string, Cell> = {
  chain_status: null,
  chain_is_valid: null,
  chain_depth: null,
  chain_validation_message: "",
  chain_validated_at: null,
  chain_errors: "[]",
  publicly_trusted: null,
};

interface Authority {
  readonly id: number;
  readonly issuer_pattern: string;
  readonly subject_key_id: string | null;
  readonly latest: number | null;
}

/** Returns the authority that issued a certificate with this issuer and authority key identifier. */
export interface FindAuthority {
  (issuer: string, keyId: string | null): number | null;
  /** The latest known expiry of the certificate of each authority without a PEM; 0 for none. */
  readonly latest: Map<number, number>;
}

/**
 * Sets `issuing_ca` of drafts whose issuer changed or that have no authority, unless the input gives one. At
 * most one statement.
 */
export async function matchAuthorities(tx: Transaction, drafts: readonly CertificateDraft[]): Promise<void> {
  for (const { input, before, row } of drafts) {
    const given = input.issuing_ca ?? null;
    if (given !== null && given !== before?.issuing_ca_id) row.issuing_ca_found = 0;
  }
  const open = drafts.filter((draft) =>
    (draft.input.issuing_ca ?? null) === null &&
    !("issuing_ca" in draft.input && draft.before !== undefined) &&
    givesIssuer(draft)
  );
  if (open.length === 0) return;
  const authorityOf = await authorityFinder(tx);
  for (const { input, before, row } of open) {
    // A certificate without PEM has no key identifier.
    const keyId = "authority_key_id" in row ? row.authority_key_id : before?.authority_key_id;
    row.issuing_ca_id = authorityOf(
      input.issuer ?? before?.issuer ?? "",
      typeof keyId === "string" ? keyId : null,
    );
    row.issuing_ca_found = 1;
    if (before !== undefined && before.issuing_ca_id !== row.issuing_ca_id) {
      Object.assign(row, NO_CHAIN_STATUS);
    }
  }
}

/** Reads the authorities. One statement. */
export async function authorityFinder(tx: Transaction): Promise<FindAuthority> {
  // A template, because every write of a certificate runs it, and the query builder takes many times as long.
  const authorities = await tx.all<Authority>(
    sql`SELECT id, issuer_pattern, subject_key_id, iif(pem_content = '', ifnull(valid_to, 0), NULL) AS latest FROM ${certificate_authorities}
        WHERE issuer_pattern <> '' OR subject_key_id IS NOT NULL ORDER BY length(issuer_pattern) DESC, id`,
  );
  const byKeyId = new Map(authorities.toReversed().map(({ subject_key_id, id }) => [subject_key_id, id]));
  const patterns = authorities.filter(({ issuer_pattern }) => issuer_pattern !== "")
    .map(({ issuer_pattern, id }) => ({ id, pattern: issuer_pattern.toLowerCase() }));
  // Most certificates of an import have one of a few issuers.
  const byIssuer = new Map<string, number | null>();
  const idByIssuer = (issuer: string): number | null => {
    const known = byIssuer.get(issuer);
    if (known !== undefined) return known;
    const folded = issuer.toLowerCase();
    const id = patterns.find(({ pattern }) => folded.includes(pattern))?.id ?? null;
    byIssuer.set(issuer, id);
    return id;
  };
  const find = (issuer: string, keyId: string | null): number | null =>
    (keyId === null ? undefined : byKeyId.get(keyId)) ?? idByIssuer(issuer);
  const latest = new Map(
    authorities.flatMap(({ id, latest }) => latest === null ? [] : [[id, latest] as const]),
  );
  return Object.assign(find, { latest });
}

/** Returns whether the input changes the issuer. Writing the same values again keeps a manually chosen authority. */
function givesIssuer({ input, before }: Draft): boolean {
  const given = ["issuer", "pem_content"].filter((name) => name in input);
  return given.length > 0 &&
    ((before?.issuing_ca_id ?? null) === null || given.some((name) => input[name] !== before?.[name]));
}
