/** Imports many PEM texts in one call: `bulk-import/` with a list. */

import { z } from "zod";
import { counted } from "../../../base/amounts.ts";
import type { Context } from "../../../auth/mod.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import type { Condition } from "../../../filters/mod.ts";
import {
  type BodyFinding,
  type Elements,
  elementsOf,
  fieldErrors,
  objectBody,
} from "../../../operation/mod.ts";
import { PRIVATE_KEY_MESSAGE } from "../../../x509/mod.ts";
import { DUPLICATE_FIELDS, ImportedBrief } from "./responses.ts";
import { importRows } from "./import_rows.ts";
import { PemItem, readPemElement } from "./pem_item.ts";
import type { DuplicateRule, ImportOutcome, ImportRow } from "./rows.ts";

/** The created certificates, in the order of the elements. */
export const BulkPemReport = z.object({
  created_count: z.int(),
  certificates: z.array(ImportedBrief.omit({ url: true })),
});

const RULE = { noun: "item", field: "pem_content" } as const;

/** A list in an object, which can also say how to handle existing certificates. */
export const PemList = objectBody({
  certificates: elementsOf(PemItem).describe("Certificates, as in the list."),
  ...DUPLICATE_FIELDS,
});

/**
 * Imports the elements of a list; all or nothing. Returns what was created, and the whole outcome. Errors: invalid
 * (`failed_certificates`).
 */
export async function importElements(
  { ctx, allowed, elements, choice }: {
    ctx: Context;
    allowed: Condition;
    elements: Elements<PemItem>;
    choice: Pick<DuplicateRule, "onDuplicate" | "overwrite">;
  },
): Promise<ImportOutcome> {
  const { length } = elements;
  const max = ctx.settings.bulkImportMaxBatchSize;
  if (length === 0) throw new AppError("invalid", "Expected a list with at least one certificate.");
  if (length > max) {
    throw new AppError("invalid", `Batch too large: expected at most ${max} certificates, not ${length}.`);
  }
  const pause = pacer();
  const rows: ImportRow[] = [];
  for (const element of elements.parsed()) {
    rows.push(await inSlices(readPemElement(element, rows.length), pause));
  }
  return await importRows(
    { ctx, allowed, rows, rule: { ...RULE, ...choice } },
    (planned) =>
      refused(
        planned.filter(({ status }) => status === "error")
          .map(({ place: index, errors }) => ({ index, errors: keysOr(errors) })),
        length,
      ),
  );
}

/** Returns the errors about private keys alone, if there are any: others could repeat parts of the item. */
function keysOr(errors: FieldErrors): FieldErrors {
  const keys = Object.entries(errors).filter(([, messages]) => messages.includes(PRIVATE_KEY_MESSAGE));
  return keys.length === 0 ? errors : Object.fromEntries(keys.map(([name]) => [name, [PRIVATE_KEY_MESSAGE]]));
}

/** Returns the refusal of a list for findings from before its elements were parsed. */
export function refusedElements(findings: readonly BodyFinding[], length: number): AppError {
  const byElement = Map.groupBy(findings, ({ path: [index] }) => Number(index));
  const failed = [...byElement].map(([index, found]) => ({
    index,
    errors: fieldErrors(
      found.map(({ path, message }) => ({
        path: path.length > 1 ? path.slice(1) : ["pem_content"],
        message,
      })),
    ),
  }));
  return refused(failed, length);
}

function refused(failed: readonly { index: number; errors: FieldErrors }[], length: number): AppError {
  return new AppError("invalid", {
    detail: `${failed.length} of ${counted(length, "certificate")} failed validation. Nothing was imported.`,
    failed_certificates: failed,
  });
}
