/** Keeps the long texts that a request reads within a budget. SQL measures them before they are read. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { AppError } from "../../base/errors.ts";
import { MAX_LONG_TEXT_BYTES } from "../../base/limits.ts";
import type { Row } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { Field } from "../model/field.ts";
import { ALL_FIELDS, selectedFields, type Selection } from "./select.ts";

/** Advice for requests that would read too much. */
export const FEWER_ROWS = 'Request fewer rows with a smaller "limit", or leave these fields out.';

/** The rows whose long texts a statement reads. */
export interface LongTexts {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  /** Condition of the rows, on the resource's table. */
  readonly rows: SQL;
}

/** Returns the long fields of a selection; by default all of the resource. */
export function longFields(resource: Resource, selection: Selection = ALL_FIELDS): Field[] {
  return selection.brief ? [] : selectedFields(resource, selection).filter((field) => field.long);
}

/** Returns the fields of a selection that count in the budget of a page: long texts, and columns that may be large. */
export function measuredFields(resource: Resource, selection: Selection): Field[] {
  const names = selection.brief
    ? [...resource.brief, ...resource.displayNeeds]
    : [...selectedFields(resource, selection).map(({ name }) => name), ...displayed(resource, selection)];
  return [...new Set(names)].flatMap((name) => {
    const field = resource.fields[name];
    return field !== undefined && (field.long || field.size?.large) ? [field] : [];
  });
}

function displayed({ displayNeeds }: Resource, { omit, fields }: Selection): readonly string[] {
  return omit.includes("display") || fields?.includes("display") === false ? [] : displayNeeds;
}

/**
 * Returns the size of the long texts of a row; undefined without long fields. SQLite reads only the lengths.
 */
export function longBytes(resource: Resource, fields: readonly Field[]): SQL | undefined {
  if (fields.length === 0) return undefined;
  const alias = getTableName(resource.table);
  return sql.join(fields.map(({ name, size }) => size?.bytes?.(alias) ?? columnBytes(alias, name)), sql` + `);
}

function columnBytes(alias: string, name: string): SQL {
  return sql`coalesce(octet_length(${sql.identifier(alias)}.${sql.identifier(name)}), 0)`;
}

/** Returns the condition that the long texts of all rows together have at most `max` bytes. */
export function fitsBudget(texts: LongTexts, max: number = MAX_LONG_TEXT_BYTES): SQL | undefined {
  const total = totalBytes(texts);
  return total === undefined ? undefined : sql`(${total}) <= ${max}`;
}

function totalBytes({ resource, fields, rows }: LongTexts): SQL | undefined {
  const bytes = longBytes(resource, fields);
  if (bytes === undefined) return undefined;
  return sql`SELECT coalesce(sum(${bytes}), 0) AS bytes FROM ${resource.table} WHERE ${rows}`;
}

/**
 * Refuses rows whose long texts exceed the budget; otherwise returns their size. One statement, none without
 * long fields. Errors: too_large.
 */
export async function requireBudget(
  reader: { all<T extends Row>(statement: SQL): Promise<T[]> },
  { advice, spent = 0, ...texts }: LongTexts & { advice: string; spent?: number },
): Promise<number> {
  const total = totalBytes(texts);
  if (total === undefined) return 0;
  const [row] = await reader.all<{ bytes: number }>(total);
  const bytes = row?.bytes ?? 0;
  refuseAbove(bytes + spent, { names: texts.fields.map(({ name }) => name), advice });
  return bytes;
}

/** Refuses a size above the budget. Errors: too_large. */
function refuseAbove(
  bytes: number,
  { names, advice }: { names: readonly string[]; advice: string },
): void {
  if (bytes <= MAX_LONG_TEXT_BYTES) return;
  throw new AppError(
    "too_large",
    `The long texts (${
      names.join(", ")
    }) of these objects have ${bytes} bytes together; one request may read at most ` +
      `${MAX_LONG_TEXT_BYTES}. ${advice}`,
  );
}

/** The budget for long texts that all lists of a request share. */
export class TextBudget {
  #spent = 0;
  #last: Promise<unknown> = Promise.resolve();

  get spent(): number {
    return this.#spent;
  }

  /** Refuses to read more bytes than are left. Errors: too_large. */
  require(bytes: number, names: readonly string[]): void {
    refuseAbove(this.#spent + bytes, { names, advice: FEWER_ROWS });
  }

  /** Counts bytes that the response contains. Errors: too_large. */
  spend(bytes: number, names: readonly string[]): void {
    this.require(bytes, names);
    this.#spent += bytes;
  }

  /** Runs reads one after another, so that each knows how much of the budget the earlier ones have used. */
  inTurn<T>(read: () => Promise<T>): Promise<T> {
    const result = this.#last.then(read);
    this.#last = result.catch(() => {});
    return result;
  }
}
