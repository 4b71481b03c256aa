/** The field `custom_fields` of a resource: an object with the values of its custom fields by name. */

import { encoded, issue } from "../../base/findings.ts";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { jsonText, type ObjectRow, type Row } from "../../db/mod.ts";
import { columnOf, isDictionary } from "../../filters/mod.ts";
import { readBrief } from "../model/brief.ts";
import type { Field, SelectContext, Selected, Values } from "../model/field.ts";
import { documented } from "../model/fields/documented.ts";
import { unexpected } from "../model/fields/messages.ts";
import { nestedJsonOf, parseNested } from "../model/fields/reference.ts";
import { resourceOfType } from "../model/registry.ts";
import { customFieldsOf } from "./definitions.ts";
import { CUSTOM_COLUMN } from "./filters.ts";

/** Maximum length of all values of an object together. */
const MAX_CHARS = 60_000;
/** The selected column with the objects to which values of the type `object` refer. */
const OBJECTS = "custom_objects";

/** Returns the field for a resource of this object type, whose table must have the column `custom_fields`. */
export function customFieldsField(objectType: string): Field<"custom_fields", Values, Values> {
  const checked = z.custom<Values>(isDictionary, {
    error: ({ input }) => encoded(unexpected("an object of custom fields", input)),
  }).refine((given) => JSON.stringify(given).length <= MAX_CHARS, {
    error: issue("too_long", { max: MAX_CHARS }),
  });
  const raw = (alias: string): Selected => [CUSTOM_COLUMN, columnOf(alias, CUSTOM_COLUMN)];
  return {
    name: CUSTOM_COLUMN,
    description:
      "Values of the custom fields that are defined for this type of object, by name. A write merges: fields that are " +
      "not given keep their value, null removes it. Lists can be filtered and sorted by `cf_<name>`.",
    required: false,
    readOnly: false,
    writeOnly: false,
    long: false,
    input: documented(checked, { type: "object" }),
    output: z.record(z.string(), z.unknown()),
    needs: [],
    select: (context) => [raw(context.alias), ...objectColumns(objectType, context)],
    read: (row, ctx) => {
      const values = valuesOf(row);
      const objects = parseNested<Row>(row[OBJECTS]) ?? {};
      return Object.fromEntries(
        customFieldsOf(ctx.database, objectType).map(({ name, type, relatedType }) => {
          if (type !== "object") return [name, values[name] ?? null];
          const target = resourceOfType(relatedType ?? "");
          const object = parseNested<ObjectRow>(objects[name]);
          return [name, target === undefined || object === null ? null : readBrief(target, object, ctx)];
        }),
      );
    },
    record: { read: valuesOf, select: ({ alias }) => [raw(alias)] },
    columns: (value) => ({ [CUSTOM_COLUMN]: jsonText(value) }),
    fallback: {},
    filters: {},
  };
}

function valuesOf(row: Row): Values {
  return parseNested<Values>(row[CUSTOM_COLUMN]) ?? {};
}

function objectColumns(objectType: string, context: SelectContext): Selected[] {
  const pairs = customFieldsOf(context.ctx.database, objectType).flatMap(({ name, type, relatedType }) => {
    const target = type === "object" ? resourceOfType(relatedType ?? "") : undefined;
    if (target === undefined) return [];
    const path = sql.raw(`'$.${name}'`);
    const id = sql`json_extract(${columnOf(context.alias, CUSTOM_COLUMN)}, ${path})`;
    return [sql`${sql.raw(`'${name}'`)}, json(${nestedJsonOf({ name: `cf_${name}`, target, id }, context)})`];
  });
  return pairs.length === 0 ? [] : [[OBJECTS, sql`json_object(${sql.join(pairs, sql`, `)})`]];
}
