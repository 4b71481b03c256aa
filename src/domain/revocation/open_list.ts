/**
 * Opens the revocation list at a URL: the kept one while it is fresh, else a new one. Lists are kept in the database while
 * they are current: compressed, in parts.
 */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS, HOUR_MS, type Millis, MINUTE_MS } from "../../base/clock.ts";
import { inSlices, pacer } from "../../base/pace.ts";
import { insertInto } from "../../db/mod.ts";
import { revocation_list_parts as parts, revocation_lists as lists } from "../../db/schema/mod.ts";
import { OutboundError } from "../../http/mod.ts";
import { readCrl, type RevocationList } from "../../x509/revocation/mod.ts";
import { type Fetched, fetchInTurn } from "./fetch.ts";

/** Size of a part in bytes, which is written in a few milliseconds. */
const PART_BYTES = 256 * 1024;
/** Time after which a list that no certificate in use names any more is forgotten. */
const FORGOTTEN_MS = 30 * DAY_MS;

/** Returns the hash of bytes, in lower-case digits. It is computed on another thread. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Maximum size of all lists in bytes before compression: their hosts decide how many there are, and how large. */
const MAX_KEPT_BYTES = 1024 * 1024 * 1024;

/** Keeps a list instead of the one before, if there is space. Its row must not name the hash yet. */
export async function keepList({ database }: Context, id: number, bytes: Uint8Array): Promise<boolean> {
  await database.write((tx) => tx.run(sql`DELETE FROM ${parts} WHERE list_id = ${id}`));
  const [kept] = await database.all<{ bytes: number }>(
    sql`SELECT ifnull(sum(bytes), 0) AS bytes FROM ${lists} WHERE sha256 <> ''`,
  );
  if ((kept?.bytes ?? 0) + bytes.length > MAX_KEPT_BYTES) return false;
  let part = 0;
  let waiting: Uint8Array[] = [];
  let size = 0;
  const store = async (): Promise<void> => {
    const body = waiting.map((chunk) => chunk.toHex()).join("");
    [waiting, size] = [[], 0];
    part++;
    await database.write((tx) =>
      tx.run(
        sql`INSERT OR REPLACE INTO ${parts} (list_id, part, body) VALUES (${id}, ${part}, unhex(${body}))`,
      )
    );
  };
  const source = ReadableStream.from(slicesOf(bytes));
  for await (const chunk of source.pipeThrough(new CompressionStream("deflate-raw"))) {
    waiting.push(chunk);
    size += chunk.length;
    if (size >= PART_BYTES) await store();
  }
  if (size > 0) await store();
  return true;
}

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const pause = pacer();
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    yield bytes.slice(at, at + PART_BYTES);
    await pause();
  }
}

/** Returns a list that is kept; undefined if it is not, or not whole. */
export async function readKept(
  { database }: Context,
  { id, bytes: size, sha256 }: { id: number; bytes: number | null; sha256: string },
): Promise<Uint8Array | undefined> {
  if (sha256 === "" || size === null) return undefined;
  const bytes = new Uint8Array(size);
  let at = 0;
  try {
    const stored = ReadableStream.from(storedParts(database, id));
    for await (const chunk of stored.pipeThrough(new DecompressionStream("deflate-raw"))) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
  } catch (error) {
    // Damaged, or another process replaces it.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
  return at === size && await hashOf(bytes) === sha256 ? bytes : undefined;
}

async function* storedParts(
  database: Context["database"],
  id: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let part = 1;; part++) {
    const [row] = await database.all<{ body: string }>(
      sql`SELECT hex(body) AS body FROM ${parts} WHERE list_id = ${id} AND part = ${part}`,
    );
    if (row === undefined) return;
    yield Uint8Array.fromHex(row.body);
  }
}

