/** Packs the snapshots of change records. The view `change_snapshots` unpacks them. */

import { sha256Hex } from "../base/bytes.ts";
import { jsonText } from "../db/mod.ts";

type Snapshot = Readonly<Record<string, unknown>>;

/** The cells of a change record. */
export interface PackedSnapshots {
  readonly prechange: string | null;
  readonly postchange: string | null;
}

/** Hex digits of a shape's number: 48 bits, which JSON and SQLite keep exactly. */
const SHAPE_DIGITS = 12;

/** Returns the cells of each change, and the names of the fields of each shape as a JSON list. */
export function packSnapshots(
  changes: readonly { readonly prechange: Snapshot | null; readonly postchange: Snapshot | null }[],
): { snapshots: PackedSnapshots[]; shapes: Map<number, string> } {
  const numbers = new Map<string, number>();
  const shapeOf = (names: string): number => {
    const shape = numbers.get(names) ?? parseInt(sha256Hex(names).slice(0, SHAPE_DIGITS), 16);
    numbers.set(names, shape);
    return shape;
  };
  const listOf = (snapshot: Snapshot, names: readonly string[]): string =>
    jsonText([shapeOf(jsonText(names)), ...names.map((name) => snapshot[name])]);
  const snapshots = changes.map(({ prechange, postchange }): PackedSnapshots => {
    const before = prechange === null ? [] : namesOf(prechange);
    const after = postchange === null ? [] : namesOf(postchange);
    return {
      prechange: prechange === null ? null : listOf(prechange, before),
      postchange: postchange === null
        ? null
        : prechange !== null && before.join() === after.join()
        ? changedValues(prechange, postchange, after) ?? listOf(postchange, after)
        : listOf(postchange, after),
    };
  });
  return { snapshots, shapes: new Map([...numbers].map(([names, shape]) => [shape, names])) };
}

/** As in JSON, undefined members do not exist. */
function namesOf(snapshot: Snapshot): string[] {
  return Object.keys(snapshot).filter((name) => snapshot[name] !== undefined);
}

/** Returns the changed values by "#" and their place; undefined if nothing has changed. */
function changedValues(before: Snapshot, after: Snapshot, names: readonly string[]): string | undefined {
  const changed = names.flatMap((name, place) =>
    JSON.stringify(before[name]) === JSON.stringify(after[name]) ? [] : [[`#${place}`, after[name]]]
  );
  return changed.length === 0 ? undefined : jsonText(Object.fromEntries(changed));
}
