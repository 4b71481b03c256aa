/** Imports many PEM texts in one call (specification, POST /certificates/bulk-import/). */

import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { counted, type ImportedBrief, picked } from "./answers.ts";
import { authorizeBulkImport } from "./authorize_import.ts";
import { importRows, type Refusal } from "./import_rows.ts";
import { readPemItem } from "./pem_item.ts";
import type { ImportRow } from "./rows.ts";

/** What was created, in the order of the items. */
export interface BulkPemReport {
  created_count: number;
  certificates: Pick<ImportedBrief, "id" | "common_name" | "serial_number" | "status" | "valid_to">[];
}

const RULE = { onDuplicate: "error", noun: "item", field: "pem_content" } as const;

/** Items of {@link readPemItem}'s form; all or nothing. Errors: forbidden, invalid (`failed_certificates`). */
export async function bulkImportPem(
  { ctx, input }: { ctx: Context; input: readonly unknown[] },
): Promise<BulkPemReport> {
  const allowed = authorizeBulkImport(ctx);
  const max = ctx.settings.bulkImportMaxBatchSize;
  if (input.length === 0) throw new AppError("invalid", "Expected a list with at least one certificate.");
  if (input.length > max) {
    throw new AppError(
      "invalid",
      `Batch too large: expected at most ${max} certificates, not ${input.length}.`,
    );
  }
  const pause = pacer();
  const rows: ImportRow[] = [];
  for (const [place, item] of input.entries()) rows.push(await inSlices(readPemItem(item, place), pause));
  const { created } = await importRows({ ctx, allowed, rows, rule: RULE }, refusalOf(rows.length));
  return {
    created_count: created.length,
    certificates: created.map(({ object }) =>
      picked(object, ["id", "common_name", "serial_number", "status", "valid_to"])
    ),
  };
}

function refusalOf(total: number): Refusal {
  return (failed) =>
    new AppError("invalid", {
      detail: `${failed.length} of ${counted(total, "certificate")} failed validation. Nothing was imported.`,
      failed_certificates: failed.map(({ place, errors }) => ({ index: place, errors })),
    });
}
