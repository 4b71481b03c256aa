/** Paths, rows of metadata and callers for tests of imports. */

import { type Actor, granted, type GrantSpec } from "../../../support/actors.ts";
import { PATHS } from "../../../support/paths.ts";
import { type Scenario, scenario } from "../../../support/scenario.ts";

export const TYPE = "certmgr.certificate";
export const IMPORT_FILE = `${PATHS.certificates}import-file/`;
export const BULK_IMPORT = `${PATHS.certificates}bulk-import/`;
export const BULK_DATA = `${PATHS.certificates}bulk-data-import/`;
export const KEY_REFUSED = "Private key detected. Private keys are never stored.";

/** Returns a function that registers a scenario of a POST. By default a superuser sends it and it answers 400. */
export function posts(address: string): (title: string, body: unknown, expected?: Partial<Scenario>) => void {
  const name = address.split("/").at(-2);
  return (title, body, expected = {}) =>
    scenario(`${name}: ${title}`, { as: "superuser", post: address, body, status: 400, ...expected });
}

/** Returns status and changes of a request that stores `count` certificates. */
export function creates(count: number): Pick<Scenario, "status" | "changes"> {
  return { status: 201, changes: Array<string>(count).fill(`create ${TYPE}`) };
}

/** Returns a valid object of metadata, a different one for each number. */
export function metadata(number: number, rest: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    common_name: `row-${number}.example`,
    serial_number: (0x900000 + number).toString(16),
    issuer: "C=DE, O=Rows, CN=Rows CA",
    valid_from: "2026-01-01",
    valid_to: "2026-12-31",
    fingerprint_sha256: `f${number.toString(16).padStart(63, "0")}`,
    algorithm: "rsa",
    key_size: 2048,
    ...rest,
  };
}

/** Returns such objects as CSV; texts are quoted, lists are joined. */
export function csvOf(
  rows: readonly Record<string, unknown>[],
  { end = "\n", delimiter = "," }: { end?: string; delimiter?: string } = {},
): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) =>
    columns.map((column) => {
      const value = row[column] ?? "";
      return `"${(Array.isArray(value) ? value.join(";") : String(value)).replaceAll('"', '""')}"`;
    }).join(delimiter)
  );
  return [columns.join(delimiter), ...lines].map((line) => line + end).join("");
}

/** Returns a user who may do `actions` on certificates, and view the objects to which they refer. */
export function importer(actions: readonly string[], constraints?: unknown): Actor {
  const grants: GrantSpec[] = [
    { types: [TYPE], actions, ...(constraints === undefined ? {} : { constraints }) },
    { types: ["tenancy.tenant", "extras.tag"], actions: ["view"] },
  ];
  return granted(grants);
}

/** An error of bulk-data-import. */
export interface Found {
  row: number;
  field: string;
  message: string;
}

/** Returns `row field message` for every error, in order. */
export function errorLines(body: { errors: Found[] }): string[] {
  return body.errors.map(({ row, field, message }) => `${row} ${field} ${message}`);
}
