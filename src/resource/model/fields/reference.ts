/** References: one row of another resource, or a list of them through a link table. */

import { issue } from "../../../base/findings.ts";
import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { restrictionSql, visible } from "../../../auth/mod.ts";
import { boundedList } from "../../../base/bounded_list.ts";
import { idsIn, type ObjectRow } from "../../../db/mod.ts";
import { columnOf, matchesNothing } from "../../../filters/mod.ts";
import { briefJson, readBrief } from "../brief.ts";
import type { Resource } from "../definition.ts";
import type { Draft, Field, Link, OnDelete, ResetRule, SelectContext, Values } from "../field.ts";
import type { Brief } from "../objects.ts";
import { fieldBase, type FieldOptions } from "./column.ts";
import { documented, type OrNull, orNull, outputOf, sharedSchema, TEXT_PATTERN } from "./documented.ts";
import { expectedError } from "./messages.ts";

/** Input of a reference: an id, or attributes that identify the object. */
export type ReferenceInput = number | Values;

// `abort`, so that the union reports its own message instead of the one of an alternative.
const NUMERIC = z.union([
  z.int({ abort: true }).positive({ abort: true }),
  z.string().regex(/^\d{1,15}$/, { abort: true }).transform(Number),
]);

/** An object with an id, as the API returns it. Everything else in it is ignored. */
const WITH_ID = z.looseObject({ id: NUMERIC }).transform(({ id }) => id);

/** An attribute in the API document. */
const TEXT = { type: "string", maxLength: 500, pattern: TEXT_PATTERN };

/**
 * Returns the input schema of a reference by `id` or one of `keys`. An object with an id is reduced to it.
 */
export function referenceSchema(keys: readonly string[]): z.ZodType<ReferenceInput> {
  return sharedSchema(`reference ${keys.join(" ")}`, () => makeReferenceSchema(keys));
}

