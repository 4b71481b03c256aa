/**
 * Suggests the certificate that was issued for a request: one that has the same public key and was created
 * later.
 */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { restrictionSql, visible } from "../../auth/mod.ts";
import type { ObjectRow } from "../../db/mod.ts";
import { matchesNothing } from "../../filters/mod.ts";
import {
  type Brief,
  briefJson,
  columnOf,
  derived,
  type Field,
  parseNested,
  readBrief,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";

/**
 * Defines the field `suggested_certificate` of pending and approved requests without a result. Certificates
 * created before the request are not suggested, because a renewal often keeps the key.
 */
export function suggestionField(): Field<"suggested_certificate", Brief | null> {
  const name = "suggested_certificate";
  const { table } = certificates;
  return {
    ...derived(name, {
      description:
        "While the request is open: the newest certificate with the same public key that was created after the request.",
      output: z.looseObject({ id: z.int(), url: z.string(), display: z.string() }).nullable(),
      needs: [],
      read: (row, ctx) => {
        const found = parseNested<ObjectRow>(row[name]);
        return found === null ? null : readBrief(certificates, found, ctx);
      },
    }),
    refers: { shows: () => certificates },
    select: ({ alias, ctx }) => {
      const seen = visible(ctx, certificates.map);
      if (matchesNothing(seen)) return [[name, sql`NULL`]];
      const inner = `${alias}_suggestion`;
      const restricted = restrictionSql(ctx, seen, { map: certificates.map, alias: inner }) ?? sql`1`;
      const own = (column: string): SQL => columnOf(alias, column);
      const its = (column: string): SQL => columnOf(inner, column);
      return [[
        name,
        sql`(SELECT ${briefJson(certificates, { alias: inner, ctx })} FROM ${table} AS ${
          sql.identifier(inner)
        }
          WHERE ${indexed(its("spki_sha256"))} = ${indexed(own("spki_sha256"))}
            AND ${its("spki_sha256")} = ${own("spki_sha256")} AND ${its("created")} >= ${own("created")}
            AND ${own("status")} IN ('pending', 'approved') AND ${own("resulting_certificate_id")} IS NULL
            AND ${restricted} ORDER BY ${its("created")} DESC, ${its("id")} DESC LIMIT 1)`,
      ]];
    },
  };
}

/** Returns the part of a hash that the index contains. */
function indexed(hash: SQL): SQL {
  return sql`substr(${hash}, 1, 16)`;
}
