/**
 * The document that transfers a whole inventory to another instance: the objects of all kinds as the API
 * shows them.
 */

import { authorize, type Context } from "../../auth/mod.ts";
import { randomText } from "../../base/bytes.ts";
import { listObjects, type Page, parseListQuery } from "../../resource/mod.ts";
import type { ImportKind } from "./import_kind.ts";
import { KINDS } from "./kinds.ts";
import type { RemoteRecord } from "./remote_record.ts";

/** Number of objects that are read at once, which is small because certificates include their PEM. */
const PAGE_SIZE = 25;
/** Version of the document. */
const VERSION = 1;
const SOURCE_CHARS = 22;

/** The first line of a document. */
export interface InventoryHead {
  readonly certmgr_inventory: number;
  /** Identifies the document, so that importing it twice creates no duplicates. */
  readonly source: string;
}

/** Any other line. */
export interface InventoryLine {
  readonly kind: string;
  readonly record: RemoteRecord;
}

/** Writes the document: a JSON list with an object on each line. Errors: forbidden. */
export async function* writeInventory(ctx: Context): AsyncGenerator<string> {
  for (const { resource } of KINDS) authorize(ctx, "view", resource.map);
  const head: InventoryHead = { certmgr_inventory: VERSION, source: randomText(SOURCE_CHARS) };
  yield `[${JSON.stringify(head)}`;
  for (const kind of KINDS) {
    for await (const records of readKind(ctx, kind)) {
      yield records.map((record) => `,\n${JSON.stringify({ kind: kind.name, record })}`).join("");
    }
  }
  yield "\n]\n";
}

async function* readKind(
  ctx: Context,
  { resource, copied, references, generic, later }: ImportKind,
): AsyncGenerator<RemoteRecord[]> {
  const generics = generic === undefined ? [] : [`${generic}_type`, `${generic}_id`];
  const fields = ["id", "display", "tags", ...copied, ...Object.keys(references), ...generics, later ?? "id"]
    .filter((name) => name === "display" || name in resource.fields);
  for (let start: number | null = 0; start !== null;) {
    const params = new URLSearchParams({
      fields: [...new Set(fields)].join(","),
      limit: String(PAGE_SIZE),
      start: String(start),
      ...("archived" in resource.fields ? { archived: "any" } : {}),
    });
    const page: Page = await listObjects({ ctx, resource, query: parseListQuery(ctx, { resource, params }) });
    if (page.results.length > 0) yield page.results;
    start = page.nextStart;
  }
}

/** Reads the first line; undefined for another document. */
export function readInventoryHead(line: string): InventoryHead | undefined {
  const { certmgr_inventory, source }: Partial<InventoryHead> = readLine(line) ?? {};
  return certmgr_inventory === VERSION && typeof source === "string"
    ? { certmgr_inventory, source }
    : undefined;
}

/** Reads any other line; undefined for the end of the document and for an invalid line. */
export function readInventoryLine(line: string): { kind: ImportKind; record: RemoteRecord } | undefined {
  const { kind: name, record }: Partial<InventoryLine> = readLine(line) ?? {};
  const kind = KINDS.find((one) => one.name === name);
  return kind === undefined || record === undefined || !Number.isSafeInteger(record?.id)
    ? undefined
    : { kind, record };
}

function readLine<Line extends object>(line: string): Partial<Line> | undefined {
  try {
    return JSON.parse(line.trim().replace(/^\[/, "").replace(/,$/, "").replace(/^,/, ""));
  } catch {
    return undefined;
  }
}
