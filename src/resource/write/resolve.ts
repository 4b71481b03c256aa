/**
 * Resolves references (ids or attributes) to the ids of rows that the caller may name. References to hidden
 * objects, which the caller has read as null, are kept when an object is updated.
 */

import { addFinding, concerns, type Finding, finding } from "../../base/findings.ts";
import { getTableName, sql } from "drizzle-orm";
import { type Context, nameableSql, permittedIds, visibleSql } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import { idsIn, jsonText, type ObjectRow, type Reader } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { Draft, Field, Values } from "../model/field.ts";
import { columnOf, isDictionary } from "../../filters/mod.ts";
import { givenIds, linksOf, type ReferenceInput, requireTarget } from "../model/fields/reference.ts";
import { quote } from "../model/fields/messages.ts";

/** Resolves all references of all drafts. One statement per reference field in the input, two for lists. */
export async function resolveReferences(
  resource: Resource,
  drafts: readonly Draft[],
  { ctx, reader }: { ctx: Context; reader: Reader },
): Promise<void> {
  for (const field of Object.values(resource.fields)) {
    if (field.refers?.targets !== undefined) await resolveGeneric(field, drafts, { ctx, reader });
    if (field.refers?.target === undefined) continue;
    const target = field.refers.target();
    const references = drafts.flatMap((draft) => inputsOf(field, draft));
    if (references.length > 0) {
      const find = await findTargets(field, references, { ctx, reader });
      for (const draft of drafts) resolveOne(field, draft, find);
    }
    if (field.many) await keepHiddenLinks({ ctx, reader, drafts }, { field: field.name, target });
    const column = field.refers?.foreignKey?.column;
    if (column !== undefined) {
      await keepHiddenReference({ ctx, reader, drafts }, { field: field.name, column, target });
      refuseNull(field, drafts);
    }
  }
}

/**
 * Refuses an input that names objects that do not exist or are hidden. For operations that may find nothing to store,
 * so that their answer does not depend on hidden objects. Errors: invalid (by field).
 */
export async function requireReferences(
  resource: Resource,
  input: Readonly<Values>,
  access: { ctx: Context; reader: Reader },
): Promise<void> {
  const draft: Draft = { id: 0, input: { ...input }, row: {}, errors: [], reveal: {} };
  await resolveReferences(resource, [draft], access);
  if (draft.errors.length > 0) throw invalid(draft.errors);
}

function inputsOf(field: Field, draft: Draft): ReferenceInput[] {
  const value = draft.input[field.name];
  if (value === undefined || value === null) return [];
  return [value].flat().filter((one) => typeof one === "number" || isDictionary(one));
}

function resolveOne(
  field: Field,
  draft: Draft,
  find: (reference: ReferenceInput) => number | undefined,
): void {
  const resolved: number[] = [];
  const references = inputsOf(field, draft);
  if (references.length === 0) return;
  for (const one of references) {
    const id = find(one);
    if (id === undefined) addFinding(draft.errors, field.name, unresolved(one));
    else resolved.push(id);
  }
  draft.input[field.name] = field.many ? resolved : resolved[0] ?? null;
}

/** Returns the error for a hidden or missing object. */
function unresolved(reference: ReferenceInput): Finding {
  return typeof reference === "number"
    ? finding("related_not_found", { id: reference })
    : finding("related_not_found_by", { value: quote(reference) });
}

