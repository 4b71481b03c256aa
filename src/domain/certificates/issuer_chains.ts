/** Where the chains of certificates are stored. */

import { type SQL, sql } from "drizzle-orm";
import { type SharedTexts, sharedTextSql } from "../../resource/mod.ts";

/** Each chain is stored once; those from before are in `certificate_texts` until a job has moved them. */
export const ISSUER_CHAINS: SharedTexts = {
  texts: "issuer_chains",
  uses: "certificate_issuer_chains",
  own: "certificate_id",
  text: "chain_id",
  earlier: "certificate_texts",
};

/** Returns an expression of the chain of a certificate; empty if it has none. */
export function issuerChainSql(certificateId: SQL): SQL {
  return sql`coalesce(${sharedTextSql("issuer_chain", { ...ISSUER_CHAINS, id: certificateId })}, '')`;
}

/** Returns the condition that a certificate has a chain. The text is not read. */
export function hasIssuerChain(certificateId: SQL): SQL {
  return sql`(EXISTS (SELECT 1 FROM certificate_issuer_chains WHERE certificate_id = ${certificateId})
    OR EXISTS (SELECT 1 FROM certificate_texts WHERE certificate_id = ${certificateId}
      AND octet_length(issuer_chain) > 0))`;
}
