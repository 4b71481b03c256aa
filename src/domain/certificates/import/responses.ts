/** Reports of imports. */

import { z } from "zod";
import { type AppError, invalid } from "../../../base/errors.ts";
import { STATUSES } from "../mod.ts";
import { type DuplicateRule, type ImportOutcome, ON_DUPLICATE, type SkippedRow } from "./rows.ts";

/** The fields of a body that say how to handle existing certificates. */
export const DUPLICATE_FIELDS = {
  on_duplicate: z.enum(ON_DUPLICATE).nullish().describe(
    "What happens to a certificate that is stored already (the same serial number and issuer): `error` refuses " +
      "everything, `skip` leaves it unchanged, `update` fills its missing values, and needs `change`. `update` also " +
      "finds it by its fingerprint.",
  ),
  overwrite: z.boolean().default(false).describe("Whether `update` also replaces values."),
};

type DuplicateChoice = z.infer<z.ZodObject<typeof DUPLICATE_FIELDS>>;

/** Returns the caller's choice. Errors: from `refusal` (`overwrite` without `update`). */
export function choiceOf(
  { on_duplicate, overwrite }: DuplicateChoice,
  { fallback, refusal = (message) => invalid({ overwrite: [message] }) }: {
    fallback: DuplicateRule["onDuplicate"];
    refusal?: (message: string) => AppError;
  },
): Pick<DuplicateRule, "onDuplicate" | "overwrite"> {
  const onDuplicate = on_duplicate ?? fallback;
  if (overwrite && onDuplicate !== "update") {
    throw refusal(`overwrite requires on_duplicate "update", not "${onDuplicate}".`);
  }
  return { onDuplicate, overwrite };
}

/** The brief form in which imports list what they created. */
export const ImportedBrief = z.object({
  id: z.int(),
  url: z.string(),
  common_name: z.string(),
  serial_number: z.string(),
  status: z.enum(STATUSES),
  valid_to: z.iso.datetime(),
});
export type ImportedBrief = z.infer<typeof ImportedBrief>;

/** Fields of {@link ImportedBrief}. */
export const IMPORTED_FIELDS = Object.keys(ImportedBrief.shape);

/** A certificate that already exists, or occurs twice. */
const Skipped = z.object({ common_name: z.string(), serial_number: z.string(), reason: z.string() });
export type Skipped = z.infer<typeof Skipped>;

/** The result of one row. A refused import has skipped its valid rows. */
export const RowResult = z.object({
  row: z.int(),
  status: z.enum(["created", "updated", "unchanged", "skipped", "error"]),
  id: z.int().optional(),
  common_name: z.string(),
  reason: z.string().optional().describe(
    "With `update`, or if the import was refused: why a row was skipped.",
  ),
  errors: z.record(z.string(), z.array(z.string())).optional(),
});
export type RowResult = z.infer<typeof RowResult>;

/** The counts in all reports. */
export const COUNTS = { created_count: z.int(), skipped_count: z.int() };

/** Additional members of reports with `on_duplicate` `update`. */
export const UPDATE_COUNTS = {
  updated_count: z.int().optional().describe("With `update`."),
  unchanged_count: z.int().optional().describe("With `update`."),
};
const RESULTS = { results: z.array(RowResult).optional().describe("With `update`: the result of each row.") };

/** The counts and results in reports that list the created certificates. */
export const COUNTS_WITH_RESULTS = { ...COUNTS, ...UPDATE_COUNTS, ...RESULTS };

type Counts = z.infer<z.ZodObject<typeof COUNTS>> & z.infer<z.ZodObject<typeof UPDATE_COUNTS>>;

/** Returns the counts of an import. */
export function countsOf({ created, updated, unchanged, skipped, updates }: ImportOutcome): Counts {
  return {
    created_count: created.length,
    ...(updates ? { updated_count: updated.length, unchanged_count: unchanged.length } : {}),
    skipped_count: skipped.length,
  };
}

/** Returns the counts, and with `update` also the result of each row. */
export function countsWithResults(
  outcome: ImportOutcome,
): z.infer<z.ZodObject<typeof COUNTS_WITH_RESULTS>> {
  return { ...countsOf(outcome), ...(outcome.updates ? { results: resultsOf(outcome) } : {}) };
}

/** Returns the results of all rows in their order. */
export function resultsOf({ created, updated, unchanged, skipped, updates }: ImportOutcome): RowResult[] {
  const results: RowResult[] = [
    ...created.map((row) => storedRow("created", row.place, row.object)),
    ...updated.map((row) => storedRow("updated", row.place, row.object)),
    ...unchanged.map((row) => storedRow("unchanged", row.place, row)),
    ...skipped.map((row) => ({ ...skippedRow(row), ...(updates ? { reason: row.reason } : {}) })),
  ];
  return results.sort((a, b) => a.row - b.row);
}

function storedRow(
  status: RowResult["status"],
  row: number,
  { id, common_name }: Pick<ImportedBrief, "id" | "common_name">,
): RowResult {
  return { row, status, id, common_name };
}

/** Returns the result of a row that was not stored. */
export function skippedRow({ place, common_name }: SkippedRow): RowResult {
  return { row: place, status: "skipped", common_name };
}

/** The report of an import that does not refuse existing certificates. */
export const ImportReport = z.object({
  ...COUNTS_WITH_RESULTS,
  certificates: z.array(ImportedBrief).describe("The created certificates."),
  skipped: z.array(Skipped),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** Returns the report of an import. */
export function reportOf(outcome: ImportOutcome): ImportReport {
  return {
    ...countsWithResults(outcome),
    certificates: outcome.created.map((
      { object: { id, url, common_name, serial_number, status, valid_to } },
    ) => ({
      id,
      url,
      common_name,
      serial_number,
      status,
      valid_to,
    })),
    skipped: outcome.skipped.map(({ common_name, serial_number, reason }) => ({
      common_name,
      serial_number,
      reason,
    })),
  };
}
