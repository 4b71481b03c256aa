/** Checks data that is derived from certificates to make queries fast. */

import { type SQL, sql } from "drizzle-orm";
import { counted } from "../../../base/amounts.ts";
import { type Check, toCheckResult } from "./check_result.ts";

/** Statements that return the ids of certificates with wrong derived rows. */
const RULES: readonly { readonly fault: string; readonly ids: SQL }[] = [
  {
    fault: "names of certificate",
    ids: sql`SELECT c.id AS id FROM certificates AS c, json_each(c.sans) AS element WHERE NOT EXISTS (
        SELECT 1 FROM certificate_sans AS kept WHERE kept.value COLLATE NOCASE = element.value
          AND kept.certificate_id = c.id AND kept.position = element.key AND kept.value = element.value)
      UNION SELECT certificate_id FROM certificate_sans AS kept WHERE NOT EXISTS (
        SELECT 1 FROM certificates AS c WHERE c.id = kept.certificate_id AND c.sans ->> kept.position = kept.value)`,
  },
  {
    fault: "findings of certificate",
    ids: sql`SELECT certificate_id AS id FROM certificate_findings AS kept WHERE NOT EXISTS (
        SELECT 1 FROM certificates AS c, json_each(c.findings) AS finding
        WHERE c.id = kept.certificate_id AND finding.value ->> 'code' = kept.code)
      UNION SELECT c.id FROM certificates AS c, json_each(c.findings) AS finding WHERE NOT EXISTS (
        SELECT 1 FROM certificate_findings WHERE code = finding.value ->> 'code' AND certificate_id = c.id)`,
  },
  {
    fault: "search index without certificate",
    ids: sql`SELECT id FROM certificates WHERE id NOT IN (
        SELECT id FROM certificate_search_docsize UNION ALL SELECT id FROM unindexed_certificates)`,
  },
  {
    fault: "search index of missing certificate",
    ids: sql`SELECT id FROM certificate_search_docsize WHERE id NOT IN (SELECT id FROM certificates)`,
  },
  {
    fault: "count of the certificates from",
    ids: sql`SELECT block * 1024 AS id FROM (
        SELECT id >> 10 AS block, count(*) AS n FROM certificates GROUP BY 1
        EXCEPT SELECT block, n FROM certificate_blocks
      ) UNION SELECT block * 1024 FROM (
        SELECT block, n FROM certificate_blocks
        EXCEPT SELECT id >> 10, count(*) FROM certificates GROUP BY 1
      )`,
  },
  {
    fault: "unused chain",
    ids: sql`SELECT id FROM issuer_chains WHERE NOT EXISTS (
        SELECT 1 FROM certificate_issuer_chains WHERE chain_id = issuer_chains.id)`,
  },
  {
    fault: "text of certificate",
    ids:
      sql`SELECT c.id AS id FROM certificates AS c LEFT JOIN certificate_texts AS t ON t.certificate_id = c.id
      WHERE c.has_pem <> (coalesce(t.pem_content, '') <> '' OR t.der IS NOT NULL)`,
  },
];

/** Checks names, findings, search index, counts and texts. */
export const checkDerived: Check = async ({ database }) => {
  const answers = await database.batch(RULES.map(({ ids }) => ids));
  const wrong = RULES.flatMap(({ fault }, index) => (answers[index] ?? []).map(({ id }) => `${fault} ${id}`));
  return toCheckResult("derived", {
    wrong,
    ok: "Names, search index and counts match the certificates",
    problem: (count) => `${counted(count, "row")} ${count === 1 ? "does" : "do"} not match the certificates`,
  });
};
