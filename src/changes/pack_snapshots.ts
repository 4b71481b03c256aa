/**
 * Packs the snapshots of change records: as values without names, with hexadecimal digits as bytes,
 * compressed. The view `change_snapshots` and {@link snapshotText} unpack them.
 */

import { sha256Hex } from "../base/bytes.ts";
import { compressLz4, decompressLz4 } from "../base/lz4.ts";
import { cacheRecent } from "../base/recent.ts";
import { type Cell, jsonText } from "../db/mod.ts";

type Snapshot = Readonly<Record<string, unknown>>;

/** The cells of a change record. */
export interface PackedSnapshots {
  /** The snapshots as texts; null if there is none, or if both are in `snapshots`. */
  readonly prechange: string | null;
  readonly postchange: string | null;
  /** The number of the list of field names, and the packed snapshots as hexadecimal digits. */
  readonly shape: number | null;
  readonly snapshots: string | null;
}

/** Names of fields, as a list and as JSON, and their hash. */
interface Shape {
  readonly names: readonly string[];
  readonly key: string;
  readonly number: number;
}

interface Named {
  readonly shape: Shape;
  readonly snapshot: Snapshot;
}

/** Number of hexadecimal digits of a shape's number: 48 bits, which JSON and SQLite keep exactly. */
const SHAPE_DIGITS = 12;
/**
 * Minimum and maximum length of snapshots that are compressed: shorter ones gain too little, and a page of
 * changes must not become many times larger while it is read.
 */
const [MIN_PACKED_CHARS, MAX_PACKED_CHARS] = [200, 16_384];
/** The first character of packed snapshots in the view, before and after the change (see migration 0034). */
const [BEFORE, AFTER] = ["b", "a"] as const;

/** Returns the cells of each change, and the field names of each shape as a JSON list. */
export function packSnapshots(
  changes: readonly { readonly prechange: Snapshot | null; readonly postchange: Snapshot | null }[],
): { snapshots: PackedSnapshots[]; shapes: Map<number, string> } {
  const shapes = new Map<number, string>();
  let last: Shape | undefined;
  const named = (snapshot: Snapshot | null): Named | undefined => {
    if (snapshot === null) return undefined;
    // Most snapshots of a request have the same names.
    if (last === undefined || !hasNames(snapshot, last.names)) {
      const names = Object.keys(snapshot).filter((name) => snapshot[name] !== undefined);
      const key = jsonText(names);
      last = { names, key, number: shapeNumber(key) };
      shapes.set(last.number, key);
    }
    return { shape: last, snapshot };
  };
  const snapshots = changes.map(({ prechange, postchange }) => cellsOf(named(prechange), named(postchange)));
  return { snapshots, shapes };
}

/** Returns the number of a list of names. Cached, because most requests change objects of a few types. */
const shapeNumber = cacheRecent((key) => parseInt(sha256Hex(key).slice(0, SHAPE_DIGITS), 16));

/** Returns whether a snapshot has these members in this order. Undefined ones are left out, as in JSON. */
function hasNames(snapshot: Snapshot, names: readonly string[]): boolean {
  let place = 0;
  for (const name in snapshot) {
    if (snapshot[name] !== undefined && names[place++] !== name) return false;
  }
  return place === names.length;
}

function cellsOf(before: Named | undefined, after: Named | undefined): PackedSnapshots {
  const same = before === undefined || after === undefined || before.shape.key === after.shape.key;
  const shape = (before ?? after)?.shape.number;
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
    each === undefined ? null : jsonText([each.shape.number, ...valuesOf(each)]);
  return { prechange: listOf(before), postchange: changed ?? listOf(after), shape: null, snapshots: null };
}

function valuesOf({ shape, snapshot }: Named): unknown[] {
  return shape.names.map((name) => snapshot[name]);
}

/** Returns "#" and the changed values by position; undefined if nothing has changed. */
function changedValues({ snapshot: before, shape }: Named, { snapshot: after }: Named): string | undefined {
  const changed = shape.names.flatMap((name, place) =>
    isSameValue(before[name], after[name]) ? [] : [[`#${place}`, after[name]]]
  );
  return changed.length === 0 ? undefined : jsonText(Object.fromEntries(changed));
}

/** Returns whether two values of snapshots are the same. Fast for plain values. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a snapshot as JSON from a cell of the view `change_snapshots`; null if there is none. */
export function snapshotText(cell: Cell): string | null {
  if (typeof cell !== "string" || !(cell.startsWith(BEFORE) || cell.startsWith(AFTER))) {
    return cell as string | null;
  }
  const end = cell.indexOf("[");
  const packed = Uint8Array.fromHex(cell.slice(1, end));
  const [before = "", after = ""] = unpackText(packed, MAX_PACKED_CHARS).split("\n");
  const chosen = cell.startsWith(BEFORE) ? before : after;
  const isList = chosen.startsWith("[");
  const values: unknown[] = JSON.parse(isList ? chosen : before);
  if (!isList) {
    for (const [key, value] of Object.entries(JSON.parse(chosen))) values[Number(key.slice(1))] = value;
  }
  const names: string[] = JSON.parse(cell.slice(end));
  return JSON.stringify(Object.fromEntries(names.map((name, place) => [name, values[place]])));
}

/** The first byte of a packed text. */
const FORMAT = 1;

