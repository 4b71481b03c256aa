/** Reads the documents of previews, and plans their imports: the expected result of every row. */

import type { Context } from "../../../auth/mod.ts";
import { sizeText } from "../../../base/amounts.ts";
import { invalid, invalidField } from "../../../base/errors.ts";
import { ALL_FIELDS, concerns } from "../../../base/findings.ts";
import { MAX_PREVIEW_CELL_CHARS } from "../../../base/limits.ts";
import { inSlices } from "../../../base/pace.ts";
import type { Condition } from "../../../filters/mod.ts";
import { LIST_SEPARATOR, readTableText, type TableText } from "../../../formats/mod.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
import { searchingKey } from "../../../x509/mod.ts";
import {
  asListed,
  authorizeBulkImport,
  columnMeant,
  type DataDocument,
  type DataFormat,
  distinctFindings,
  findingsOf,
  type ImportRow,
  isImportColumn,
  KNOWN_COLUMNS,
  type planRows,
  previewRows,
  readDocument,
  type SpreadsheetReading,
  withoutForbidden,
} from "../import/mod.ts";
import {
  countsOf,
  findPreview,
  type Heading,
  type PreviewHead,
  type PreviewOptions,
  type PreviewPlan,
  type PreviewRow,
  savePreview,
  type StoredPreview,
} from "./preview.ts";

/** Maximum number of reported errors of a document without rows; more would not help. */
const MAX_REPORTED = 20;

/** The field for which errors of the document are reported. */
const FIELD = "content";

/**
 * Reads a document with at least one row. Refuses private keys before anything else, so that none is ever
 * stored. Errors: invalid, for `content`.
 */
export async function readContent(
  ctx: Context,
  { content, format }: { content: string | Uint8Array; format: "auto" | DataFormat },
): Promise<{ text: string; document: DataDocument; sheet: TableText["sheet"] }> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content).length : content.length;
  const max = ctx.settings.importFileMaxBytes;
  if (bytes > max) {
    const [size, limit] = [sizeText(bytes), sizeText(max)];
    throw invalidField(FIELD, "document_too_large", { what: "document has", size, limit });
  }
  if (typeof content !== "string" && await inSlices(searchingKey(content))) {
    throw invalidField(FIELD, "private_key");
  }
  const table = typeof content === "string" ? { text: content } : await readTableText(content, {
    columns: KNOWN_COLUMNS,
    prefix: CUSTOM_PREFIX,
    columnOf: columnMeant,
    maxChars: max,
  });
  if ("code" in table) throw invalid([{ ...table, field: FIELD }]);
  const [text, sheet] = [table.text.toWellFormed(), table.sheet];
  if (text.trim() === "") throw invalidField(FIELD, "nothing_given", { what: "a table" });
  const document = await read(ctx, {
    text,
    format: sheet === undefined ? format : "csv",
    chosen: new Map(),
    edits: new Map(),
    isSheet: sheet !== undefined,
  });
  if (document.rows.length === 0) {
    throw invalid(
      document.errors.slice(0, MAX_REPORTED).map(({ row, field, ...one }) => ({
        ...one,
        field: FIELD,
        path: row === 0 ? [] : [`Row ${row}${field === ALL_FIELDS ? "" : `, ${field}`}`],
      })),
    );
  }
  if (text.includes("\0")) throw invalidField(FIELD, "null_in_document");
  return { text, document, sheet };
}

/** Parses the document of a stored preview, with its corrections. */
export async function readStored(
  ctx: Context,
  { head, text, edits }: Pick<StoredPreview, "head" | "text" | "edits">,
): Promise<DataDocument> {
  const chosen = head.headings.filter((one) => one.chosen).map(({ name, column }) => [name, column] as const);
  return await read(ctx, {
    text,
    format: head.format,
    chosen: new Map(chosen),
    edits,
    isSheet: head.sheet !== undefined,
  });
}

async function read(
  { settings }: Context,
  { text, format, ...spreadsheet }: SpreadsheetReading & { text: string; format: "auto" | DataFormat },
): Promise<DataDocument> {
  return await readDocument({ source: text, format }, {
    field: FIELD,
    maxRows: settings.importMaxRows,
    maxCertificates: settings.bulkImportMaxBatchSize,
    spreadsheet,
  });
}

/** A document, and how it is imported. */
interface Planned {
  readonly document: DataDocument;
  readonly options: PreviewOptions & { readonly headings?: readonly Heading[] };
}

