/**
 * Stores the snapshots of a change: the object before and after it, as JSON that zlib compresses. As plain texts, a new
 * certificate with a PEM would take two kilobytes in the change log instead of 0.8.
 */

import { Buffer } from "node:buffer";
import { deflateSync, inflateSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { type Cell, jsonText } from "../db/mod.ts";
import { object_changes } from "../db/schema/mod.ts";

/** The fields of an object. */
export type Snapshot = Record<string, unknown>;

/** An object before and after a change; null if it did not exist. */
export interface Snapshots {
  readonly prechange: Snapshot | null;
  readonly postchange: Snapshot | null;
}

/**
 * Length of snapshots that are compressed. Shorter ones, such as of a row of a table, are half as large with it, but an
 * import of a table takes a twentieth longer. Of longer ones, a page of changes would become many times larger while it is
 * read.
 */
const COMPRESSED_CHARS = { min: 1_500, max: 16_384 };
/** Memory for short texts, which are as small with it. The default takes a third longer, and a twentieth of an import. */
const SMALL = { memLevel: 5, windowBits: 12, chunkSize: 2_048 };
/** The first byte of JSON, which is not compressed. Compressed snapshots begin with another one (RFC 1950). */
const JSON_MARK = "[".charCodeAt(0);

/** Returns the column `snapshots` of a change: JSON, or the hexadecimal digits of what is compressed. */
export function packSnapshots({ prechange, postchange }: Snapshots): string {
  const text = jsonText([prechange, postchange]);
  const { min, max } = COMPRESSED_CHARS;
  return text.length >= min && text.length <= max ? deflateSync(text, SMALL).toString("hex") : text;
}

/** Expression for the snapshots in a row of `object_changes`. {@link readSnapshots} decodes its value. */
export const SNAPSHOTS = sql<string>`hex(${object_changes.snapshots})`;

/** Decodes the value of {@link SNAPSHOTS}. */
export function readSnapshots(cell: Cell): Snapshots {
  const bytes = Buffer.from(String(cell), "hex");
  const text = bytes[0] === JSON_MARK ? bytes : inflateSync(bytes);
  const [prechange, postchange] = JSON.parse(text.toString());
  return { prechange, postchange };
}

/** Returns the names of the fields that an update changed; none for a creation or deletion. */
export function changedNames({ prechange, postchange }: Snapshots): string[] {
  if (prechange === null || postchange === null) return [];
  const names = new Set([...Object.keys(prechange), ...Object.keys(postchange)]);
  return [...names].filter((name) =>
    name !== "last_updated" && !isSameValue(prechange[name], postchange[name])
  );
}

/** Returns whether two values of snapshots are the same. Fast for plain values. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  return JSON.stringify(one) === JSON.stringify(other);
}
