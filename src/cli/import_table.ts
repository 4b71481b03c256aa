/** Imports a table in batches. Refused rows are reported, the others are stored. */

import type { Context } from "../auth/mod.ts";
import { AppError, type PublicError } from "../base/errors.ts";
import { bulkImport, type OnDuplicate, type RowResult } from "../domain/certificates/import/mod.ts";
import { CommandError, refusalText } from "./failure.ts";
import { callService, type ServiceAddress, ServiceRefusal } from "./service_client.ts";
import type { TableBatch } from "./table_file.ts";
import { TableError, type TableFormat } from "./table_splitters.ts";

/** How existing certificates are handled. */
export interface Duplicates {
  readonly onDuplicate: OnDuplicate;
  readonly overwrite: boolean;
}

/** Result of a row of the file. */
export type TableRow = RowResult;

type Answer = { readonly results: readonly RowResult[] } | { readonly refusal: PublicError };

/** Imports a document, completely or not at all. */
export type TableTarget = (body: Record<string, unknown>) => Promise<Answer>;

/**
 * Number of attempts to reach a service, and the delay before the second one, which doubles for each later
 * one.
 */
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
const TOO_LARGE = "Batch too large";
const PASSING = [429, 502, 503, 504];

/** Returns the import through a running service. Errors: {@link CommandError} after several attempts. */
export function serviceTable(service: ServiceAddress): TableTarget {
  return async (body) => {
    for (let attempt = 1;; attempt++) {
      try {
        return await callService<Answer>(service, { path: "certificates/bulk-import/", body });
      } catch (error) {
        const status = error instanceof ServiceRefusal ? error.status : undefined;
        if (error instanceof ServiceRefusal && status === 400) return { refusal: error.body };
        if (status === 413) return { refusal: { detail: TOO_LARGE } };
        const passes = status === undefined ? error instanceof CommandError : PASSING.includes(status);
        if (!passes || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** (attempt - 1)));
      }
    }
  };
}

/** Returns the import into the database. */
export function databaseTable(ctx: Context): TableTarget {
  return async (input) => {
    try {
      return { results: (await bulkImport({ ctx, input }) as { results: RowResult[] }).results };
    } catch (error) {
      if (error instanceof AppError && error.code === "invalid") return { refusal: error.public };
      throw error;
    }
  };
}

/**
 * Imports a batch and returns the result of each row. Invalid rows are removed, and the others are sent
 * again. A batch that is too long for the service is divided into halves. Errors: {@link TableError} for
 * errors of the whole table.
 */
export async function importBatch(
  { rows, places, join }: Pick<TableBatch, "rows" | "places" | "join">,
  how: { target: TableTarget; format: TableFormat; duplicates: Duplicates },
): Promise<TableRow[]> {
  if (rows.length === 0) return [];
  const { target, format, duplicates: { onDuplicate, overwrite } } = how;
  const answer = await target({
    format,
    data: join(rows),
    on_duplicate: onDuplicate,
    ...(overwrite ? { overwrite } : {}),
  });
  if ("results" in answer) return answer.results.map((one) => placed(one, places));
  const { refusal } = answer;
  const failed = failedRows(refusal);
  if (failed.length === 0) {
    if (!refusalText(refusal).includes(TOO_LARGE) || rows.length === 1) {
      throw new TableError(faultOf(refusal));
    }
    const half = Math.ceil(rows.length / 2);
    const part = (from: number, to: number): Parameters<typeof importBatch>[0] => ({
      rows: rows.slice(from, to),
      places: places.slice(from, to),
      join,
    });
    return [
      ...await importBatch(part(0, half), how),
      ...await importBatch(part(half, rows.length), how),
    ];
  }
  const bad = new Set(failed.map(({ row }) => row - 1));
  const good = rows.map((_, index) => index).filter((index) => !bad.has(index));
  const rest = await importBatch({
    rows: good.flatMap((index) => rows[index] ?? []),
    places: good.flatMap((index) => places[index] ?? []),
    join,
  }, how);
  return [...failed.map((one) => placed(one, places)), ...rest].sort((a, b) => a.row - b.row);
}

/** Returns the error of the table as a whole. */
function faultOf(refusal: PublicError): string {
  const { results = [] } = refusal as { results?: RowResult[] };
  const ofTable = results.find(({ row }) => row === 0)?.errors;
  return ofTable === undefined ? refusalText(refusal) : refusalText({ ...ofTable });
}

/** Returns the invalid rows of a refusal; none if the table as a whole is invalid. */
function failedRows(refusal: PublicError): RowResult[] {
  const results = (refusal as { results?: RowResult[] }).results ?? [];
  const failed = results.filter(({ status }) => status === "error");
  return failed.some(({ row }) => row === 0) ? [] : failed;
}

function placed({ row, ...rest }: RowResult, places: readonly number[]): TableRow {
  return { row: places[row - 1] ?? row, ...rest };
}
