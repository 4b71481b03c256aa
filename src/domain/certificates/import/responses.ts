/** Reports of imports. */

import { z } from "zod";
import { type AppError, invalid } from "../../../base/errors.ts";
import { type Certificate, STATUSES } from "../mod.ts";
import { type DuplicateRule, type ImportOutcome, ON_DUPLICATE, type RowStatus } from "./rows.ts";

/** The fields of a body that say how to handle existing certificates. */
export const DUPLICATE_FIELDS = {
  on_duplicate: z.enum(ON_DUPLICATE).nullish().describe(
    "What happens to a certificate that is stored already (the same serial number and issuer): `error` refuses " +
      "everything, `skip` leaves it unchanged, `update` fills its missing values, and needs `change`. `update` also " +
      "finds it by its fingerprint.",
  ),
  overwrite: z.boolean().default(false).describe("Whether `update` also replaces values."),
};

/** The caller's choice. */
export type DuplicateChoice = z.infer<z.ZodObject<typeof DUPLICATE_FIELDS>>;

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
export function countsOf({ rows, updates }: ImportOutcome): Counts {
  const count = (of: RowStatus): number => rows.filter(({ status }) => status === of).length;
  return {
    created_count: count("create"),
    ...(updates ? { updated_count: count("update"), unchanged_count: count("unchanged") } : {}),
    skipped_count: count("skip"),
  };
}

/** Returns the counts, and with `update` also the result of each row. */
export function countsWithResults(
  outcome: ImportOutcome,
): z.infer<z.ZodObject<typeof COUNTS_WITH_RESULTS>> {
  return { ...countsOf(outcome), ...(outcome.updates ? { results: resultsOf(outcome) } : {}) };
}

const RESULT_STATUS = {
  create: "created",
  update: "updated",
  unchanged: "unchanged",
  skip: "skipped",
  error: "error",
} as const;

/** Returns the results of all rows in their order. */
export function resultsOf({ rows, updates }: ImportOutcome): RowResult[] {
  return rows.map(({ place: row, status, id, common_name, reason }) => ({
    row,
    status: RESULT_STATUS[status],
    ...(status === "skip" ? (updates ? { common_name, reason } : { common_name }) : { id, common_name }),
  }));
}

/** Returns the created certificates in the order of their rows. */
export function createdOf({ rows }: ImportOutcome): Certificate[] {
  return rows.flatMap(({ status, object }) => status === "create" && object !== undefined ? [object] : []);
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
    certificates: createdOf(outcome).map(({ id, url, common_name, serial_number, status, valid_to }) => ({
      id,
      url,
      common_name,
      serial_number,
      status,
      valid_to,
    })),
    skipped: outcome.rows.flatMap(({ status, common_name, serial_number, reason = "" }) =>
      status === "skip" ? [{ common_name, serial_number, reason }] : []
    ),
  };
}
