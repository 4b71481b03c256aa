/** The target of an import, and tables in batches: refused rows are reported, the others are stored. */

import type { Context } from "../auth/mod.ts";
import { AppError, type PublicError } from "../base/errors.ts";
import { wait } from "../base/wait.ts";
import {
  bulkImport,
  importPem,
  type OnDuplicate,
  type RowResult,
} from "../domain/certificates/import/mod.ts";
import { CommandError, FileError, refusalText } from "./failure.ts";
import type { Values } from "../resource/mod.ts";
import { callService, type ServiceAddress, ServiceRefusal } from "./service_client.ts";
import type { TableBatch, TableFormat } from "./table_splitters.ts";

/** How existing certificates are handled. */
export interface Duplicates {
  readonly onDuplicate: OnDuplicate;
  readonly overwrite: boolean;
}

/** Imports a document, completely or not at all. */
export type ImportTarget = <Report>(
  endpoint: keyof typeof OPERATIONS,
  body: Values,
) => Promise<{ readonly report: Report } | { readonly refusal: PublicError }>;

const OPERATIONS = { "import": importPem, "bulk-import": bulkImport };

/**
 * Number of attempts to reach a service, and the delay before the second one, which doubles for each later
 * one.
 */
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
const PASSING = [429, 502, 503, 504];

/**
 * Returns the import through a running service or into the database. It throws if it makes no sense to continue (no
 * response after several attempts, no permission).
 */
export function importTarget(to: ServiceAddress | Context): ImportTarget {
  if ("url" in to) return (endpoint, body) => sendPatiently(to, { path: `certificates/${endpoint}/`, body });
  return async <Report>(endpoint: keyof typeof OPERATIONS, input: Values) => {
    try {
      return { report: await OPERATIONS[endpoint]({ ctx: to, input }) as Report };
    } catch (error) {
      if (error instanceof AppError && error.code === "invalid") return { refusal: error.public };
      throw error;
    }
  };
}

async function sendPatiently<Report>(
  service: ServiceAddress,
  request: { path: string; body: Values },
): Promise<{ report: Report } | { refusal: PublicError }> {
  for (let attempt = 1;; attempt++) {
    try {
      return { report: await callService<Report & object>(service, request) };
    } catch (error) {
      const status = error instanceof ServiceRefusal ? error.status : undefined;
      if (error instanceof ServiceRefusal && status === 400) return { refusal: error.body };
      if (status === 413) return { refusal: { detail: "Batch too large." } };
      const passes = status === undefined ? error instanceof CommandError : PASSING.includes(status);
      if (!passes || attempt === ATTEMPTS) throw error;
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  }
}

/**
 * Imports a batch and returns the result of each row. Invalid rows are removed, and the others are sent
 * again. A batch that is refused as a whole is divided into halves. Errors: {@link FileError} for
 * errors of the whole table.
 */
export async function importBatch(
  { rows, places, join }: Pick<TableBatch, "rows" | "places" | "join">,
  how: { target: ImportTarget; format: TableFormat; duplicates: Duplicates },
): Promise<RowResult[]> {
  if (rows.length === 0) return [];
  const { target, format, duplicates: { onDuplicate, overwrite } } = how;
  const answer = await target<{ results: RowResult[] }>("bulk-import", {
    format,
    data: join(rows),
    on_duplicate: onDuplicate,
    ...(overwrite ? { overwrite } : {}),
  });
  if ("report" in answer) return answer.report.results.map((one) => placed(one, places));
  const { refusal } = answer;
  const failed = failedRows(refusal);
  if (failed.length === 0) {
    // A batch that is refused as a whole may be too long.
    if (rows.length === 1) throw new FileError(faultOf(refusal));
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

function placed({ row, ...rest }: RowResult, places: readonly number[]): RowResult {
  return { row: places[row - 1] ?? row, ...rest };
}
