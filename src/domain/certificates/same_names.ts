/** Names that certificates cover, and certificates with the same names as a new one, which it probably renews. */

import { type Finding, finding } from "../../base/findings.ts";
import { type SQL, sql } from "drizzle-orm";
import { type Context, isGranted, restriction, restrictionSql, visible } from "../../auth/mod.ts";
import { listText, numberText } from "../../base/amounts.ts";
import { andAll, where } from "../../db/mod.ts";
import { matchesNothing, NOTHING } from "../../filters/mod.ts";
import { quote } from "../../resource/mod.ts";
import { allNames } from "../../x509/mod.ts";
import { unarchived } from "./archive.ts";
import { type CertificateRow, certificates } from "./resource.ts";

/** Returns the common name and the alternative names. */
export function namesOf({ common_name, sans }: Named): string[] {
  return allNames(common_name, JSON.parse(sans));
}

/** The columns with the names of a certificate. */
type Named = Pick<CertificateRow, "common_name" | "sans">;

/** Returns the names that a successor does not cover. A wildcard covers one label (RFC 6125 §6.4.3). */
export function lostNames(old: readonly string[], successor: readonly string[]): string[] {
  const covered = new Set(successor.map((name) => name.toLowerCase()));
  return [...new Set(old)].filter((name) => {
    const lower = name.toLowerCase();
    return !covered.has(lower) && !covered.has(lower.replace(/^[^.*]+\./, "*."));
  });
}

/** Returns whether two certificates share a name, ignoring case. */
export function shareName(one: Named, other: Named): boolean {
  const names = new Set(namesOf(one).map((name) => name.toLowerCase()));
  return namesOf(other).some((name) => names.has(name.toLowerCase()));
}

/** Returns the error about a successor that has other names than the certificate, with the first names of both. */
export function noSharedName(old: Named, successor: Named): Finding {
  return finding("no_shared_name", { successor: quotedNames(successor), old: quotedNames(old) });
}

/** Number of names of each certificate in an error. */
const MAX_QUOTED_NAMES = 3;

function quotedNames(row: Named): string {
  const given = namesOf(row).filter((name) => name !== "");
  const names = [...new Map(given.map((name) => [name.toLowerCase(), name])).values()];
  const others = names.length - MAX_QUOTED_NAMES;
  return listText([
    ...names.slice(0, MAX_QUOTED_NAMES).map(quote),
    ...(others > 0 ? [`${numberText(others)} more`] : []),
  ]);
}

/** A certificate that is new, or will be imported. */
export interface NewCertificate {
  /** Identifies it in the result. */
  readonly key: number;
  /** Its id; absent before it is stored. */
  readonly id?: number;
  readonly common_name: string;
  readonly sans: readonly string[];
  /** In milliseconds. */
  readonly valid_from: number;
  readonly valid_to: number;
  /** Id of its tenant; null without one. */
  readonly tenant: number | null;
}

/** An older certificate with the same common name, or many names in common, which has no successor. */
export interface Renewable {
  readonly id: number;
  readonly common_name: string;
  /** In milliseconds. */
  readonly valid_to: number;
  /** Whether the caller may renew it. */
  readonly permitted: boolean;
  /** Whether both have exactly the same names. */
  readonly same: boolean;
  /** Number of its names, and of those that the new one has as well. */
  readonly names: number;
  readonly shared: number;
}

/** A {@link Renewable} as it is selected. */
type RenewableRow =
  & Pick<CertificateRow, "id" | "common_name" | "valid_to">
  & Record<"key" | "permitted" | "same" | "namesake" | "names" | "shared", number>;

/** The newest certificates that are compared for each common name: a name that very many share must not take long. */
const MAX_COMPARED = 100;
/** Alternative names for which certificates with other names are searched, and the newest ones of each. */
const MAX_SEARCHED_NAMES = 8;
const MAX_COMPARED_PARTLY = 10;

/**
 * Returns the SQL condition that a certificate has exactly the names of a JSON list, the common name among them.
 * The case of ASCII letters is ignored.
 */
export function sameNamesSql(alias: string, names: SQL): SQL {
  const column = (name: string): SQL => sql`${sql.identifier(alias)}.${sql.identifier(name)}`;
  const own = sql`json_each(json_insert(${column("sans")}, '$[#]', ${column("common_name")}))`;
  return sql`NOT EXISTS (SELECT 1 FROM ${own} WHERE lower(value) NOT IN (SELECT lower(value) FROM json_each(${names})))
    AND NOT EXISTS (SELECT 1 FROM json_each(${names}) WHERE lower(value) NOT IN (SELECT lower(value) FROM ${own}))`;
}

