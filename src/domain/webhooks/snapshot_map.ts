/**
 * Treats snapshots of the change log as rows that the filter language can compare. Their fields have the
 * names and meanings of the resource's fields, but values from other tables (tags, SANs) are read from the
 * snapshot: when an event is dispatched, those tables may have changed, or the object may be deleted.
 */

import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { parseDatetime } from "../../base/clock.ts";
import type { Context } from "../../auth/mod.ts";
import type { Snapshot } from "../../changes/mod.ts";
import { memoize } from "../../base/memoize.ts";
import { type Cell, jsonText } from "../../db/mod.ts";
import { compileCondition, type FieldMap, type FilterField, mapIn } from "../../filters/mod.ts";
import {
  CUSTOM_COLUMN,
  CUSTOM_PREFIX,
  type Field,
  type Resource,
  searchCondition,
} from "../../resource/mod.ts";

/** The name of {@link snapshotRows} in a statement. */
export const SNAPSHOT_ROWS = "snapshots";

/** Filters that belong to no field, and the recorded list with the same values. */
const LISTS: Readonly<Record<string, string>> = { san: "sans", object_type: "object_types" };

const ROWS = sql.identifier(SNAPSHOT_ROWS);
const ELEMENTS = sql.identifier(`${SNAPSHOT_ROWS}_elements`);

/**
 * Returns the field map of a resource's snapshots, without the fields that the change log does not record.
 * Derived fields (`has_assignments`), objects that refer to this one, and referenced objects have their
 * current values.
 */
export function snapshotMap(ctx: Pick<Context, "database">, resource: Resource): FieldMap {
  return mapsOf(resource)(mapIn(ctx, resource.map));
}

/** By the field map of a resource, which changes with the definitions of custom fields. */
const mapsOf = memoize((resource: Resource) => memoize((own: FieldMap) => makeMap(resource, own)));

function makeMap(resource: Resource, own: FieldMap): FieldMap {
  const fields: Record<string, FilterField> = {};
  for (const [name, filter] of Object.entries(own.fields)) {
    const field = snapshotField(resource, name, filter);
    if (field !== undefined) fields[name] = field;
  }
  const map: FieldMap = {
    objectType: resource.objectType,
    table: SNAPSHOT_ROWS,
    fields,
    search: (text, alias): SQL => {
      const context = { alias, now: 0, userId: null, thresholds: { criticalDays: 0, warningDays: 0 } };
      return compileCondition(searchCondition(resource.search.fields, text), map, context);
    },
  };
  return map;
}

/** Returns the same filter for a snapshot; undefined if the change log does not record the value. */
function snapshotField(resource: Resource, name: string, filter: FilterField): FilterField | undefined {
  if (name.startsWith(CUSTOM_PREFIX)) return customSnapshotField(name.slice(CUSTOM_PREFIX.length), filter);
  const owners = Object.values(resource.fields);
  // Additional names of a column (`valid_to_before`) belong to no field.
  const owner = owners.find((field) => name in field.filters) ??
    owners.find((field) => "column" in filter && hasColumn(field, filter.column));
  switch (filter.kind) {
    case "predicate": {
      const isRecorded = (field: Field | undefined): boolean => field?.record !== undefined;
      if (owner?.columns !== undefined && !isRecorded(owner)) return undefined;
      return owner?.needs.every((need) => isRecorded(resource.fields[need])) === false ? undefined : filter;
    }
    case "values": {
      const list = LISTS[name] ?? owner?.name ?? name;
      if (resource.fields[list]?.record === undefined) return undefined;
      const ids = (condition: (column: SQL) => SQL): SQL => rowsWith(list, condition(sql`${ELEMENTS}.value`));
      return {
        kind: "values",
        ids,
        ...(filter.defaultOperator === undefined ? {} : { defaultOperator: filter.defaultOperator }),
      };
    }
    case "many": {
      if (owner?.refers?.link === undefined) {
        const ids = pointing(resource, filter);
        return ids === undefined ? filter : { ...filter, ids };
      }
      const { name: list } = owner;
      return {
        ...filter,
        ids: (targets: SQL): SQL => rowsWith(list, sql`${ELEMENTS}.value IN (${targets})`),
      };
    }
    default: {
      if (owner?.record === undefined || isComputed(resource, filter)) return undefined;
      if (filter.kind !== "text") return filter;
      // The full-text index covers only the table. Comparing the text itself has the same result.
      const { indexed: _, ...plain } = filter;
      return plain;
    }
  }
}