async function findTargets(
  field: Field,
  references: readonly ReferenceInput[],
  { ctx, reader }: { ctx: Context; reader: Reader },
): Promise<(reference: ReferenceInput) => number | undefined> {
  const target = requireTarget(field);
  const alias = getTableName(target.table);
  const keys = attributeKeys(target, references);
  const ids = references.map((one) => typeof one === "number" ? one : one.id).filter((id) =>
    typeof id === "number"
  );
  const tests = [sql`${columnOf(alias, "id")} IN ${idsIn(ids)}`];
  for (const key of keys) {
    const values = references.flatMap((one) => typeof one === "object" && key in one ? [one[key]] : []);
    tests.push(sql`${columnOf(alias, key)} IN (SELECT value FROM json_each(${jsonText(values)}))`);
  }
  const seen = (field.refers?.requiresView ? visibleSql : nameableSql)(ctx, target.map, alias);
  const columns = ["id", ...keys].map((key) => columnOf(alias, key));
  const rows = await reader.all<ObjectRow>(
    sql`SELECT ${sql.join(columns, sql`, `)} FROM ${target.table} WHERE (${sql.join(tests, sql` OR `)})${
      seen === undefined ? sql`` : sql` AND ${seen}`
    }`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return (one) => {
    if (typeof one === "number") return byId.has(one) ? one : undefined;
    const matches = rows.filter((row) =>
      Object.entries(one).every((
        [key, value],
      ) => (key === "id" || keys.includes(key) ? String(row[key]) === String(value) : true))
    );
    return matches.length === 1 ? matches[0]?.id : undefined;
  };
}

/** Returns the attributes in the input that are columns of the target. */
function attributeKeys(target: Resource, references: readonly ReferenceInput[]): string[] {
  const keys = new Set(references.flatMap((one) => typeof one === "object" ? Object.keys(one) : []));
  return ["name", "slug", "model", "username", "common_name"].filter((key) =>
    keys.has(key) && key in target.fields
  );
}

/** Checks that the targets of a generic reference exist and that the caller may name them. One statement for all types. */
async function resolveGeneric(
  { refers: { targets = [], foreignKey } = {} }: Field,
  drafts: readonly Draft[],
  { ctx, reader }: { ctx: Context; reader: Reader },
): Promise<void> {
  const { column = "", typeColumn = "" } = foreignKey ?? {};
  const kept: Draft[] = [];
  for (const target of targets) {
    const own = drafts.filter(({ before, input }) =>
      before?.[typeColumn] === target.objectType &&
      (!(typeColumn in input) || input[typeColumn] === target.objectType)
    );
    kept.push(...await keepHiddenReference({ ctx, reader, drafts: own }, { field: column, column, target }));
  }
  const given = drafts.flatMap((draft) => {
    if (kept.includes(draft) || !(typeColumn in draft.input) && !(column in draft.input)) return [];
    const [type, id] = [typeColumn, column].map((name) =>
      name in draft.input ? draft.input[name] : draft.before?.[name] ?? null
    );
    if (concerns(draft.errors, typeColumn) || concerns(draft.errors, column)) return [];
    if (type === null && id === null) return [];
    if (typeof type === "string" && typeof id === "number") return [{ draft, type, id }];
    addFinding(draft.errors, type === null ? typeColumn : column, finding("required"));
    return [];
  });
  const found = new Map<string, Set<number>>();
  const parts = targets.flatMap((target) => {
    found.set(target.objectType, new Set());
    const ids = given.filter(({ type }) => type === target.objectType).map(({ id }) => id);
    if (ids.length === 0) return [];
    const alias = getTableName(target.table);
    const seen = nameableSql(ctx, target.map, alias) ?? sql`1`;
    const id = columnOf(alias, "id");
    return [
      sql`SELECT ${target.objectType} AS type, ${id} AS id FROM ${target.table} WHERE ${id} IN ${
        idsIn(ids)
      } AND ${seen}`,
    ];
  });
  if (parts.length === 0) return;
  const rows = await reader.all<{ type: string; id: number }>(sql.join(parts, sql` UNION ALL `));
  for (const { type, id } of rows) found.get(type)?.add(id);
  for (const { draft, type, id } of given) {
    if (!found.get(type)?.has(id)) addFinding(draft.errors, column, unresolved(id));
  }
}

/**
 * Adds linked objects that the caller may not view to a written list, which would otherwise remove them
 * without the caller's knowledge. At most one statement, none for a caller who may view all objects.
 */
export async function keepHiddenLinks(
  { ctx, reader, drafts }: { ctx: Context; reader: Reader; drafts: readonly Draft[] },
  { field, target }: { field: string; target: Resource },
): Promise<void> {
  const before = new Map(
    drafts.filter((draft) => field in draft.input).map((draft) => [draft, linksOf(draft, field)]),
  );
  const ids = [...new Set([...before.values()].flat())];
  const seen = await permittedIds({ ctx, reader }, { action: "view", map: target.map, ids });
  for (const [draft, links] of before) {
    const hidden = links.filter((id) => !seen.has(id));
    if (hidden.length > 0) draft.input[field] = [...givenIds(draft.input[field]), ...hidden];
  }
}

/** Refuses null for a reference that every object has. */
function refuseNull({ name, input: schema }: Field, drafts: readonly Draft[]): void {
  // An unknown object is refused already.
  const cleared = drafts.filter(({ input, errors }) => input[name] === null && !concerns(errors, name));
  if (cleared.length === 0 || schema?.safeParse(null).success !== false) return;
  for (const { input, errors } of cleared) {
    delete input[name];
    addFinding(errors, name, finding("not_null"));
  }
}

/**
 * Keeps a reference to an object that the caller may not view if the caller writes null, because null is what
 * the caller has read. Returns the drafts that keep theirs. At most one statement, none for a caller who may view
 * all objects.
 */
async function keepHiddenReference(
  { ctx, reader, drafts }: { ctx: Context; reader: Reader; drafts: readonly Draft[] },
  { field, column, target }: { field: string; column: string; target: Resource },
): Promise<Draft[]> {
  const cleared = drafts.flatMap((draft) => {
    const id = draft.input[field] === null ? draft.before?.[column] : undefined;
    return typeof id === "number" ? [{ draft, id }] : [];
  });
  const ids = [...new Set(cleared.map(({ id }) => id))];
  const seen = await permittedIds({ ctx, reader }, { action: "view", map: target.map, ids });
  const kept = cleared.filter(({ id }) => !seen.has(id));
  for (const { draft, id } of kept) draft.input[field] = id;
  return kept.map(({ draft }) => draft);
}
