/** Generic references to an object of one of several resources, by object type and id (`dcim.device`, 5). */

import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import type { Row } from "../../../db/mod.ts";
import { columnOf, type FilterField, type ShownAs, type ViewRestriction } from "../../../filters/mod.ts";
import { readBrief } from "../brief.ts";
import type { Field, OnDelete, Resource, SelectContext } from "../definition.ts";
import { type FieldOptions, masked, oneCell, shownColumn } from "./column.ts";
import { derived } from "./derived.ts";
import { orNull } from "./documented.ts";
import { BRIEF, nestedJson, parseNested } from "./reference.ts";
import { integer } from "./scalar.ts";
import { choice } from "./text.ts";

/** Options of a generic reference. */
export interface GenericOptions extends FieldOptions {
  /** Prefix of the column names: `<prefix>_type` and `<prefix>_id`. */
  prefix: string;
  targets: readonly Resource[];
  onDelete: Extract<OnDelete, "restrict" | "cascade">;
}

/**
 * Returns three fields: `<prefix>_type` and `<prefix>_id`, which can be written, and `name`, the read-only
 * brief form of the target. All are null if the caller may not view it. A write is refused unless the target
 * exists and is visible.
 */
export function generic(name: string, options: GenericOptions): Field[] {
  const { prefix, targets, required = false } = options;
  const [typeColumn, column] = [`${prefix}_type`, `${prefix}_id`];
  const nullable = !required;
  const target = options.description.replace(/^./, (first) => first.toLowerCase());
  const type = choice(typeColumn, {
    description: `Object type of ${target}`,
    choices: targets.map((target) => target.objectType),
    required,
    nullable,
  });
  const id = integer(column, { description: `Id of ${target}`, min: 1, required, nullable });
  const seen: ShownAs = (alias, shown) => shownTarget({ alias, shown }, { typeColumn, column, targets });
  return [
    hideable(type, (alias, shown) => {
      const id = seen(alias, shown);
      return id === undefined ? undefined : sql`iif(${id} IS NULL, NULL, ${columnOf(alias, typeColumn)})`;
    }),
    hideable(id, seen),
    {
      ...derived(name, {
        description: options.description,
        output: BRIEF.nullable(),
        needs: [],
        read: (row, ctx) => {
          const target = targets.find((one) => one.objectType === row[typeColumn]);
          const object = parseNested(row[name]) as Row | null;
          return target === undefined || object === null ? null : readBrief(target, object, ctx);
        },
      }),
      select: (context) => [
        [typeColumn, columnOf(context.alias, typeColumn)],
        [name, briefOf(name, context, { typeColumn, column, targets })],
      ],
      targets,
      foreignKey: { column, typeColumn, onDelete: options.onDelete },
    },
  ];
}

/** Returns a field that is null for hidden objects. */
function hideable(field: Field, shownAs: ShownAs): Field {
  return { ...masked(field, shownAs), output: field.required ? orNull(field.output) : field.output };
}

/** The columns of a generic reference, and the resources of its targets. */
interface GenericColumns {
  readonly typeColumn: string;
  readonly column: string;
  readonly targets: readonly Resource[];
}

/** Returns the id of the target, or NULL if the caller may not view it; undefined if no target can be hidden. */
function shownTarget(
  { alias, shown }: { alias: string; shown: ViewRestriction },
  { typeColumn, column, targets }: GenericColumns,
): SQL | undefined {
  const ids = targets.map((target, index) => shownId({ alias, shown }, { column, target, index }));
  if (ids.every((id) => id === undefined)) return undefined;
  const cases = targets.map(({ objectType }, index) =>
    sql`WHEN ${objectType} THEN ${ids[index] ?? columnOf(alias, column)}`
  );
  return sql`CASE ${columnOf(alias, typeColumn)} ${sql.join(cases, sql` `)} END`;
}

/** Returns the id in a column, or NULL if the caller may not view its row; undefined if no row can be hidden. */
function shownId(
  { alias, shown }: { alias: string; shown: ViewRestriction },
  { column, target, index = 0 }: { column: string; target: Resource; index?: number },
): SQL | undefined {
  const inner = `${alias}_${column}${index}`;
  const seen = shown(target.map, inner);
  if (seen === undefined) return undefined;
  const id = columnOf(inner, "id");
  return sql`(SELECT ${id} FROM ${target.table} AS ${sql.identifier(inner)}
    WHERE ${id} = ${columnOf(alias, column)} AND ${seen})`;
}

function briefOf(
  name: string,
  context: SelectContext,
  { typeColumn, column, targets }: GenericColumns,
): SQL {
  const cases = targets.map((target, index) =>
    sql`WHEN ${target.objectType} THEN ${nestedJson({ name: `${name}${index}`, target, column }, context)}`
  );
  return sql`CASE ${columnOf(context.alias, typeColumn)} ${sql.join(cases, sql` `)} END`;
}

/**
 * Returns a field with the brief form of the row to which another field's `column` refers, if that field
 * itself is returned as an id.
 */
export function nested(
  name: string,
  options: { description: string; column: string; target: () => Resource },
): Field {
  return {
    ...derived(name, {
      description: options.description,
      output: BRIEF.nullable(),
      needs: [],
      read: (row, ctx) => {
        const object = parseNested(row[name]) as Row | null;
        return object === null ? null : readBrief(options.target(), object, ctx);
      },
    }),
    select: (
      context,
    ) => [[name, nestedJson({ name, target: options.target(), column: options.column }, context)]],
    shows: options.target,
  };
}

/** Returns a reference that is returned as an id; null if the caller may not view its object. */
export function idReference(field: Field): Field {
  const column = field.foreignKey?.column as string;
  const target = field.target as () => Resource;
  return masked(
    { ...field, output: z.int().nullable(), read: oneCell({ column }) },
    (alias, shown) => shownId({ alias, shown }, { column, target: target() }),
  );
}

/**
 * Returns a filter on the targets of one type of a generic reference: by id, name and related fields
 * (`device__tenant`).
 * @param table The resource's table, with `<prefix>_type` and `<prefix>_id`.
 */
export function targetFilter(table: SQLiteTable, prefix: string, target: Resource): FilterField {
  return {
    kind: "many",
    target: () => target.map,
    keys: ["name"],
    anyOf: true,
    ids: (targets) =>
      sql`SELECT id FROM ${table} WHERE ${sql.identifier(`${prefix}_type`)} = ${target.objectType} AND ${
        sql.identifier(`${prefix}_id`)
      } IN (${targets})`,
  };
}

/** Returns the text of a generic reference for the display of a row, which may be one of the change log. */
export function targetText(row: Row, prefix: string): string {
  const [type, id] = [`${prefix}_type`, `${prefix}_id`].map((column) => {
    const seen = row[shownColumn(column)];
    return seen === undefined ? row[column] : seen;
  });
  return type === null ? "an object that you may not view" : `${type} ${id}`;
}