/** Deletes lists that have ended, and forgets those that were not requested for long. Two statements. */
export async function pruneLists({ database, clock }: Context): Promise<void> {
  const now = clock.now();
  await database.write(async (tx) => {
    await tx.run(
      sql`DELETE FROM ${parts} WHERE list_id IN (SELECT id FROM ${lists} WHERE next_update < ${now} OR sha256 = '')`,
    );
    await tx.run(sql`DELETE FROM ${lists} WHERE fetched_at < ${now - FORGOTTEN_MS}`);
  });
}

/** Maximum size of a list in bytes; the largest public ones have ten million. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Time after which a user who asks gets a new list. */
const FRESH_MS = 5 * MINUTE_MS;
/** Time after which the first failed request is repeated. Each further failure doubles it. */
const FIRST_RETRY_MS = 5 * MINUTE_MS;
const MAX_RETRY_MS = 6 * HOUR_MS;
/** Maximum length of a stored error. */
const MAX_ERROR_CHARS = 500;

type ListRow = typeof lists.$inferSelect;

/** A list that was read; whether it counts was not checked. */
export interface OpenedList {
  readonly list: RevocationList;
  readonly sha256: string;
  /** When a newer one is requested. */
  readonly refreshAt: Millis;
}

/** Why there is no list. */
export interface NoList {
  readonly error: string;
  /** Whether the host did not answer, so that others of its lists need not be requested now. */
  readonly isDown: boolean;
}

/** How lists and responders are asked. */
export interface Asking {
  /** Whether requests are sent; if not, only what is kept counts. */
  readonly fetches: boolean;
  /** Whether a user wants a new answer. */
  readonly fresh: boolean;
}

/** Returns the list at a URL, with those of the sought serial numbers that are in it. */
export async function openList(
  ctx: Context,
  url: string,
  { sought, fetches, fresh }: Asking & { sought: ReadonlySet<string> },
): Promise<OpenedList | NoList> {
  const now = ctx.clock.now();
  const [row] = await ctx.database.all<ListRow>(sql`SELECT * FROM ${lists} WHERE source_url = ${url}`);
  const isCurrent = row !== undefined && row.sha256 !== "" && (row.next_update ?? 0) >= now;
  const isFresh = row !== undefined && row.refresh_at > now &&
    !(fresh && Math.abs(now - row.fetched_at) > FRESH_MS);
  if (isCurrent && (isFresh || !fetches)) {
    const kept = await openKept(ctx, row, sought);
    if (kept !== undefined) return kept;
  }
  if (!fetches) return { error: "No list is kept. It is requested within a minute.", isDown: false };
  if (isFresh && row.failures > 0) return { error: row.error, isDown: false };
  const failed = await fetchList(ctx, { url, row, sought, isCurrent });
  if (!("error" in failed) || !isCurrent) return failed;
  return await openKept(ctx, row, sought) ?? failed;
}

async function openKept(
  ctx: Context,
  row: ListRow,
  sought: ReadonlySet<string>,
): Promise<OpenedList | undefined> {
  const bytes = await readKept(ctx, row);
  if (bytes === undefined) return undefined;
  try {
    const list = await inSlices(readCrl(bytes, sought));
    return { list, sha256: row.sha256, refreshAt: row.refresh_at };
  } catch {
    // Entries are read in full only when they are sought, so that one can be malformed that was not sought before.
    return undefined;
  }
}