/**
 * Runs of bytes as `0a0b…` or `0A:0B:…` with their minimum length, and the bytes that mark them, which JSON
 * does not contain. The number of bytes follows in one byte.
 */
const MIN_RUN_CHARS = 16;
const RUNS = /(?:[0-9a-f]{2}){8,255}|(?:[0-9A-F]{2}:){7,254}[0-9A-F]{2}/g;
const [DIGITS, PAIRS] = [1, 2];

/**
 * Texts that snapshots often contain. Stored snapshots need exactly this dictionary; another dictionary
 * requires another {@link FORMAT}.
 */
const DICTIONARY = new TextEncoder().encode(
  `"C=US, O=Let's Encrypt, CN=","C=US, O=DigiCert Inc, CN=DigiCert Global G2 TLS RSA SHA256 2020 CA1",` +
    `"C=GB, O=Sectigo Limited, CN=","C=US, O=Google Trust Services, CN=","O=, OU=, L=, ST=, CN=Issuing CA ",` +
    `"certmgr.certificate","certmgr.endpoint","dcim.device","virtualization.virtualmachine","ipam.service",` +
    `"unreachable","reachable","replaced","revoked","pending","expired","valid","self_signed","no_chain",` +
    `"https://www.","http://","warning","info","ed25519",{"type":"","id":1},[null,[],{}],true,true,null,null,` +
    `null,null,null,null,0,0,0,"","","","","","","",[],[],[],.example.com",".internal",".local",443,"TCP",1,` +
    `true,false,"2025-12-31T23:59:59Z","ecdsa",256,"active",["","rsa",4096,"active",["","rsa",2048,"active",[` +
    `"www.","*.","mail.","api."],"sha256:","sha256:",true,[],"","","","",false,false,null,null,false,"",false,` +
    `null,"",null,[],{},null,null,null,"","2026-01-01T00:00:00Z","2026-01-01T00:00:00Z"]`,
);

/** Returns the packed text; undefined if it is not smaller. */
function packText(text: string): Uint8Array | undefined {
  const block = compressLz4(toBytes(text), DICTIONARY);
  if (block.length + 1 >= text.length) return undefined;
  const packed = new Uint8Array(block.length + 1);
  packed[0] = FORMAT;
  packed.set(block, 1);
  return packed;
}

/**
 * Returns the text of its packed form. Throws if it is damaged, or if the text has more than `max`
 * characters.
 */
function unpackText(packed: Uint8Array, max: number): string {
  if (packed[0] !== FORMAT) throw new Error(`Cannot unpack a text in the format ${packed[0]}`);
  return toText(decompressLz4(packed.subarray(1), { dictionary: DICTIONARY, max: max * MAX_BYTES }));
}

/** Maximum number of bytes of a character. */
const MAX_BYTES = 3;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Kept, because creating it takes long. */
const buffer = new Uint8Array(MAX_PACKED_CHARS * MAX_BYTES);

/** Returns the bytes of a text, which the next call overwrites. */
function toBytes(text: string): Uint8Array {
  let [end, from] = [0, 0];
  for (let probe = MIN_RUN_CHARS - 1; probe < text.length; probe += MIN_RUN_CHARS) {
    if (!isInRun(text, probe)) continue;
    let start = probe;
    while (start > from && isInRun(text, start - 1)) start--;
    let stop = probe + 1;
    while (stop < text.length && isInRun(text, stop)) stop++;
    probe = stop;
    if (stop - start < MIN_RUN_CHARS) continue;
    for (const { 0: run, index } of text.slice(start, stop).matchAll(RUNS)) {
      end = writeRun(run, writeText(text.slice(from, start + index), end));
      from = start + index + run.length;
    }
  }
  return buffer.subarray(0, writeText(text.slice(from), end));
}

/** Writes a text to the buffer. Returns where it ends. */
function writeText(text: string, start: number): number {
  return start + encoder.encodeInto(text, buffer.subarray(start)).written;
}

/** Writes a run to the buffer. Returns where it ends. */
function writeRun(run: string, start: number): number {
  const step = run[2] === ":" ? 3 : 2;
  let end = start + 2;
  for (let at = 0; at < run.length; at += step) {
    buffer[end++] = digitOf(run.charCodeAt(at)) << 4 | digitOf(run.charCodeAt(at + 1));
  }
  buffer[start] = step === 2 ? DIGITS : PAIRS;
  buffer[start + 1] = end - start - 2;
  return end;
}

function digitOf(code: number): number {
  return code <= 57 ? code - 48 : (code | 32) - 87;
}

/** Returns whether a character is a hexadecimal digit or a colon. */
function isInRun(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 48 && code <= 58) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

function toText(bytes: Uint8Array): string {
  let [text, from, at] = ["", 0, 0];
  while (at < bytes.length) {
    const mark = bytes[at];
    if (mark !== DIGITS && mark !== PAIRS) {
      at++;
      continue;
    }
    const end = at + 2 + (bytes[at + 1] ?? 0);
    const digits = bytes.subarray(at + 2, end).toHex();
    text += decoder.decode(bytes.subarray(from, at));
    text += mark === DIGITS ? digits : digits.toUpperCase().replace(/..(?=.)/g, "$&:");
    [from, at] = [end, end];
  }
  return text + decoder.decode(bytes.subarray(from));
}
