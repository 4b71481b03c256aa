/** The results of imported files, and how they are printed. */

import type { ImportReport, RowResult } from "../domain/certificates/import/mod.ts";
import { printJson } from "./output.ts";
import { printTable } from "./print_table.ts";

/** Result of a file. */
export interface FileReport {
  readonly file: string;
  readonly created: Pick<ImportReport["certificates"][number], "id" | "common_name" | "serial_number">[];
  readonly skipped: ImportReport["skipped"];
  /** Rows of a table by result, and certificates that were updated or did not need to be. */
  readonly counts: Record<RowResult["status"], number>;
  /** Refused rows. */
  readonly refusals: string[];
  /** Why the file could not be read, or not completely. */
  readonly errors: string[];
}

/** Returns the result of a file of which nothing was read yet. */
export function emptyReport(file: string): FileReport {
  return {
    file,
    created: [],
    skipped: [],
    counts: { created: 0, updated: 0, unchanged: 0, skipped: 0, error: 0 },
    refusals: [],
    errors: [],
  };
}

/** Returns whether anything in a file was not imported. */
export function hasErrors({ refusals, errors }: FileReport): boolean {
  return refusals.length + errors.length > 0;
}

/** Prints the results, as tables or as JSON. */
export function printReports(reports: readonly FileReport[], json: boolean): void {
  const sum = (status: RowResult["status"]): number =>
    reports.reduce((all, { counts }) => all + counts[status], 0);
  const counts = {
    files: reports.length,
    created_count: sum("created"),
    skipped_count: sum("skipped"),
    failed_count: reports.filter(({ errors }) => errors.length > 0).length,
  };
  const updates = { updated_count: sum("updated"), unchanged_count: sum("unchanged") };
  const results = reports.map(({ counts: _, refusals, errors, ...report }) => ({
    ...report,
    errors: [...refusals, ...errors],
  }));
  if (json) return printJson({ ...counts, ...updates, error_count: sum("error"), results });
  const hasUpdates = updates.updated_count + updates.unchanged_count > 0;
  const { files, created_count: created, skipped_count: skipped, failed_count: failed } = counts;
  const refused = sum("error");
  const columns: readonly (readonly [label: string, count: number])[] = [
    ["Files", files],
    ["Created", created],
    ...(hasUpdates
      ? [["Updated", updates.updated_count], ["Unchanged", updates.unchanged_count]] as const
      : []),
    ["Skipped", skipped],
    ...(refused > 0 ? [["Rows refused", refused]] as const : []),
    ["Files failed", failed],
  ];
  printTable(columns.map(([label]) => label), [columns.map(([, count]) => count)]);
  const failures = results.flatMap(({ file, errors }) => errors.map((error) => [file, error]));
  if (failures.length > 0) printTable(["File", "Error"], failures);
}