/**
 * Returns for each new certificate the one that it would renew, if the caller may view it: with the same names, `active`,
 * `pending` or `expired`, without successor, and of the same tenant unless the new one has none. Of several, an active one
 * with the latest expiry. One statement.
 * @param options.partly Whether, if none has the same names, one is returned with the same common name, or of which the
 *   new one has most of the names (of several, the one that shares most).
 */
export async function findRenewable(
  ctx: Context,
  given: readonly NewCertificate[],
  { partly = false }: { partly?: boolean } = {},
): Promise<ReadonlyMap<number, Renewable>> {
  const { map } = certificates;
  const seen = visible(ctx, map);
  if (given.length === 0 || matchesNothing(seen)) return new Map();
  const items = given.map(({ common_name, sans, ...one }) => ({
    ...one,
    name: common_name,
    names: [common_name, ...sans],
    others: sans.filter((name) => name !== common_name).slice(0, MAX_SEARCHED_NAMES),
  }));
  const item = (name: string): SQL => sql`json_extract(item.value, ${`$.${name}`})`;
  const others = sql`SELECT also.value FROM json_each(item.value, '$.others') AS other
      CROSS JOIN json_each((SELECT json_group_array(id) FROM (${
    namedSql(sql`other.value`, MAX_COMPARED_PARTLY)
  }))) AS also`;
  const named = sql`${namedSql(item("name"), MAX_COMPARED)}${partly ? sql` UNION ${others}` : sql``}`;
  const same = sameNamesSql("certificates", item("names"));
  const condition = where(
    sql`certificates.id IS NOT ${item("id")} AND certificates.replaced_by_id IS NULL`,
    sql`certificates.status IN ('active', 'pending', 'expired')`,
    // Of two stored ones with the same names, only one renews the other: the one that begins later.
    sql`(certificates.valid_from < ${item("valid_from")} OR certificates.valid_to < ${item("valid_to")}
      AND (${item("id")} IS NULL OR certificates.valid_from = ${item("valid_from")}))`,
    sql`(${item("tenant")} IS NULL OR certificates.tenant_id = ${item("tenant")})`,
    unarchived("certificates"),
    restrictionSql(ctx, seen, { map }),
    partly ? undefined : same,
  );
  // The joins in this order: other plans would scan the certificates for each new one.
  const rows = await ctx.database.all<RenewableRow>(sql`
    SELECT ${item("key")} AS key, certificates.id, certificates.common_name, certificates.valid_to,
      ${permittedSql(ctx)} AS permitted, ${same} AS same, ${namesSql(sql`1`)} AS names,
      ${namesSql(sql`lower(value) IN (SELECT lower(value) FROM json_each(${item("names")}))`)} AS shared,
      ${item("name")} <> '' AND lower(certificates.common_name) = lower(${item("name")}) AS namesake
    FROM json_each(${JSON.stringify(items)}) AS item
      CROSS JOIN json_each((SELECT json_group_array(id) FROM (${named}))) AS found
      CROSS JOIN certificates ON certificates.id = found.value${condition}
    ORDER BY same, shared, namesake, certificates.status = 'active', certificates.valid_to, certificates.id`);
  const alike = rows.filter(({ same, namesake, shared, names }) =>
    same === 1 || namesake === 1 || 2 * shared > names
  );
  return new Map(
    alike.map(({ key, id, common_name, valid_to, permitted, same, names, shared }) => [
      key,
      { id, common_name, valid_to, permitted: permitted === 1, same: same === 1, names, shared },
    ]),
  );
}

/** Returns the statement that selects the ids of the newest certificates with a name. */
function namedSql(name: SQL, most: number): SQL {
  return sql`
    SELECT id FROM (SELECT id FROM certificates AS same WHERE same.common_name COLLATE NOCASE = ${name}
      ORDER BY id DESC LIMIT ${most})
    UNION
    SELECT id FROM (SELECT certificate_id AS id FROM certificate_sans WHERE value COLLATE NOCASE = ${name}
      ORDER BY certificate_id DESC LIMIT ${most})`;
}

/** Returns the number of names of a certificate that match a condition, as SQL. */
function namesSql(condition: SQL): SQL {
  return sql`(SELECT count(DISTINCT lower(value))
    FROM json_each(json_insert(certificates.sans, '$[#]', certificates.common_name)) WHERE ${condition})`;
}

/** Returns whether the caller may renew a certificate, as SQL: the operation needs both actions. */
function permittedSql(ctx: Context): SQL {
  const { map } = certificates;
  const actions = ["renew", "change"];
  if (!actions.every((action) => isGranted(ctx, action, map.objectType))) return sql`0`;
  const conditions = actions.map((action) =>
    restrictionSql(ctx, restriction(ctx, action, map) ?? NOTHING, { map })
  );
  return sql`coalesce(${andAll(sql`1`, ...conditions)}, 0)`;
}
