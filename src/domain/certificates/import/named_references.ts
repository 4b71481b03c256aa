/** Resolves the tenants, tags and authorities that tables and forms name by texts. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, nameableSql, visibleSql } from "../../../auth/mod.ts";
import { listText, numberText } from "../../../base/amounts.ts";
import { addFinding, addSome, type Finding, finding } from "../../../base/findings.ts";
import { memoize } from "../../../base/memoize.ts";
import { nearest } from "../../../base/nearest.ts";
import type { ObjectRow, Reader } from "../../../db/mod.ts";
import { columnOf, quote, type Resource } from "../../../resource/mod.ts";
import { authorities } from "../../authorities/mod.ts";
import { MAX_TAGS, tags, tenants } from "../../inventory/mod.ts";
import type { ImportRow } from "./rows.ts";
import { first } from "../../../base/first.ts";

interface Reference {
  readonly target: Resource;
  /** Attributes by which an object is found, the preferred one first: the one that exports write. */
  readonly by: readonly string[];
  /** Maximum number of objects of a cell; absent if it names one. */
  readonly max?: number;
}

/** Columns whose texts name objects. */
const NAMED_COLUMNS = ["tenant", "tags", "issuing_ca"] as const;
export type NamedColumn = typeof NAMED_COLUMNS[number];

/** The objects of the columns. An authority has no slug. An id in a table is that of another service. */
const REFERENCES: Readonly<Record<NamedColumn, Reference>> = {
  tenant: { target: tenants, by: ["name", "slug", "id"] },
  tags: { target: tags, by: ["slug", "name"], max: MAX_TAGS },
  issuing_ca: { target: authorities, by: ["name"] },
};

/** Maximum number of objects among which names in another case and suggestions are searched. */
const MAX_CANDIDATES = 1000;
/** Maximum number of texts of a column for which a suggestion is made. Each is compared with all candidates. */
const MAX_SUGGESTIONS = 20;

/** Values of objects to which the columns refer. */
type Owned = Readonly<Partial<Record<NamedColumn, unknown>>>;

/**
 * Replaces texts by ids. A text that matches no object that the caller may view is an error of its row. One
 * statement for each column, and one more for each with texts that no object matches exactly.
 */
export async function resolveNames<Body extends Owned>(
  access: { ctx: Context; tx: Reader },
  rows: readonly ImportRow<Body>[],
): Promise<ImportRow<Body>[]> {
  let resolved = [...rows];
  for (const column of NAMED_COLUMNS) {
    const reference = REFERENCES[column];
    resolved = resolved.map((row) => withoutTooMany(row, column, reference));
    const textsOf = ({ named = {} }: Pick<ImportRow, "named">): readonly string[] => named[column] ?? [];
    const texts = [...new Set(resolved.flatMap(textsOf))];
    if (texts.length === 0) continue;
    const found = await findObjects(access, reference, texts);
    resolved = resolved.map((row) => {
      const own = textsOf(row);
      return own.length === 0 ? row : withIds(row, own, { column, reference, found });
    });
  }
  return resolved;
}

/** Refuses a cell with too many texts before they are searched: a cell of 1 MiB may have 100,000. */
function withoutTooMany<Body extends Owned>(
  row: ImportRow<Body>,
  column: NamedColumn,
  { max = 1 }: Reference,
): ImportRow<Body> {
  const texts = new Set(row.named?.[column]);
  if (texts.size <= max) return row;
  const errors = [...row.errors];
  addFinding(errors, column, finding("too_many_elements", { max, count: numberText(texts.size) }));
  return { ...row, errors, named: { ...row.named, [column]: [] } };
}

/** A text that names no object. */
interface Unknown {
  readonly reference: Reference;
  readonly text: string;
  /** Objects among which a suggestion is searched. */
  readonly candidates: readonly ObjectRow[];
  /** Objects that have the name in another case. */
  readonly same: readonly ObjectRow[];
}

/** The id for each text, if it names an object. */
type Found = ReadonlyMap<string, number | Unknown>;

