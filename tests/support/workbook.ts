/** Makes workbooks (.xlsx) and ZIP archives for tests, also hostile ones. */

import { deflateRawSync } from "node:zlib";

/** A value of a cell: a text, a number, a flag; a date is a number with a style; anything else is XML of a cell. */
export type CellValue = string | number | boolean | null | { readonly date: number } | {
  readonly xml: string;
};

/** What differs from a usual workbook. */
export interface WorkbookOptions {
  readonly title?: string;
  /** Writes texts into the cells, as libraries do, and not into a list of texts, as Excel does. */
  readonly inline?: boolean;
  readonly is1904?: boolean;
  /** Prefix of the elements, as some libraries write it. */
  readonly prefix?: string;
  /** Members that replace those of the workbook, or are added. */
  readonly members?: Readonly<Record<string, string>>;
}

export function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  );
}

function columnName(index: number): string {
  const letter = String.fromCharCode(65 + index % 26);
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

/** Returns a workbook whose sheet has these rows. */
export function workbook(
  rows: readonly (readonly CellValue[])[],
  { title = "Sheet1", inline = false, is1904 = false, prefix = "", members = {} }: WorkbookOptions = {},
): Uint8Array<ArrayBuffer> {
  const texts: string[] = [];
  const cell = (value: CellValue, at: string): string => {
    if (value === null || value === "") return "";
    if (typeof value === "number") return `<c r="${at}"><v>${value}</v></c>`;
    if (typeof value === "boolean") return `<c r="${at}" t="b"><v>${Number(value)}</v></c>`;
    if (typeof value === "object") {
      return "xml" in value
        ? value.xml.replace("<c", `<c r="${at}"`)
        : `<c r="${at}" s="1"><v>${value.date}</v></c>`;
    }
    const text = `<t xml:space="preserve">${xmlText(value)}</t>`;
    if (inline) return `<c r="${at}" t="inlineStr"><is>${text}</is></c>`;
    return `<c r="${at}" t="s"><v>${texts.push(text) - 1}</v></c>`;
  };
  const sheet = rows.map((row, index) => {
    const cells = row.map((value, column) => cell(value, `${columnName(column)}${index + 1}`)).join("");
    return cells === "" ? "" : `<row r="${index + 1}">${cells}</row>`;
  }).join("");
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const parts: Record<string, string> = {
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": `<?xml version="1.0"?><workbook ${main} xmlns:r="${types}"><workbookPr${
      is1904 ? ' date1904="1"' : ""
    }/><sheets><sheet name="${xmlText(title)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels":
      `<Relationships><Relationship Id="rId1" Type="${types}/worksheet" Target="worksheets/sheet1.xml"/>` +
      `<Relationship Id="rId2" Type="${types}/styles" Target="styles.xml"/>` +
      `<Relationship Id="rId3" Type="${types}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    "xl/styles.xml":
      `<styleSheet ${main}><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet ${main}><sheetData>${sheet}</sheetData></worksheet>`,
    "xl/sharedStrings.xml": `<sst ${main}>${texts.map((text) => `<si>${text}</si>`).join("")}</sst>`,
    ...members,
  };
  if (prefix !== "") {
    for (const name of ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"]) {
      parts[name] = (parts[name] ?? "").replaceAll(/<(\/?)(?=[a-z])/gi, `<$1${prefix}:`).replace(
        " xmlns=",
        ` xmlns:${prefix}=`,
      );
    }
  }
  return zip(
    Object.entries(parts).map(([name, text]) => ({ name, content: new TextEncoder().encode(text) })),
  );
}

/** A member of an archive; `size` is the stated one. */
export interface Member {
  readonly name: string;
  readonly content: Uint8Array;
  readonly flags?: number;
}

/** Returns a ZIP archive. Its checksums are zero, because readers of this project do not compare them. */
export function zip(members: readonly Member[]): Uint8Array<ArrayBuffer> {
  const locals: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, content, flags = 0 } of members) {
    const [title, packed] = [new TextEncoder().encode(name), new Uint8Array(deflateRawSync(content))];
    const common = [[20, 2], [flags, 2], [8, 2], [0, 4], [0, 4], [packed.length, 4], [
      content.length,
      4,
    ]] as const;
    const local = [
      fields([[0x04034b50, 4], ...common, [title.length, 2], [0, 2]]),
      title,
      packed,
    ];
    directory.push(
      fields([
        ...[[0x02014b50, 4], [20, 2], ...common, [title.length, 2], [0, 2], [0, 2], [0, 2], [0, 2], [
          0,
          4,
        ]] as const,
        [offset, 4],
      ]),
      title,
    );
    locals.push(...local);
    offset += local.reduce((sum, one) => sum + one.length, 0);
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const count = members.length;
  const end = fields([[0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [offset, 4], [
    0,
    2,
  ]]);
  const all = [...locals, ...directory, end];
  const bytes = new Uint8Array(all.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const one of all) {
    bytes.set(one, at);
    at += one.length;
  }
  return bytes;
}

function fields(values: readonly (readonly [value: number, bytes: number])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [, bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [value, bytes] of values) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}
