/** Parses a PEM bundle, as exports write it, into rows. */

import { PRIVATE_KEY_MESSAGE, readingCertificates, searchingKey } from "../../../x509/mod.ts";
import type { DataDocument } from "./data_document.ts";
import type { DataTable } from "./data_input.ts";
import { readPemItem, readPemItems } from "./pem_item.ts";
import type { ImportRow } from "./rows.ts";
import type { Values } from "../../../resource/mod.ts";

/** The comment before each certificate of an export by this service or by NetBox's certificate plugin. */
const HEADING = /^# (?:Common name|Certificate): /m;
const BLOCK = /^-----BEGIN /m;

/** Returns whether a text is a PEM bundle: blocks, or comments before one. */
export function isPemDocument(text: string): boolean {
  const first = text.split("\n").find((line) => !/^\ufeff?(?:#.*)?\s*$/.test(line)) ?? "";
  return first.replace(/^\ufeff/, "").startsWith("-----BEGIN ");
}

/** Returns whether a text is a PEM bundle with a comment before each certificate, as exports write it. */
export function hasHeadings(text: string): boolean {
  return HEADING.test(text) && isPemDocument(text);
}

/**
 * Parses a bundle in slices: a row for each certificate with a comment (and its chain), or without comments
 * for each block.
 */
export function* readPemDocument(
  source: DataTable["source"],
  { field, maxRows }: { field: string; maxRows: number },
): Generator<void, DataDocument> {
  const refused = (message: string): DataDocument => ({
    rows: [],
    errors: [{ row: 0, field, message }],
    total: 0,
    form: "pem",
    named: [],
  });
  if (typeof source !== "string") return refused("Expected PEM as text.");
  if (yield* searchingKey(source)) return refused(PRIVATE_KEY_MESSAGE);
  const rows = HEADING.test(source) ? yield* headedRows(source, maxRows) : yield* blockRows(source, maxRows);
  if (rows === undefined) return refused(`Batch too large: expected at most ${maxRows} certificates.`);
  return { rows, errors: [], total: rows.length, form: "pem", named: [] };
}

function* headedRows(text: string, maxRows: number): Generator<void, ImportRow[] | undefined> {
  const sections = text.split(new RegExp(`(?=${HEADING.source})`, "m")).filter((one) => HEADING.test(one));
  if (sections.length > maxRows) return undefined;
  const rows: ImportRow[] = [];
  for (const section of sections) {
    yield;
    const place = rows.length + 1;
    const row = BLOCK.test(section)
      ? yield* readPemItem({ pem_content: section }, place)
      : { place, body: {}, errors: {}, without: "The document has no PEM for this certificate." };
    rows.push({ ...row, cells: cellsOf(section, row) });
  }
  return rows;
}

function* blockRows(text: string, maxRows: number): Generator<void, ImportRow[] | undefined> {
  const { members } = yield* readingCertificates(text);
  if (members.length > maxRows) return undefined;
  const rows = yield* readPemItems({ pem_content: text });
  return rows.map((row, index) => ({ ...row, place: index + 1, cells: cellsOf("", row) }));
}

/** Returns the cells that a preview shows. */
function cellsOf(section: string, { certificate, body }: ImportRow): Values {
  const heading = section.split("\n", 1)[0]?.replace(HEADING, "").trim();
  return {
    ...(heading ? { common_name: heading } : {}),
    ...(certificate === undefined ? {} : { issuer: certificate.issuer.text }),
    ...(body.pem_content === undefined ? {} : { pem_content: body.pem_content }),
  };
}
