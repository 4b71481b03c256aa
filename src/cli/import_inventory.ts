/** Imports the document of a whole inventory (`certmgr export --inventory`) into the database. */

import type { Context } from "../auth/mod.ts";
import {
  type DeferredReference,
  type ImportKind,
  importObjects,
  type Outcome,
  readInventoryHead,
  readInventoryLine,
  type RemoteRecord,
  setDeferredReferences,
} from "../domain/netbox/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../x509/mod.ts";
import { TableError } from "./table_splitters.ts";

/** Number of objects that are imported at once. */
const BATCH_OBJECTS = 200;
/** Maximum length of a line: more than a certificate with the longest chain. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;

/** Returns whether a file begins like the document of an inventory. */
export function isInventory(head: Uint8Array): boolean {
  const [first = ""] = new TextDecoder().decode(head).split("\n", 1);
  return readInventoryHead(first) !== undefined;
}

/** Imports a document. Existing objects get the values of the document. Errors: {@link TableError}. */
export async function importInventory(
  ctx: Context,
  path: string,
  progress: (bytes: number) => void,
): Promise<Outcome> {
  const total: Outcome = { created: 0, updated: 0, unchanged: 0, refused: [] };
  let source: string | undefined;
  let kind: ImportKind | undefined;
  let records: RemoteRecord[] = [];
  let later: DeferredReference[] = [];
  const store = async (): Promise<void> => {
    if (kind === undefined || source === undefined || records.length === 0) return;
    const done = await importObjects({ ctx, source, kind, records });
    total.created += done.created;
    total.updated += done.updated;
    total.unchanged += done.unchanged;
    total.refused.push(...done.refused);
    later.push(...done.later);
    records = [];
  };
  const finish = async (): Promise<void> => {
    await store();
    if (kind !== undefined && source !== undefined && later.length > 0) {
      total.refused.push(...await setDeferredReferences({ ctx, source, kind }, later));
    }
    later = [];
  };
  let ended = false;
  for await (const { line, read } of linesOf(path)) {
    if (holdsPrivateKey(line)) throw new TableError(PRIVATE_KEY_MESSAGE);
    if (source === undefined) {
      source = `inventory:${readInventoryHead(line)?.source}`;
      continue;
    }
    ended = line.trim() === "]";
    if (ended) break;
    const found = readInventoryLine(line);
    if (found === undefined) {
      throw new TableError(`Not a line of an inventory document: ${JSON.stringify(line.slice(0, 80))}.`);
    }
    if (found.kind !== kind) await finish();
    kind = found.kind;
    records.push(found.record);
    if (records.length === BATCH_OBJECTS) await store();
    progress(read);
  }
  await finish();
  if (!ended) throw new TableError("The document ends too early. The records before its end were imported.");
  return total;
}

async function* linesOf(path: string): AsyncGenerator<{ line: string; read: number }> {
  using file = await Deno.open(path);
  const decoder = new TextDecoder();
  let rest = "";
  let read = 0;
  for await (const bytes of file.readable) {
    read += bytes.length;
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) {
      throw new TableError(`A line has more than ${MAX_LINE_CHARS} characters.`);
    }
    for (const line of lines) yield { line, read };
  }
  if (rest !== "") yield { line: rest, read };
}