/** Returns what {@link planRows} and {@link previewRows} take. */
export function planOf(
  ctx: Context,
  { document, options: { onDuplicate, overwrite, tenant } }: Planned,
): { rows: ImportRow[]; rule: Parameters<typeof planRows>[2] } {
  return {
    rows: document.rows.map((row) => asListed(withTenant(withoutForbidden(ctx, row), tenant))),
    rule: { onDuplicate, overwrite, noun: "row", field: "serial_number" },
  };
}

/** Sets the tenant of a row that has none. */
function withTenant(row: ImportRow, tenant: string): ImportRow {
  const own = row.named?.tenant !== undefined || row.body.tenant !== undefined ||
    concerns(row.errors, "tenant");
  return own || tenant === "" ? row : { ...row, named: { ...row.named, tenant: [tenant] } };
}

/**
 * Plans the import of a document, and stores nothing. Returns all rows; unreadable ones have messages but no cells. The
 * number of statements does not depend on the number of rows.
 */
export async function planPreview(
  { ctx, allowed, ...planned }: Planned & { ctx: Context; allowed: Condition },
): Promise<{ plan: PreviewPlan; rows: PreviewRow[] }> {
  const { document, options: { onDuplicate, overwrite, tenant, sheet, headings = [] } } = planned;
  const preview = await previewRows({ ctx, allowed, ...planOf(ctx, planned) });
  const planOfRow = new Map(preview.rows.map((row) => [row.place, row]));
  const given = new Map(document.rows.map((row) => [row.place, row.cells ?? {}]));
  const found = Map.groupBy(document.errors, ({ row }) => row);
  const places = [...new Set([...planOfRow.keys(), ...found.keys()])].filter((place) => place > 0);
  const checked = places.sort((a, b) => a - b).map((place) => {
    const row = planOfRow.get(place);
    const errors = distinctFindings([...found.get(place) ?? [], ...row?.errors ?? []]);
    const isWrong = row === undefined || errors.length > 0;
    return {
      place,
      status: isWrong ? "error" as const : row.status,
      cells: given.get(place) ?? {},
      messages: isWrong ? errors : findingsOf(row),
      certificateId: row?.existing ?? null,
    };
  });
  // The columns of the document in their order, then missing columns that have errors.
  const names = [
    ...checked.flatMap(({ cells }) => Object.keys(cells)),
    ...checked.flatMap(({ messages }) => messages.map(({ field = "" }) => field)),
  ];
  const columns = [...new Set(names)].filter(isImportColumn);
  const chosen = new Set(headings.filter((one) => one.chosen).map(({ name }) => name));
  return {
    plan: {
      format: document.form,
      onDuplicate,
      overwrite,
      tenant,
      ...(sheet === undefined ? {} : { sheet }),
      counts: countsOf(checked),
      listed:
        checked.filter(({ messages }) => messages.some(({ code }) => code === "known_from_list")).length,
      columns,
      errors: found.get(0) ?? [],
      headings: document.named.filter(({ name }) => name.length <= MAX_PREVIEW_CELL_CHARS)
        .map((one) => ({ ...one, samples: one.samples.map(cellText), chosen: chosen.has(one.name) })),
    },
    rows: checked.map((row) => ({ ...row, cells: columns.map((name) => storedCell(row.cells[name])) })),
  };
}

function storedCell(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = cellText(value);
  return text.length <= MAX_PREVIEW_CELL_CHARS ? text : `${text.slice(0, MAX_PREVIEW_CELL_CHARS)}…`;
}

/**
 * Converts a cell to text. Null characters, which the database does not store, are replaced by their symbol.
 */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  const plain = Array.isArray(value) && value.every((one) => typeof one === "string");
  const text = typeof value === "string" ? value : plain ? value.join(LIST_SEPARATOR) : JSON.stringify(value);
  return text.replaceAll("\0", "\u2400").toWellFormed();
}

/**
 * Plans a preview again, because its corrections or objects to which it refers have changed. A confirmed one stays as it
 * is. Errors: forbidden, not_found.
 */
export async function refreshPreview({ ctx, key }: { ctx: Context; key: string }): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  const stored = await findPreview({ ctx }, key);
  const document = await readStored(ctx, stored);
  const { plan, rows } = await planPreview({ ctx, allowed, document, options: stored.head });
  return await ctx.database.write(async (tx) => {
    const { id, head } = await findPreview({ ctx, reader: tx }, key);
    // Confirmed in the meantime, for example in another tab.
    if (head.confirmed !== null) return head;
    await savePreview(tx, id, { plan, rows });
    return { ...head, ...plan };
  });
}
