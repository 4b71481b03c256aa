/**
 * Snapshots of the change log as rows that the filter language can judge. Their fields have the names and the meaning
 * that the resource's own have, but what is stored beside the row (tags, SANs) is read from the snapshot: by the time
 * an event is judged, the store may say something else, or nothing at all.
 */

import { type SQL, sql } from "drizzle-orm";
import { parseDatetime } from "../../base/clock.ts";
import { type Cell, jsonText } from "../../db/mod.ts";
import { compileCondition, type FieldMap, type FilterField } from "../../filters/mod.ts";
import { type Field, fieldMap, type Resource, searchCondition } from "../../resource/mod.ts";

/** Fields of an object, as the change log keeps them. */
export type Snapshot = Readonly<Record<string, unknown>>;

/** Name of the rows in a statement; {@link snapshotRows} makes them. */
export const SNAPSHOT_ROWS = "judged";

/** Filters on a side table, and the field that says the same of the row. */
const LISTS: Readonly<Record<string, string>> = { san: "sans" };

const ROWS = sql.identifier(SNAPSHOT_ROWS);
const ELEMENTS = sql.identifier(`${SNAPSHOT_ROWS}_elements`);
const maps = new WeakMap<Resource, FieldMap>();

/**
 * The field map of a resource's snapshots. A field that the change log does not keep is not in it. What the service
 * derives from other rows (`has_assignments`) is as it is when it is judged, and so are the objects that are referred to.
 */
export function snapshotMap(resource: Resource): FieldMap {
  const known = maps.get(resource);
  if (known !== undefined) return known;
  const fields: Record<string, FilterField> = {};
  for (const [name, filter] of Object.entries(fieldMap(resource).fields)) {
    const kept = ofSnapshot(resource, name, filter);
    if (kept !== undefined) fields[name] = kept;
  }
  const map: FieldMap = {
    objectType: resource.objectType,
    table: SNAPSHOT_ROWS,
    fields,
    search: (text, alias): SQL => {
      const context = { alias, now: 0, userId: null, thresholds: { criticalDays: 0, warningDays: 0 } };
      return compileCondition(searchCondition(resource, text), map, context);
    },
  };
  maps.set(resource, map);
  return map;
}

/** The same comparison on a snapshot; undefined where the snapshot does not have what is compared. */
function ofSnapshot(resource: Resource, name: string, filter: FilterField): FilterField | undefined {
  const owner = Object.values(resource.fields).find((field) => name in field.filters);
  switch (filter.kind) {
    case "predicate":
      return filter;
    case "values": {
      const list = LISTS[name];
      if (list === undefined) throw new Error(`No list for "${name}" in snapshots of ${resource.objectType}`);
      const ids = (condition: (column: SQL) => SQL): SQL => rowsWith(list, condition(sql`${ELEMENTS}.value`));
      return {
        kind: "values",
        ids,
        ...(filter.defaultOperator === undefined ? {} : { defaultOperator: filter.defaultOperator }),
      };
    }
    case "many": {
      if (owner?.link === undefined) return { ...filter, ids: pointing(resource, filter) };
      const { name: list } = owner;
      return {
        ...filter,
        ids: (targets: SQL): SQL => rowsWith(list, sql`${ELEMENTS}.value IN (${targets})`),
      };
    }
    default: {
      if (owner?.record === undefined) return undefined;
      if (filter.kind !== "text") return filter;
      // The index knows rows of the table only; without it the text itself decides, as it does with it.
      const { indexed: _, ...plain } = filter;
      return plain;
    }
  }
}

/** The id of the row at hand, if an element of one of its lists fulfils `condition`. */
function rowsWith(list: string, condition: SQL): SQL {
  return sql`SELECT ${ROWS}.id FROM json_each(${ROWS}.${
    sql.identifier(list)
  }) AS ${ELEMENTS} WHERE ${condition}`;
}

/** The id of the row at hand, if its generic reference means one of the target rows. */
function pointing(
  resource: Resource,
  { target }: Extract<FilterField, { kind: "many" }>,
): (targets: SQL) => SQL {
  const { objectType } = target();
  const field = Object.values(resource.fields).find((one) =>
    one.targets?.some((target) => target.objectType === objectType)
  );
  const { column, typeColumn } = field?.foreignKey ?? {};
  if (column === undefined || typeColumn === undefined) {
    throw new Error(`No reference to ${objectType} in snapshots of ${resource.objectType}`);
  }
  return (targets) =>
    sql`SELECT ${ROWS}.id WHERE ${ROWS}.${sql.identifier(typeColumn)} = ${objectType} AND ${ROWS}.${
      sql.identifier(column)
    } IN (${targets})`;
}

/**
 * `judged AS (…)` for a WITH clause: one row for each snapshot, with the columns of {@link snapshotMap}, and `n`, its
 * place in the list.
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

/** A column of the rows: what the change log keeps of a field, as the table has it. */
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
    const isList = field.many === true || Object.values(LISTS).includes(field.name);
    return isList
      ? [...columns, { name: field.name, read: (snapshot) => jsonText(snapshot[field.name] ?? []) }]
      : columns;
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
