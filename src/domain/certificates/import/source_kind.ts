/** Recognizes imported data by its content: certificates, or a table of them. */

import { readLayout } from "../../../base/spellings/tables.ts";
import { isYamlList } from "../../../formats/mod.ts";
import { decodeText } from "../../../x509/mod.ts";
import { columnMeant, isImportColumn } from "./columns.ts";
import { hasHeadings } from "./pem_document.ts";

/** Number of characters of a text that are examined. */
const HEAD_CHARS = 64 * 1024;
/** Texts in workbooks: the beginning of compound files (.xls), and the names of files in archives (.xlsx, .ods). */
const WORKBOOKS = /^(?:\xd0\xcf.\xe0|PK.*(?:\[Content_Types\]\.xml|mimetypeapplication\/vnd\.oasis))/s;

/** A column that a table of certificates has, as a member in JSON, a key in YAML or a heading. */
const COLUMN = /common_name|serial_number|fingerprint_sha256|pem_content/;

/** Returns whether a file is a workbook of a spreadsheet program. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return WORKBOOKS.test(new TextDecoder("latin1").decode(bytes));
}

/**
 * Returns "table" for CSV, JSON, YAML and workbooks (which are refused with advice when they are read as
 * tables), and for PEM bundles of exports, in which comments name the certificates. Returns "certificates"
 * for anything else.
 */
export function sourceKind(content: string | Uint8Array): "certificates" | "table" {
  if (typeof content !== "string" && isWorkbook(content)) return "table";
  const text = typeof content === "string" ? content : decodeText(content);
  // Binary: DER or PKCS#7.
  if (text === undefined) return "certificates";
  const head = text.slice(0, HEAD_CHARS).replace(/^\ufeff/, "").trimStart();
  if (hasHeadings(head)) return "table";
  // In a table, a quote precedes the block in a cell. JSON of another program has none of our columns.
  if (/^-----BEGIN /m.test(text) || (/BEGIN [A-Z0-9. ]*CERTIFICATE/.test(head) && !COLUMN.test(head))) {
    return "certificates";
  }
  return /^[[{]/.test(head) || isYamlList(head) || isSeparated(head) ? "table" : "certificates";
}

/**
 * Returns whether a text is CSV: a known heading among several, or at least three columns in the first two
 * lines.
 */
function isSeparated(head: string): boolean {
  const { table, separator } = readLayout(head);
  const oneLine = table.replaceAll(/"[^"]*"/g, (cell) => cell.replaceAll(/\s+/g, " "));
  const [first = [], second = []] = oneLine.split(/\r?\n|\r/, 2).map((line) =>
    line.split(separator).map((cell) => cell.trim().replaceAll('"', ""))
  );
  if (first.length < 2) return false;
  if (first.some((cell) => isImportColumn(columnMeant(cell) ?? ""))) return true;
  return first.length > 2 && first.length === second.length;
}
