/** Plans the import of a document, and shows the plan as the rows of a preview. */

import type { Context } from "../../../auth/mod.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import type { Condition } from "../../../filters/mod.ts";
import {
  type DataDocument,
  type ImportRow,
  mergeErrors,
  messagesOf,
  planRows,
  previewRows,
  type RowStatus,
  withoutColumns,
} from "../import/mod.ts";
import type { DocumentError, PreviewOptions } from "./preview.ts";
import type { Values } from "../../../resource/mod.ts";

/** A row with the result that an import would have. */
export interface CheckedRow {
  readonly place: number;
  readonly status: RowStatus;
  readonly cells: Readonly<Values>;
  readonly messages: FieldErrors;
  readonly existing: number | null;
}

export interface CheckedDocument {
  readonly errors: readonly DocumentError[];
  readonly rows: readonly CheckedRow[];
}

/** A document, and how it is imported. */
interface Planned {
  readonly document: DataDocument;
  readonly options: PreviewOptions;
}

/** Returns what {@link planRows} and {@link previewRows} take. */
export function planOf(
  { document, options: { onDuplicate, overwrite, tenant } }: Planned,
): { rows: ImportRow[]; rule: Parameters<typeof planRows>[2] } {
  return {
    rows: document.rows.map((row) => withTenant(row, tenant)),
    rule: { onDuplicate, overwrite, noun: "row", field: "serial_number" },
  };
}

/** Sets the tenant of a row that has none. */
function withTenant(row: ImportRow, tenant: string): ImportRow {
  const own = row.named?.tenant !== undefined || row.body.tenant !== undefined ||
    row.errors.tenant !== undefined;
  return own || tenant === "" ? row : { ...row, named: { ...row.named, tenant: [tenant] } };
}

/**
 * Plans the import of a document, and stores nothing. Returns all rows; unreadable ones have messages but no cells. The
 * number of statements does not depend on the number of rows.
 */
export async function checkDocument(
  { ctx, allowed, ...planned }: Planned & { ctx: Context; allowed: Condition },
): Promise<CheckedDocument> {
  const { document } = planned;
  const { rows } = await previewRows({ ctx, allowed, ...planOf(planned) });
  const plan = new Map(withoutColumns(rows, document.errors).map((row) => [row.place, row]));
  const cells = new Map(document.rows.map((row) => [row.place, row.cells ?? {}]));
  const found = Map.groupBy(document.errors, ({ row }) => row);
  const places = new Set([...plan.keys(), ...found.keys()].sort((a, b) => a - b));
  places.delete(0);
  return {
    errors: (found.get(0) ?? []).map(({ row: _, ...error }) => error),
    rows: [...places].map((place) => {
      const row = plan.get(place);
      const own = found.get(place)?.map(({ field, message }) => ({ [field]: [message] })) ?? [];
      const errors = mergeErrors([...own, row?.errors ?? {}]);
      const isWrong = row === undefined || Object.keys(errors).length > 0;
      return {
        place,
        status: isWrong ? "error" : row.status,
        cells: cells.get(place) ?? {},
        messages: isWrong ? errors : messagesOf(row),
        existing: row?.existing ?? null,
      };
    }),
  };
}
