/** Generic references to an object of one of several resources, by object type and id (`dcim.device`, 5). */

import type { OrNull } from "./documented.ts";
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import type { ObjectRow, Row } from "../../../db/mod.ts";
import { columnOf, type FilterField, shownId } from "../../../filters/mod.ts";
import { readBrief } from "../brief.ts";
import type { Resource } from "../definition.ts";
import type { Field, OnDelete, SelectContext } from "../field.ts";
import type { Brief } from "../objects.ts";
import { type FieldOptions, masked, oneCell, shownColumn } from "./column.ts";
import { derived } from "./derived.ts";
import { BRIEF, nestedJson, parseNested, requireTarget } from "./reference.ts";
import { integer } from "./scalar.ts";
import { choice } from "./text.ts";

/** Options of a generic reference. */
export interface GenericOptions<Prefix extends string, Required extends boolean> extends FieldOptions {
  required?: Required;
  /** Prefix of the column names: `<prefix>_type` and `<prefix>_id`. */
  prefix: Prefix;
  targets: readonly Resource[];
  onDelete: Extract<OnDelete, "restrict" | "cascade">;
}

type Optional<Required extends boolean> = Required extends true ? false : true;

/**
 * Returns three fields: `<prefix>_type` and `<prefix>_id`, which can be written, and `name`, the read-only
 * brief form of the target. Id and brief form are null if the caller may not view it. A write is refused unless
 * the target exists and is visible.
 */
export function generic<
  const Name extends string,
  const Prefix extends string,
  Required extends boolean = false,
>(
  name: Name,
  options: GenericOptions<Prefix, Required>,
): (
  | Field<`${Prefix}_type`, OrNull<string, Optional<Required>>, OrNull<string, Optional<Required>>>
  | Field<`${Prefix}_id`, number | null, number | null>
  | Field<Name, Brief | null>
)[] {
  const { prefix, targets, required = false } = options;
  const [typeColumn, column] = [`${prefix}_type`, `${prefix}_id`] as const;
  const nullable = !required as Optional<Required>;
  const target = options.description.replace(/^./, (first) => first.toLowerCase());
  return [
    choice(typeColumn, {
      description: `Object type of ${target}`,
      choices: targets.map((target) => target.objectType),
      required,
      nullable,
    }),
    masked(
      // Null also if it is required: a hidden object's, which can be written again.
      integer(column, { description: `Id of ${target}`, min: 1, required, nullable: true }),
      (alias, shown) => {
        const ids = targets.map(({ map }, index) =>
          shownId(columnOf(alias, column), { map, alias: `${alias}_${column}${index}`, shown })
        );
        const cases = targets.map(({ objectType }, index) =>
          sql`WHEN ${objectType} THEN ${ids[index] ?? columnOf(alias, column)}`
        );
        return ids.every((id) => id === undefined)
          ? undefined
          : sql`CASE ${columnOf(alias, typeColumn)} ${sql.join(cases, sql` `)} END`;
      },
    ),
    {
      ...derived(name, {
        description: options.description,
        output: BRIEF.nullable(),
        needs: [typeColumn, column],
        read: (row, ctx) => {
          const target = targets.find((one) => one.objectType === row[typeColumn]);
          const object = parseNested<ObjectRow>(row[name]);
          return target === undefined || object === null ? null : readBrief(target, object, ctx);
        },
      }),
      select: (context) => [
        [column, columnOf(context.alias, column)],
        [name, briefOf(name, context, { typeColumn, column, targets })],
      ],
      refers: { targets, foreignKey: { column, typeColumn, onDelete: options.onDelete } },
    },
  ];
}

function briefOf(
  name: string,
  context: SelectContext,
  { typeColumn, column, targets }: { typeColumn: string; column: string; targets: readonly Resource[] },
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
export function nested<const Name extends string>(
  name: Name,
  options: { description: string; column: string; target: () => Resource },
): Field<Name, Brief | null> {
  return {
    ...derived(name, {
      description: options.description,
      output: BRIEF.nullable(),
      needs: [],
      read: (row, ctx) => {
        const object = parseNested<ObjectRow>(row[name]);
        return object === null ? null : readBrief(options.target(), object, ctx);
      },
    }),
    select: (
      context,
    ) => [[name, nestedJson({ name, target: options.target(), column: options.column }, context)]],
    refers: { shows: options.target },
  };
}

/** Returns a reference that is returned as an id; null if the caller may not view its object. */
export function idReference<const Name extends string>(field: Field<Name>): Field<Name, number | null> {
  const { column } = field.refers?.foreignKey ?? { column: `${field.name}_id` };
  return masked(
    { ...field, output: z.int().nullable(), read: oneCell({ column }) },
    (alias, shown) =>
      shownId(columnOf(alias, column), {
        map: requireTarget(field).map,
        alias: `${alias}_${column}`,
        shown,
      }),
  );
}

/** Returns the text of a generic reference for the display of a row, which may be one of the change log. */
export function targetText(row: Row, prefix: string): string {
  const [type, id] = [`${prefix}_type`, `${prefix}_id`] as const;
  const shown = row[shownColumn(id)];
  return [row[type], shown === undefined ? row[id] : shown].filter((part) => part !== null).join(" ");
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
