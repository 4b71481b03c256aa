/** How imports tell what they did. */

import type { ImportOutcome, SkippedRow } from "./rows.ts";

/** Fields of {@link ImportedBrief}. */
export const IMPORTED_FIELDS = ["id", "url", "common_name", "serial_number", "status", "valid_to"] as const;

/** The brief form in which imports list what they created. */
export interface ImportedBrief {
  id: number;
  url: string;
  common_name: string;
  serial_number: string;
  status: string;
  valid_to: string;
}

/** One that was there already, or twice. */
export type Skipped = Pick<SkippedRow, "common_name" | "serial_number" | "reason">;

/** What an import of many certificates did. */
export interface ImportReport {
  created_count: number;
  skipped_count: number;
  certificates: ImportedBrief[];
  skipped: Skipped[];
}

/** The report on an import that passes over what is there. */
export function reportOf({ created, skipped }: ImportOutcome): ImportReport {
  return {
    created_count: created.length,
    skipped_count: skipped.length,
    certificates: created.map(({ object }) => picked(object, IMPORTED_FIELDS)),
    skipped: skipped.map(({ common_name, serial_number, reason }) => ({
      common_name,
      serial_number,
      reason,
    })),
  };
}

/** Some fields of a certificate as the API shows it. */
export function picked<Name extends keyof ImportedBrief>(
  object: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Pick<ImportedBrief, Name> {
  return Object.fromEntries(names.map((name) => [name, object[name]])) as unknown as Pick<
    ImportedBrief,
    Name
  >;
}

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
