/** The results of imported files, and how they are printed. */

import type { TableRow } from "./import_table.ts";
import type { Imported } from "./import_target.ts";
import { printJson } from "./output.ts";
import { printTable } from "./print_table.ts";

/** Result of a file. */
export interface FileReport {
  readonly file: string;
  readonly created: Imported["created"][number][];
  readonly skipped: Imported["skipped"][number][];
  /** Rows of a table by result, and certificates that were updated or did not need to be. */
  readonly counts: Record<TableRow["status"], number>;
  readonly errors: string[];
}

/** Returns the result of a file of which nothing was read yet. */
export function emptyReport(file: string): FileReport {
  return {
    file,
    created: [],
    skipped: [],
    counts: { created: 0, updated: 0, unchanged: 0, skipped: 0, error: 0 },
    errors: [],
  };
}

/** Prints the results, as tables or as JSON. */
export function printReports(reports: readonly FileReport[], json: boolean): void {
  const sum = (status: TableRow["status"]): number =>
    reports.reduce((all, { counts }) => all + counts[status], 0);
  const counts = {
    files: reports.length,
    created_count: sum("created"),
    skipped_count: sum("skipped"),
    failed_count: reports.filter(({ errors }) => errors.length > 0).length,
  };
  const updates = { updated_count: sum("updated"), unchanged_count: sum("unchanged") };
  const results = reports.map(({ counts: _, ...report }) => report);
  if (json) return printJson({ ...counts, ...updates, error_count: sum("error"), results });
  const hasUpdates = updates.updated_count + updates.unchanged_count > 0;
  const { files, created_count: created, skipped_count: skipped, failed_count: failed } = counts;
  printTable(
    ["Files", "Created", ...(hasUpdates ? ["Updated", "Unchanged"] : []), "Skipped", "Files failed"],
    [[files, created, ...(hasUpdates ? Object.values(updates) : []), skipped, failed]],
  );
  const failures = reports.flatMap(({ file, errors }) => errors.map((error) => [file, error]));
  if (failures.length > 0) printTable(["File", "Error"], failures);
}
