/** Columns and fields that only the PEM of a certificate can fill. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { sha256Hex } from "../../base/bytes.ts";
import type { Cell } from "../../db/mod.ts";
import type { FilterField } from "../../filters/mod.ts";
import { choice, columnOf, json, text } from "../../resource/mod.ts";
import { type Certificate, kindOf, KINDS, USAGES, usagesOf } from "../../x509/mod.ts";
import { findingsColumn } from "./findings.ts";

/** The columns of a certificate without PEM. */
export const NO_PEM: Record<string, Cell> = {
  subject: "",
  has_pem: 0,
  pem_matches: null,
  authority_key_id: null,
  spki_sha256: null,
  findings: "[]",
  usages: "[]",
  kind: "server",
  key_algorithm: "",
  signature_algorithm: "",
};

/** Returns the columns of a certificate with PEM. */
export function pemColumns(certificate: Certificate): Record<string, Cell> {
  const { subject, authorityKeyId, publicKey, signatureAlgorithm } = certificate;
  return {
    subject: subject.text,
    has_pem: 1,
    authority_key_id: authorityKeyId?.toHex() ?? null,
    spki_sha256: sha256Hex(publicKey.spki),
    findings: findingsColumn(certificate),
    usages: JSON.stringify(usagesOf(certificate)),
    kind: kindOf(certificate),
    key_algorithm: publicKey.curve ?? publicKey.name,
    signature_algorithm: signatureAlgorithm.name,
  };
}

const USAGE_FILTER: FilterField = {
  kind: "predicate",
  type: "choice",
  choices: USAGES,
  condition: (usage, { alias }) => sql`instr(${columnOf(alias, "usages")}, ${`"${usage}"`}) > 0`,
};

const usages = json("usages", {
  description:
    "What the certificate may be used for: its extended key usages, `ca` for an authority, `any` without limits. " +
    "Empty without PEM.",
  schema: z.array(z.enum(USAGES)),
  readOnly: true,
});

/** The fields `usages`, `kind`, `key_algorithm` and `signature_algorithm`. */
export const USAGE_FIELDS = [
  {
    ...usages,
    filters: { usage: USAGE_FILTER },
  },
  choice("kind", {
    description:
      "What it is mainly for: `ca` for an authority, `server` also if nothing is known, `client` for client " +
      "authentication only.",
    choices: KINDS,
    readOnly: true,
  }),
  text("key_algorithm", {
    description:
      "Algorithm of the public key in the words of the RFCs (`RSA`, `P-256`, `ML-DSA-65`); empty without PEM.",
    readOnly: true,
  }),
  text("signature_algorithm", {
    description: "Algorithm of the signature (`ecdsa-with-SHA384`); empty without PEM.",
    readOnly: true,
  }),
];
