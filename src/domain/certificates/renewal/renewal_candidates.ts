/** Finds possible successors: same tenant, a name in common, a later start or expiry. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { authorize, type Context, restrictionSql } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { MAX_RENEWAL_CANDIDATES } from "../../../base/limits.ts";
import { andAll, type Row } from "../../../db/mod.ts";
import { selectList } from "../../../resource/mod.ts";
import {
  type Certificate,
  type CertificateRow,
  certificates,
  namesOf,
  sameNamesSql,
  STATUSES,
  unarchived,
} from "../mod.ts";

/** A possible successor. */
export const RenewalCandidate = z.object({
  id: z.int(),
  url: z.string(),
  display: z.string(),
  common_name: z.string(),
  serial_number: z.string(),
  issuer: z.string(),
  valid_from: z.string(),
  valid_to: z.string(),
  status: z.enum(STATUSES),
  sans: z.array(z.string()),
});

export type RenewalCandidate = z.infer<typeof RenewalCandidate>;

const FIELDS = Object.keys(RenewalCandidate.shape);

/**
 * Returns possible successors that the caller may view, latest expiry first. Errors: forbidden, not_found.
 * @param options.wide Whether those with exactly the same names come first, those without tenant are included, and all
 *   have their tenant. One without tenant has to get the tenant of the certificate before it can be its successor.
 */
export async function renewalCandidates(
  { ctx, id, wide = false }: { ctx: Context; id: number; wide?: boolean },
): Promise<(RenewalCandidate & Pick<Certificate, "tenant">)[]> {
  const { map } = certificates;
  const seen = restrictionSql(ctx, authorize(ctx, "view", map), { map });
  const [old] = await ctx.database.all<CertificateRow>(
    sql`SELECT id, common_name, sans, tenant_id, valid_from, valid_to FROM certificates WHERE ${
      andAll(sql`certificates.id = ${id}`, seen)
    }`,
  );
  if (old === undefined) throw notFound();
  const given = namesOf(old);
  // NOCASE compares only ASCII letters ignoring case, which is enough for host names. Other names match as
  // written or in lower case.
  const searched = [...new Set([...given, ...given.map((name) => name.toLowerCase())])];
  const names = sql`(SELECT value FROM json_each(${JSON.stringify(searched)}))`;
  const condition = andAll(
    sql`certificates.id IN (
          SELECT id FROM certificates WHERE common_name COLLATE NOCASE IN ${names}
          UNION SELECT certificate_id FROM certificate_sans WHERE value COLLATE NOCASE IN ${names})`,
    sql`certificates.id <> ${id}`,
    wide
      ? sql`(certificates.tenant_id IS NULL OR certificates.tenant_id = ${old.tenant_id})`
      : sql`certificates.tenant_id IS ${old.tenant_id}`,
    sql`(certificates.valid_to > ${old.valid_to} OR certificates.valid_from > ${old.valid_from})
        AND certificates.valid_to >= ${ctx.clock.now()} AND certificates.status IN ('active', 'pending')`,
    unarchived("certificates"),
    seen,
  );
  const selection = { brief: false, omit: [], long: false, fields: wide ? [...FIELDS, "tenant"] : FIELDS };
  const packed = selectList(certificates, selection, ctx);
  const rank = wide ? sql`(${sameNamesSql("certificates", sql`${JSON.stringify(given)}`)}) DESC, ` : sql``;
  const rows = await ctx.database.all<Row>(
    sql`SELECT ${packed.list} FROM certificates WHERE ${condition}
        ORDER BY ${rank}certificates.valid_to DESC, certificates.id DESC LIMIT ${MAX_RENEWAL_CANDIDATES}`,
  );
  return packed.read(rows, ctx);
}