async function findObjects(
  access: { ctx: Context; tx: Reader },
  reference: Reference,
  texts: readonly string[],
): Promise<Found> {
  const { target, by } = reference;
  const attribute = (name: string): SQL => {
    const column = columnOf(target.map.table, name);
    return name === "id" ? sql`CAST(${column} AS TEXT)` : sql`${column}`;
  };
  const searched = sql`(SELECT value FROM json_each(${JSON.stringify(texts)}))`;
  const exact = await read(access, reference, {
    condition: sql.join(by.map((name) => sql`${attribute(name)} IN ${searched}`), sql` OR `),
  });
  const found = new Map<string, number | Unknown>();
  for (const name of by) {
    for (const object of exact) {
      const text = String(object[name]);
      if (!found.has(text)) found.set(text, object.id);
    }
  }
  const rest = texts.filter((text) => !found.has(text));
  if (rest.length === 0) return found;
  const sameName = sql`${columnOf(target.map.table, "name")} COLLATE NOCASE IN (
    SELECT value FROM json_each(${JSON.stringify(rest)}))`;
  const candidates = await read(access, reference, { first: sameName });
  const names = Map.groupBy(candidates, ({ name }) => folded(String(name)));
  for (const [index, text] of rest.entries()) {
    const same = names.get(folded(text)) ?? [];
    const compared = index < MAX_SUGGESTIONS ? candidates : [];
    found.set(
      text,
      same.length === 1 ? first(same).id : { reference, text, candidates: compared, same },
    );
  }
  return found;
}

/**
 * Reads objects that the caller may name and that match a condition; or visible ones, as many as are compared, those that
 * match `first` before others.
 */
async function read(
  { ctx, tx }: { ctx: Context; tx: Reader },
  { target, by }: Reference,
  { condition, first }: { condition?: SQL; first?: SQL },
): Promise<ObjectRow[]> {
  const alias = getTableName(target.table);
  const seen = (condition === undefined ? visibleSql : nameableSql)(ctx, target.map, alias) ?? sql`1`;
  const columns = [...new Set(["id", "name", ...by])].map((name) => columnOf(alias, name));
  return await tx.all<ObjectRow>(
    sql`SELECT ${sql.join(columns, sql`, `)} FROM ${target.table}
      WHERE (${condition ?? sql`1`}) AND ${seen}${
      first === undefined ? sql`` : sql` ORDER BY ${first} DESC LIMIT ${MAX_CANDIDATES}`
    }`,
  );
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

const ATTRIBUTES: Readonly<Record<string, string>> = { id: "ID" };

/**
 * Returns why a text names no object: it does not exist, or several have the name in another case. Called only for
 * texts that are reported, because messages for all texts of a large table would take seconds.
 */
const reasonOf = memoize(({ reference: { target, by }, text, candidates, same }: Unknown): Finding => {
  const { label, labelPlural } = target;
  if (same.length > 1) {
    const names = listText(same.slice(0, 3).map(({ name }) => quote(name)));
    return finding("ambiguous_object", { quoted: quote(text), types: labelPlural, names });
  }
  const attributes = listText(by.map((name) => ATTRIBUTES[name] ?? name), "or");
  const byName = new Map(
    candidates.flatMap((one) =>
      by.filter((name) => name !== "id").map((name) =>
        [folded(String(one[name])), String(one[name])] as const
      )
    ),
  );
  const near = nearest(folded(text), byName.keys());
  const suggestion = near === undefined ? undefined : byName.get(near);
  const meant = suggestion === undefined ? undefined : quote(suggestion);
  const unknown = finding("unknown_object", { type: label, attributes, quoted: quote(text), meant });
  return { ...unknown, params: { ...unknown.params, text: shownText(text), suggestion } };
});

/** Returns a text as pages have it, which offer another one in its place: with symbols for null characters. */
export function shownText(text: string): string {
  return text.replaceAll("\0", "\u2400");
}

function withIds<Body extends Owned>(
  row: ImportRow<Body>,
  texts: readonly string[],
  { column, reference, found }: { column: NamedColumn; reference: Reference; found: Found },
): ImportRow<Body> {
  const ids: number[] = [];
  const errors = [...row.errors];
  const unknown: Unknown[] = [];
  for (const text of new Set(texts)) {
    const one = found.get(text);
    if (typeof one === "number") ids.push(one);
    else if (one !== undefined) unknown.push(one);
  }
  addSome(errors, column, { wrong: unknown, reason: reasonOf });
  const others = row.body[column];
  const value = reference.max !== undefined
    ? [...Array.isArray(others) ? others : [], ...new Set(ids)]
    : ids[0];
  return ids.length === 0 ? { ...row, errors } : { ...row, errors, body: { ...row.body, [column]: value } };
}
