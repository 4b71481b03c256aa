/** Findings about a certificate's PEM: malformed or unusual parts that do not prevent reading it. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Cell, jsonText } from "../../db/mod.ts";
import type { FilterField } from "../../filters/mod.ts";
import { columnOf, type Field, json } from "../../resource/mod.ts";
import { type Certificate, FINDING_CODES, printable, sectionOf } from "../../x509/mod.ts";

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
export function findingsColumn({ findings }: Certificate): Cell {
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
  return { ...field, read, record: read };
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
