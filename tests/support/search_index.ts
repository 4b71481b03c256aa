/** The full-text index of names, which certificates enter in groups. */

import { sql } from "drizzle-orm";

/** Puts the certificates into the index that are not in it yet. */
export const INDEX_ALL = sql`INSERT INTO certificate_search (rowid, common_name, issuer, sans)
  SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
  FROM unindexed_certificates`;
