/** Converts pasted text or an uploaded file to a document that can be stored. */

import type { Context } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { type DataDocument, type DataFormat, isWorkbook, readDocument } from "../import/mod.ts";
import { containerOf, PRIVATE_KEY_MESSAGE, searchingKey } from "../../../x509/mod.ts";
import { sizeText } from "../../../base/amounts.ts";
import type { StoredDocument } from "./find_preview.ts";

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
): Promise<{ text: string; document: DataDocument }> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content).length : content.length;
  const max = ctx.settings.importFileMaxBytes;
  if (bytes > max) {
    throw refused(`The document has ${sizeText(bytes)}, more than the limit of ${sizeText(max)}.`);
  }
  if (typeof content !== "string" && await inSlices(searchingKey(content))) {
    throw refused(PRIVATE_KEY_MESSAGE);
  }
  const text = (typeof content === "string" ? content : decode(content)).toWellFormed();
  if (text.trim() === "") throw refused("Paste a table or choose a file.");
  const document = await readStored(ctx, { text, format, chosen: new Map(), edits: new Map() });
  if (document.rows.length === 0) {
    const messages = document.errors.slice(0, MAX_REPORTED).map(({ row, field, message }) => {
      const where = row === 0 ? "" : `Row ${row}${field === "__all__" ? "" : `, ${field}`}: `;
      return `${where}${message}`;
    });
    throw invalid({ [FIELD]: messages });
  }
  if (text.includes("\0")) throw refused("The document is not text: it contains null characters.");
  return { text, document };
}

/** Parses the stored document of a preview. */
export async function readStored(
  { settings }: Context,
  { text, format, ...spreadsheet }: Omit<StoredDocument, "format"> & { format: "auto" | DataFormat },
): Promise<DataDocument> {
  return await readDocument({ source: text, format }, {
    field: FIELD,
    maxRows: settings.importMaxRows,
    maxCertificates: settings.bulkImportMaxBatchSize,
    spreadsheet,
  });
}

function refused(message: string): Error {
  return invalid({ [FIELD]: [message] });
}

const WORKBOOK_MESSAGE =
  "This is a workbook of a spreadsheet program (.xlsx, .xls or .ods). Open it, choose " +
  "“Save as”, “CSV UTF-8”, and import that file. Or copy the cells with their headings and paste them here.";

/** Decodes UTF-8, and UTF-16 with a byte order mark, which spreadsheets write. Errors: invalid. */
function decode(bytes: Uint8Array): string {
  if (isWorkbook(bytes)) throw refused(WORKBOOK_MESSAGE);
  const container = containerOf(bytes);
  if (container !== undefined) throw refused(`${container}.`);
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw refused("The file is not text in UTF-8 or UTF-16. Save it as “CSV UTF-8”, or as JSON.");
  }
}