async function fetchList(
  ctx: Context,
  { url, row, sought, isCurrent }: {
    url: string;
    row: ListRow | undefined;
    sought: ReadonlySet<string>;
    isCurrent: boolean;
  },
): Promise<OpenedList | NoList> {
  const fail = async (error: string, isDown: boolean): Promise<NoList> => {
    await storeRow(ctx, url, {
      error: error.slice(0, MAX_ERROR_CHARS),
      failures: (row?.failures ?? 0) + 1,
      refresh_at: ctx.clock.now() + Math.min(FIRST_RETRY_MS * 2 ** (row?.failures ?? 0), MAX_RETRY_MS),
    });
    return { error, isDown };
  };
  let fetched: Fetched;
  try {
    const condition = isCurrent && row !== undefined && row.etag !== "" ? { "if-none-match": row.etag } : {};
    const headers = { accept: "application/pkix-crl, */*", ...condition };
    fetched = await fetchInTurn(ctx, { url, headers, maxBytes: MAX_LIST_BYTES });
  } catch (error) {
    if (error instanceof OutboundError) return await fail(error.message, true);
    throw error;
  }
  if (fetched.status === 304 && row !== undefined) {
    const refreshAt = refreshTime(row.next_update ?? 0, ctx.clock.now());
    await storeRow(ctx, url, { error: "", failures: 0, refresh_at: refreshAt });
    const kept = await openKept(ctx, { ...row, refresh_at: refreshAt }, sought);
    if (kept !== undefined) return kept;
    await storeRow(ctx, url, { sha256: "", etag: "", refresh_at: refreshAt });
    return await fail("The kept list is damaged.", false);
  }
  if (fetched.status !== 200) {
    return await fail(`The host answered ${fetched.status}.`, fetched.status >= 500);
  }
  const bytes = derOf(fetched.bytes);
  let list: RevocationList;
  try {
    list = await inSlices(readCrl(bytes, sought));
  } catch (error) {
    return await fail(
      `It is not a revocation list: ${error instanceof Error ? error.message : error}.`,
      false,
    );
  }
  const refreshAt = refreshTime(list.nextUpdate, ctx.clock.now());
  const sha256 = await hashOf(bytes);
  const columns = {
    issuer: list.issuer.text,
    crl_number: list.crlNumber,
    this_update: list.thisUpdate,
    next_update: list.nextUpdate,
    entries: list.entries,
    bytes: bytes.length,
    error: "",
    failures: 0,
    etag: fetched.etag.slice(0, MAX_ERROR_CHARS),
    refresh_at: refreshAt,
  };
  if (sha256 !== row?.sha256) {
    const id = await storeRow(ctx, url, { ...columns, sha256: "" });
    const isKept = list.nextUpdate >= ctx.clock.now() && await keepList(ctx, id, bytes);
    // Without a hash and an ETag, the next request gets the list again.
    await storeRow(ctx, url, { ...columns, ...(isKept ? { sha256 } : { etag: "" }) });
  } else await storeRow(ctx, url, { ...columns, sha256 });
  return { list, sha256, refreshAt };
}

/** Stores columns of the row of a URL, which is created if it is missing. Returns its id. */
async function storeRow(
  { database, clock }: Context,
  url: string,
  columns: Partial<ListRow> & Pick<ListRow, "refresh_at">,
): Promise<number> {
  const now = clock.now();
  const set = { ...columns, fetched_at: now, last_updated: now };
  const [stored] = await database.write((tx) =>
    tx.all(
      insertInto(lists).values({ source_url: url, created: now, ...set })
        .onConflictDoUpdate({ target: lists.source_url, set }).returning({ id: lists.id }),
    )
  );
  return stored?.id ?? 0;
}

/**
 * Returns when a newer list is requested: at least once a day, earlier if it ends earlier, and not at the same time as
 * everyone else.
 */
export function refreshTime(nextUpdate: Millis, now: Millis): Millis {
  const left = Math.min(nextUpdate - now, DAY_MS);
  return now + (left <= 0 ? HOUR_MS : Math.max(MINUTE_MS, Math.round(left * (0.85 + Math.random() * 0.1))));
}

/** Returns the DER of a list that is sent as PEM, which some hosts do. */
function derOf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes[0] !== 0x2d) return bytes;
  const text = new TextDecoder().decode(bytes);
  const [, body] = /^-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----\s*$/.exec(text) ?? [];
  try {
    return body === undefined ? bytes : Uint8Array.fromBase64(body);
  } catch {
    return bytes;
  }
}
