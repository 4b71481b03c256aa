/** From what was pasted or uploaded to a document that may be kept. */

import type { Context } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { type DataDocument, readDocument } from "../import/mod.ts";
import { PRIVATE_KEY_MESSAGE, searchingKey } from "../../../x509/mod.ts";
import { sizeText } from "../../../base/size_text.ts";

/** Findings about a document without any row that are told; more of them help nobody. */
const MAX_TOLD = 20;

/** Under which messages about the document stand. */
const FIELD = "content";

/** A text with the table in it. */
export interface ReadContent {
  readonly text: string;
  readonly document: DataDocument;
}

/**
 * Reads a document that holds rows. One that holds a private key is refused first of all, for it shall never be stored.
 * Errors: invalid, on `content`.
 */
export async function readContent(
  { settings }: Context,
  { content, format }: { content: string | Uint8Array; format: "auto" | "csv" | "json" },
): Promise<ReadContent> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content).length : content.length;
  const max = settings.importFileMaxBytes;
  if (bytes > max) {
    throw refused(`The document has ${sizeText(bytes)}, more than the limit of ${sizeText(max)}.`);
  }
  if (typeof content !== "string" && await inSlices(searchingKey(content))) {
    throw refused(PRIVATE_KEY_MESSAGE);
  }
  const text = (typeof content === "string" ? content : decode(content)).toWellFormed();
  if (text.trim() === "") throw refused("Paste a table or choose a file.");
  const document = await parse(text, { format, maxRows: settings.bulkImportMaxBatchSize });
  if (text.includes("\0")) throw refused("The document is no text: it holds null characters.");
  return { text, document };
}

/** Reads a document that was kept. */
export async function readKept({ settings }: Context, { text, format }: {
  text: string;
  format: "csv" | "json";
}): Promise<DataDocument> {
  return await inSlices(readDocument({ source: text, format }, {
    field: FIELD,
    maxRows: settings.bulkImportMaxBatchSize,
  }));
}

async function parse(
  text: string,
  { format, maxRows }: { format: "auto" | "csv" | "json"; maxRows: number },
): Promise<DataDocument> {
  const document = await inSlices(readDocument({ source: text, format }, { field: FIELD, maxRows }));
  if (document.rows.length > 0) return document;
  const messages = document.errors.slice(0, MAX_TOLD).map(({ row, field, message }) => {
    const where = row === 0 ? "" : `Row ${row}${field === "__all__" ? "" : `, ${field}`}: `;
    return `${where}${message}`;
  });
  throw invalid({ [FIELD]: messages });
}

function refused(message: string): Error {
  return invalid({ [FIELD]: [message] });
}

/** Spreadsheets write UTF-8, and UTF-16 with a mark before it. Errors: invalid. */
function decode(bytes: Uint8Array): string {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw refused("The file is no text in UTF-8 or UTF-16. Save it as “CSV UTF-8”, or as JSON.");
  }
}
