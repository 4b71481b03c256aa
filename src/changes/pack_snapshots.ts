/** Packs the snapshots of change records. The view `change_snapshots` and {@link snapshotText} unpack them. */

import { sha256Hex } from "../base/bytes.ts";
import { type Cell, jsonText } from "../db/mod.ts";
import { packText, unpackText } from "./pack_text.ts";

type Snapshot = Readonly<Record<string, unknown>>;

/** The cells of a change record. */
export interface PackedSnapshots {
  /** The snapshots as texts; null if there is none, or if both are in `snapshots`. */
  readonly prechange: string | null;
  readonly postchange: string | null;
  /** The names of the fields in `snapshots`, and its bytes as hexadecimal digits. */
  readonly shape: number | null;
  readonly snapshots: string | null;
}

/** The names of fields, as a list and as JSON, and the hash of them. */
interface Shape {
  readonly names: readonly string[];
  readonly key: string;
  readonly shape: number;
}

interface Named extends Shape {
  readonly snapshot: Snapshot;
}

/** Hex digits of a shape's number: 48 bits, which JSON and SQLite keep exactly. */
const SHAPE_DIGITS = 12;
/**
 * Characters of the snapshots that are compressed: fewer are not worth it, and a page of changes must not become many
 * times larger while it is read.
 */
const [MIN_PACKED_CHARS, MAX_PACKED_CHARS] = [200, 16_384];
/** What packed snapshots begin with in the view, before and after the change (see migration 0034). */
const [BEFORE, AFTER] = ["b", "a"] as const;

/** Returns the cells of each change, and the names of the fields of each shape as a JSON list. */
export function packSnapshots(
  changes: readonly { readonly prechange: Snapshot | null; readonly postchange: Snapshot | null }[],
): { snapshots: PackedSnapshots[]; shapes: Map<number, string> } {
  const shapes = new Map<number, string>();
  let last: Shape | undefined;
  const named = (snapshot: Snapshot | null): Named | undefined => {
    if (snapshot === null) return undefined;
    // As in JSON, undefined members do not exist.
    const names = Object.keys(snapshot).filter((name) => snapshot[name] !== undefined);
    // Most snapshots of a request have the same names.
    if (last?.names.length !== names.length || names.some((name, place) => name !== last?.names[place])) {
      const key = jsonText(names);
      last = { names, key, shape: parseInt(sha256Hex(key).slice(0, SHAPE_DIGITS), 16) };
      shapes.set(last.shape, key);
    }
    return { ...last, snapshot };
  };
  const snapshots = changes.map(({ prechange, postchange }) => cellsOf(named(prechange), named(postchange)));
  return { snapshots, shapes };
}

function cellsOf(before: Named | undefined, after: Named | undefined): PackedSnapshots {
  const same = before === undefined || after === undefined || before.key === after.key;
  const { shape } = before ?? after ?? {};
  const changed = before && after && same ? changedValues(before, after) : undefined;
  if (same && shape !== undefined) {
    const text = `${before ? jsonText(valuesOf(before)) : ""}\n${
      changed ?? (after ? jsonText(valuesOf(after)) : "")
    }`;
    const fits = text.length >= MIN_PACKED_CHARS && text.length <= MAX_PACKED_CHARS;
    const packed = fits ? packText(text) : undefined;
    if (packed !== undefined) return { prechange: null, postchange: null, shape, snapshots: packed.toHex() };
  }
  const listOf = (each: Named | undefined): string | null =>
    each === undefined ? null : jsonText([each.shape, ...valuesOf(each)]);
  return { prechange: listOf(before), postchange: changed ?? listOf(after), shape: null, snapshots: null };
}

function valuesOf({ names, snapshot }: Named): unknown[] {
  return names.map((name) => snapshot[name]);
}

/** Returns the changed values by "#" and their place; undefined if nothing has changed. */
function changedValues({ snapshot: before, names }: Named, { snapshot: after }: Named): string | undefined {
  const changed = names.flatMap((name, place) =>
    JSON.stringify(before[name]) === JSON.stringify(after[name]) ? [] : [[`#${place}`, after[name]]]
  );
  return changed.length === 0 ? undefined : jsonText(Object.fromEntries(changed));
}

/** Returns a snapshot as JSON, from a cell of the view `change_snapshots`; null if there is none. */
export function snapshotText(cell: Cell): string | null {
  if (typeof cell !== "string" || !(cell.startsWith(BEFORE) || cell.startsWith(AFTER))) {
    return cell as string | null;
  }
  const end = cell.indexOf("[");
  const packed = Uint8Array.fromHex(cell.slice(1, end));
  const [before = "", after = ""] = unpackText(packed, MAX_PACKED_CHARS).split("\n");
  const wanted = cell.startsWith(BEFORE) ? before : after;
  const isList = wanted.startsWith("[");
  const values: unknown[] = JSON.parse(isList ? wanted : before);
  if (!isList) {
    for (const [key, value] of Object.entries(JSON.parse(wanted))) values[Number(key.slice(1))] = value;
  }
  const names: string[] = JSON.parse(cell.slice(end));
  return JSON.stringify(Object.fromEntries(names.map((name, place) => [name, values[place]])));
}
