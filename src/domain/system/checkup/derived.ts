/** What is kept beside a certificate for quick answers, and must follow from it. */

import { type SQL, sql } from "drizzle-orm";
import { type Check, counted, judged } from "./finding.ts";

/** Ids of certificates, or of rows that belong to one, where the two do not agree. */
const RULES: readonly { readonly what: string; readonly ids: SQL }[] = [
  {
    what: "names of certificate",
    ids: sql`SELECT id FROM certificates AS c
      WHERE json_array_length(c.sans) <> (SELECT count(*) FROM certificate_sans WHERE certificate_id = c.id)
        OR EXISTS (SELECT 1 FROM json_each(c.sans) AS name LEFT JOIN certificate_sans AS kept
          ON kept.certificate_id = c.id AND kept.position = name.key WHERE kept.value IS NOT name.value)`,
  },
  {
    what: "search index without certificate",
    ids: sql`SELECT id FROM certificates WHERE id NOT IN (SELECT id FROM certificate_search_docsize)`,
  },
  {
    what: "search index of an absent certificate",
    ids: sql`SELECT id FROM certificate_search_docsize WHERE id NOT IN (SELECT id FROM certificates)`,
  },
  {
    what: "count of the certificates from",
    ids: sql`SELECT block * 1024 AS id FROM (
        SELECT id >> 10 AS block, count(*) AS n FROM certificates GROUP BY 1
        EXCEPT SELECT block, n FROM certificate_blocks
      ) UNION SELECT block * 1024 FROM (
        SELECT block, n FROM certificate_blocks
        EXCEPT SELECT id >> 10, count(*) FROM certificates GROUP BY 1
      )`,
  },
  {
    what: "text of certificate",
    ids:
      sql`SELECT c.id AS id FROM certificates AS c LEFT JOIN certificate_texts AS t ON t.certificate_id = c.id
      WHERE c.has_pem <> (coalesce(t.pem_content, '') <> '')`,
  },
];

/** Names, search index, counts and texts agree with the certificates. */
export const checkDerived: Check = async ({ database }) => {
  const answers = await database.batch(RULES.map(({ ids }) => ids));
  const wrong = RULES.flatMap(({ what }, index) => (answers[index] ?? []).map(({ id }) => `${what} ${id}`));
  return judged("derived", {
    wrong,
    well: "Names, search index and counts follow from the certificates",
    ill: (count) => `${counted(count, "row")} do not agree with the certificates`,
  });
};
