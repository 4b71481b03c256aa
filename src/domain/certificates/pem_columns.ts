/** Columns, fields and filters that only the PEM of a certificate can fill; what is malformed in it. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { sha256Hex } from "../../base/bytes.ts";
import { type Cell, jsonText } from "../../db/mod.ts";
import type { FilterField } from "../../filters/mod.ts";
import { choice, columnOf, derived, type Field, json, text } from "../../resource/mod.ts";
import {
  type Certificate,
  FINDING_CODES,
  kindOf,
  KINDS,
  printable,
  sectionOf,
  USAGES,
  usagesOf,
} from "../../x509/mod.ts";
import type { CertificateRow } from "./resource.ts";

/** Maximum length of a stored message, because a certificate may contain long object identifiers. */
const MAX_MESSAGE_CHARS = 300;

const Findings = z.array(z.object({
  code: z.string(),
  message: z.string().describe("What is wrong, and where."),
  section: z.string().describe("The section that is violated."),
}));

/** Findings as they are stored and shown. */
export type StoredFindings = z.infer<typeof Findings>;

/** Returns the column with the findings of a certificate. */
function findingsColumn({ findings }: Certificate): Cell {
  return jsonText(findings.map(({ code, message }) => ({
    code,
    message: shortened(printable(message.toWellFormed())),
    section: sectionOf(code),
  })));
}

/** Reads the column. */
export function readFindings(cell: Cell | undefined): StoredFindings {
  return JSON.parse(String(cell));
}

/** Returns the read-only field `findings`. */
export function findingsField(): Field<"findings", StoredFindings> {
  const field = json("findings", {
    description: "What is malformed or unusual in the PEM, although it can be read.",
    schema: Findings,
    readOnly: true,
  });
  const read = (row: Record<string, Cell>): StoredFindings => readFindings(row.findings);
  return { ...field, read, record: { read } };
}

/**
 * The filters `finding` and `has_findings`, which use the table that triggers maintain, and `weak_key`: an RSA or DSA key
 * below 2,048 bits, or an elliptic-curve key below 256 bits (CA/B BR 6.1.5). DSA keys have the algorithm `unknown`; of
 * the other unknown ones, those that have a size (Ed448, GOST) have at most 512 bits.
 */
export const findingFilters: Record<string, FilterField> = {
  finding: {
    kind: "predicate",
    type: "choice",
    choices: FINDING_CODES,
    condition: (code, { alias }) =>
      sql`${columnOf(alias, "id")} IN (SELECT certificate_id FROM certificate_findings WHERE code = ${code})`,
  },
  weak_key: {
    kind: "predicate",
    type: "boolean",
    condition: (value, { alias }) => {
      const [algorithm, size] = [columnOf(alias, "algorithm"), columnOf(alias, "key_size")];
      const weak = sql`CASE ${algorithm} WHEN 'rsa' THEN ${size} < 2048 WHEN 'ecdsa' THEN ${size} < 256
        WHEN 'unknown' THEN ${size} > 512 AND ${size} < 2048 END`;
      return value ? sql`(${size} < 2048 AND ${weak})` : sql`(${weak}) IS NOT TRUE`;
    },
  },
  has_findings: {
    kind: "predicate",
    type: "boolean",
    condition: (value, { alias }) => {
      const id = columnOf(alias, "id");
      return value
        ? sql`${id} IN (SELECT certificate_id FROM certificate_findings)`
        : sql`NOT EXISTS (SELECT 1 FROM certificate_findings WHERE certificate_id = ${id})`;
    },
  },
};

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > MAX_MESSAGE_CHARS ? `${characters.slice(0, MAX_MESSAGE_CHARS).join("")}…` : text;
}

/** The columns of a certificate without PEM. */
export const NO_PEM: Record<string, Cell> = {
  subject: "",
  has_pem: 0,
  pem_matches: null,
  authority_key_id: null,
  spki_sha256: null,
  findings: "[]",
  usages: "[]",
  scts: 0,
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
    scts: certificate.signedTimestamps ?? 0,
    kind: kindOf(certificate),
    key_algorithm: publicKey.curve ?? publicKey.name,
    signature_algorithm: signatureAlgorithm.name,
  };
}

/** Returns the filter for a word of a column with a JSON list of words. */
export function listed(column: string, choices: readonly string[]): FilterField {
  return {
    kind: "predicate",
    type: "choice",
    choices,
    condition: (word, { alias }) => sql`instr(${columnOf(alias, column)}, ${`"${word}"`}) > 0`,
  };
}

const usages = json("usages", {
  description:
    "What the certificate may be used for: its extended key usages, `ca` for an authority, `any` without limits. " +
    "Empty without PEM.",
  schema: z.array(z.enum(USAGES)),
  readOnly: true,
});

/** Names of keys that quantum computers cannot break; the filter has the same patterns. */
const POST_QUANTUM = /ML-DSA|SLH-DSA|^MLDSA/i;

/** The fields `usages`, `kind`, `key_algorithm` and `signature_algorithm`. */
export const USAGE_FIELDS = [
  {
    ...usages,
    filters: { usage: listed("usages", USAGES) },
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
    defaultOperator: "iexact",
  }),
  text("signature_algorithm", {
    description: "Algorithm of the signature (`ecdsa-with-SHA384`); empty without PEM.",
    readOnly: true,
    defaultOperator: "iexact",
  }),
  derived("post_quantum", {
    description: "Whether the key is ML-DSA, SLH-DSA or a composite of ML-DSA and another algorithm.",
    output: z.boolean(),
    needs: ["key_algorithm"],
    read: ({ key_algorithm }: Pick<CertificateRow, "key_algorithm">) => POST_QUANTUM.test(key_algorithm),
    filters: {
      post_quantum: {
        kind: "predicate",
        type: "boolean",
        condition: (value, { alias }) => {
          const name = columnOf(alias, "key_algorithm");
          const is = sql`(${name} LIKE '%ML-DSA%' OR ${name} LIKE '%SLH-DSA%' OR ${name} LIKE 'MLDSA%')`;
          return value ? is : sql`NOT ${is}`;
        },
      },
    },
  }),
];