function makeReferenceSchema(keys: readonly string[]): z.ZodType<ReferenceInput> {
  const expected = `an id or an object with ${["id", ...keys].join(" or ")}`;
  const attributes = z.record(z.string(), z.union([z.string().max(500), z.int()]), expectedError(expected))
    .refine(
      (given) => Object.keys(given).some((key) => key === "id" || keys.includes(key)),
      { error: issue("unexpected", { expected }) },
    );
  const schema = z.union([NUMERIC, WITH_ID, attributes], expectedError(expected));
  const names = Object.fromEntries(keys.map((key) => [key, TEXT]));
  return documented(schema, {
    oneOf: [
      { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      {
        type: "object",
        properties: { id: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, ...names },
        anyOf: ["id", ...keys].map((key) => ({ required: [key] })),
        additionalProperties: TEXT,
      },
    ],
  });
}

/** The brief form of any object, for the API document. */
export const BRIEF = z.looseObject({ id: z.int(), url: z.string(), display: z.string() });

const BRIEFS = z.array(BRIEF);

/** Restricts a subquery to rows that the caller may view; undefined if there are none. */
function restricted(target: Resource, context: SelectContext, condition: SQL): SQL | undefined {
  const view = visible(context.ctx, target.map);
  if (matchesNothing(view)) return undefined;
  const restriction = restrictionSql(context.ctx, view, { map: target.map, alias: context.alias });
  return restriction === undefined ? condition : sql`${condition} AND ${restriction}`;
}

/**
 * Defines a reference. It is returned as a brief object (null if the caller may not view it), and written as
 * an id or attributes.
 */
export function reference<const Name extends string, Nullable extends boolean = true>(
  name: Name,
  options: FieldOptions & {
    target: () => Resource;
    keys: readonly string[];
    nullable?: Nullable;
    column?: string;
    onDelete: OnDelete;
    resetRule?: ResetRule;
    requiresView?: true;
  },
): Field<Name, OrNull<Brief, Nullable>, number | null> {
  const column = options.column ?? `${name}_id`;
  const nullable = options.nullable ?? true;
  const schema = referenceSchema(options.keys);
  const raw = (alias: string): readonly [string, SQL] => [column, columnOf(alias, column)];
  return {
    ...fieldBase(name, options),
    ...(options.readOnly ? {} : { input: nullable ? orNull(schema) : schema }),
    output: outputOf(BRIEF, nullable),
    select: (
      context,
    ) => [raw(context.alias), [name, nestedJson({ name, target: options.target(), column }, context)]],
    read: (row, ctx) => {
      const nested = parseNested<ObjectRow>(row[name]);
      return nested === null ? null : readBrief(options.target(), nested, ctx);
    },
    record: { read: (row) => row[column] ?? null, select: (context) => [raw(context.alias)] },
    columns: (value) => ({ [column]: typeof value === "number" ? value : null }),
    ...(nullable && !options.required ? { fallback: null } : {}),
    refers: {
      target: options.target,
      ...(options.requiresView ? { requiresView: true } : {}),
      foreignKey: {
        column,
        onDelete: options.onDelete,
        ...(options.resetRule === undefined ? {} : { resetRule: options.resetRule }),
      },
    },
    filters: {
      [name]: {
        kind: "reference",
        column,
        nullable,
        sortable: true,
        target: () => options.target().map,
        keys: options.keys,
      },
    },
  };
}

/** A value that is the brief form of related rows; `name` distinguishes their tables in a statement. */
interface Nested {
  readonly name: string;
  readonly target: Resource;
}

/** Returns the brief form of the row to which a column refers as JSON; NULL if the caller may not view it. */
export function nestedJson({ column, ...nested }: Nested & { column: string }, context: SelectContext): SQL {
  return nestedJsonOf({ ...nested, id: columnOf(context.alias, column) }, context);
}

/** Returns the brief form of the row with the id `id` as JSON; NULL if the caller may not view it. */
export function nestedJsonOf({ name, target, id }: Nested & { id: SQL }, context: SelectContext): SQL {
  const inner = { alias: `${context.alias}_${name}`, ctx: context.ctx };
  const condition = restricted(
    target,
    inner,
    sql`${columnOf(inner.alias, "id")} = ${id}`,
  );
  if (condition === undefined) return sql`NULL`;
  return sql`(SELECT ${briefJson(target, inner)} FROM ${target.table} AS ${
    sql.identifier(inner.alias)
  } WHERE ${condition})`;
}

/**
 * Decodes nested JSON, whose type the caller's SQL determines. In a packed row it is a value if SQLite knows that it is
 * JSON, otherwise text.
 */
export function parseNested<Value>(cell: unknown): Value | null {
  return typeof cell === "string" ? JSON.parse(cell) : (cell ?? null) as Value | null;
}

/** Defines a list of references through a link table (tags, groups). A write replaces the complete list. */
export function many<const Name extends string>(
  name: Name,
  options: FieldOptions & {
    target: () => Resource;
    keys: readonly string[];
    link: Link;
    /** Name of the filter if it differs from the field's (`tag` for `tags`). */
    filterName?: string;
    max: number;
  },
): Field<Name, Brief[], number[]> {
  const { link } = options;
  const table = sql.identifier(link.table);
  const typed = link.type === undefined ? sql`` : sql` AND ${sql.identifier("object_type")} = ${link.type}`;
  const rawName = `${name}_ids`;
  const own = (alias: string): SQL => sql`${sql.identifier(link.own)} = ${columnOf(alias, "id")}${typed}`;
  const lookup = {
    kind: "many" as const,
    target: () => options.target().map,
    keys: options.keys,
    ids: (targets: SQL) =>
      sql`SELECT ${sql.identifier(link.own)} FROM ${table} WHERE ${
        sql.identifier(link.other)
      } IN (${targets})${typed}`,
    ...(options.filterName === undefined ? {} : { plural: name }),
  };
  return {
    ...fieldBase(name, options),
    input: sharedSchema(
      `references ${options.max} ${options.keys.join(" ")}`,
      () => boundedList(referenceSchema(options.keys), { max: options.max, ...expectedError("a list") }),
    ),
    output: BRIEFS,
    select: (context) => [[name, listJson({ name, target: options.target(), link }, context)]],
    read: (row, ctx) =>
      (parseNested<ObjectRow[]>(row[name]) ?? []).map((item) => readBrief(options.target(), item, ctx)),
    record: {
      read: (row) => parseNested<number[]>(row[rawName]) ?? [],
      select: ({ alias }) => [[
        rawName,
        sql`(SELECT json_group_array(other) FROM (SELECT ${
          sql.identifier(link.other)
        } AS other FROM ${table} WHERE ${own(alias)} ORDER BY 1))`,
      ]],
    },
    side: {
      store: (drafts) => storeLinks(drafts, name, link),
      values: ({ input }) => ({ [rawName]: ascending(givenIds(input[name])) }),
    },
    fallback: [],
    many: true,
    refers: { target: options.target, link },
    filters: options.filter === false ? {} : { [options.filterName ?? name]: lookup },
  };
}

function listJson({ name, target, link }: Nested & { link: Link }, context: SelectContext): SQL {
  const inner = { alias: `${context.alias}_${name}`, ctx: context.ctx };
  const links = `${inner.alias}_links`;
  const typed = link.type === undefined ? sql`` : sql` AND ${columnOf(links, "object_type")} = ${link.type}`;
  const linked = sql`${columnOf(links, link.own)} = ${columnOf(context.alias, "id")}${typed}`;
  const condition = restricted(target, inner, linked);
  if (condition === undefined) return sql`'[]'`;
  const order = columnOf(inner.alias, target.brief[0] ?? "id");
  // Ordered in the subquery, because a libSQL server does not support ORDER BY inside an aggregate. CROSS
  // JOIN forces SQLite to start with the few links of a row instead of scanning the other table.
  return sql`(SELECT json_group_array(json(item)) FROM (SELECT ${briefJson(target, inner)} AS item FROM ${
    sql.identifier(link.table)
  } AS ${sql.identifier(links)} CROSS JOIN ${target.table} AS ${sql.identifier(inner.alias)} ON ${
    columnOf(inner.alias, "id")
  } = ${columnOf(links, link.other)} WHERE ${condition} ORDER BY ${order}))`;
}

function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function storeLinks(drafts: readonly Draft[], name: string, link: Link): SQL[] {
  const given = drafts.filter((draft) => name in draft.input);
  const table = sql.identifier(link.table);
  const own = sql.identifier(link.own);
  const typed = link.type === undefined ? sql`` : sql` AND ${sql.identifier("object_type")} = ${link.type}`;
  const statements: SQL[] = [];
  const changed = given.filter((draft) => draft.before !== undefined).map((draft) => draft.id);
  if (changed.length > 0) {
    statements.push(
      sql`DELETE FROM ${table} WHERE ${own} IN ${idsIn(changed)}${typed}`,
    );
  }
  const pairs = given.flatMap((draft) =>
    [...new Set(givenIds(draft.input[name]))].map((other) => [draft.id, other])
  );
  if (pairs.length > 0) {
    const columns = link.type === undefined ? sql`` : sql`, ${sql.identifier("object_type")}`;
    const constant = link.type === undefined ? sql`` : sql`, ${link.type}`;
    statements.push(
      sql`INSERT INTO ${table} (${own}, ${
        sql.identifier(link.other)
      }${columns}) SELECT value->>0, value->>1${constant} FROM json_each(${JSON.stringify(pairs)})`,
    );
  }
  return statements;
}

/** Returns the ids in a list of references of a draft's input; none if it has none. */
export function givenIds(given: unknown): number[] {
  return Array.isArray(given) ? given : [];
}

/** Returns the target of a reference. Throws for another field, which is a defect of a definition. */
export function requireTarget({ name, refers }: Pick<Field, "name" | "refers">): Resource {
  if (refers?.target === undefined) throw new Error(`Field "${name}" is not a reference`);
  return refers.target();
}

/** Returns the ids in a list of references before a change; none for a new object. */
export function linksOf({ before }: Pick<Draft, "before">, field: string): number[] {
  return parseNested<number[]>(before?.[`${field}_ids`]) ?? [];
}