/** Returns whether the database computes what is compared. Digits are made from the recorded value. */
function isComputed({ table }: Resource, filter: FilterField): boolean {
  return "column" in filter && filter.kind !== "hex" &&
    getTableColumns(table)[filter.column]?.generated !== undefined;
}

function hasColumn({ filters }: Field, column: string): boolean {
  return Object.values(filters).some((filter) => "column" in filter && filter.column === column);
}

/**
 * Returns the filter of a custom field. Custom fields are members of one recorded object, as in their table.
 * Only lists are read differently.
 */
function customSnapshotField(name: string, filter: FilterField): FilterField {
  if (filter.kind !== "values") return filter;
  const values = sql`json_extract(${ROWS}.${sql.identifier(CUSTOM_COLUMN)}, ${`$.${name}`})`;
  return {
    ...filter,
    ids: (condition: (column: SQL) => SQL): SQL => elementsOf(values, condition(sql`${ELEMENTS}.value`)),
  };
}

/** Selects the current row's id if an element of its list matches `condition`. */
function rowsWith(list: string, condition: SQL): SQL {
  return elementsOf(sql`${ROWS}.${sql.identifier(list)}`, condition);
}

function elementsOf(list: SQL, condition: SQL): SQL {
  return sql`SELECT ${ROWS}.id FROM json_each(${list}) AS ${ELEMENTS} WHERE ${condition}`;
}

/**
 * Selects the current row's id if its generic reference refers to one of the target rows; undefined if it has
 * none.
 */
function pointing(
  resource: Resource,
  { target }: Extract<FilterField, { kind: "many" }>,
): ((targets: SQL) => SQL) | undefined {
  const { objectType } = target();
  const field = Object.values(resource.fields).find((one) =>
    one.refers?.targets?.some((target) => target.objectType === objectType)
  );
  const { column, typeColumn } = field?.refers?.foreignKey ?? {};
  if (column === undefined || typeColumn === undefined) return undefined;
  return (targets) =>
    sql`SELECT ${ROWS}.id WHERE ${ROWS}.${sql.identifier(typeColumn)} = ${objectType} AND ${ROWS}.${
      sql.identifier(column)
    } IN (${targets})`;
}

/**
 * Returns `snapshots AS (…)` for a WITH clause: one row per snapshot, with the columns of {@link snapshotMap}
 * and `n`, its index in the list.
 */
export function snapshotRows(resource: Resource, snapshots: readonly Snapshot[]): SQL {
  const columns = columnsOf(resource);
  const rows = snapshots.map((snapshot) => columns.map(({ read }) => read(snapshot)));
  const selected = columns.map(({ name }, index) =>
    sql`value ->> ${sql.raw(String(index))} AS ${sql.identifier(name)}`
  );
  return sql`${ROWS} AS MATERIALIZED (SELECT key AS n, ${sql.join(selected, sql`, `)} FROM json_each(${
    jsonText(rows)
  }))`;
}

/** A column of the rows: a recorded value, converted to the form that the table stores. */
interface Column {
  readonly name: string;
  readonly read: (snapshot: Snapshot) => Cell;
}

function columnsOf(resource: Resource): Column[] {
  return Object.values(resource.fields).filter((field) => field.record !== undefined).flatMap((field) => {
    const columns: Column[] = Object.values(field.filters).flatMap((filter) =>
      "column" in filter
        ? [{ name: filter.column, read: (snapshot) => cellOf(field, filter, snapshot[field.name] ?? null) }]
        : []
    );
    if (field.name === CUSTOM_COLUMN) {
      return [{ name: CUSTOM_COLUMN, read: (snapshot) => jsonText(snapshot[CUSTOM_COLUMN] ?? {}) }];
    }
    // Lists have no columns: filters search their elements.
    return columns.length > 0 || field.long || field.shown?.markdown
      ? columns
      : [{ name: field.name, read: (snapshot) => jsonText(snapshot[field.name] ?? []) }];
  });
}

function cellOf(field: Field, filter: Extract<FilterField, { column: string }>, value: unknown): Cell {
  if (value === null) return null;
  switch (filter.kind) {
    case "datetime":
      return parseDatetime(String(value)) ?? null;
    case "boolean":
      return Number(value);
    case "hex":
      return field.columns?.(value)[filter.column] ?? null;
    default:
      return value as Cell;
  }
}
