/** Finds the authority that issued a certificate: by its key, else by the longest pattern in the issuer's name. */

import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/mod.ts";
import { certificate_authorities } from "../../db/schema/mod.ts";
import type { Draft } from "../../resource/mod.ts";
import { NO_VERDICT } from "./no_verdict.ts";

interface Authority {
  id: number;
  issuer_pattern: string;
  subject_key_id: string | null;
}

/**
 * Sets `issuing_ca` of drafts whose issuer is new, or that have no authority yet, and whose authority was not named.
 * One statement at the most.
 */
export async function matchAuthorities(tx: Transaction, drafts: readonly Draft[]): Promise<void> {
  const open = drafts.filter((draft) =>
    (draft.input.issuing_ca ?? null) === null &&
    !("issuing_ca" in draft.input && draft.before !== undefined) &&
    saysIssuer(draft)
  );
  if (open.length === 0) return;
  const authorities = await tx.all<Authority>(
    sql`SELECT id, issuer_pattern, subject_key_id FROM ${certificate_authorities}
        WHERE issuer_pattern <> '' OR subject_key_id IS NOT NULL ORDER BY length(issuer_pattern) DESC, id`,
  );
  for (const draft of open) {
    // A certificate that has lost its PEM has lost its key identifier, too.
    const keyId =
      ("authority_key_id" in draft.row ? draft.row.authority_key_id : draft.before?.authority_key_id) ?? null;
    const issuer = String(draft.input.issuer ?? draft.before?.issuer ?? "").toLowerCase();
    const found = authorities.find((one) => keyId !== null && one.subject_key_id === keyId) ??
      authorities.find((one) =>
        one.issuer_pattern !== "" && issuer.includes(one.issuer_pattern.toLowerCase())
      );
    const authorityId = found?.id ?? null;
    draft.row.issuing_ca_id = authorityId;
    if (draft.before !== undefined && draft.before.issuing_ca_id !== authorityId) {
      Object.assign(draft.row, NO_VERDICT);
    }
  }
}

/** Whether its issuer is to be looked at: what is written again as it was does not undo a choice. */
function saysIssuer({ input, before }: Draft): boolean {
  const said = ["issuer", "pem_content"].filter((name) => name in input);
  return said.length > 0 &&
    ((before?.issuing_ca_id ?? null) === null || said.some((name) => input[name] !== before?.[name]));
}
