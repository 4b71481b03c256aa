/** Imports objects of a kind from NetBox: creates new ones, and updates those that have changed there. */

import { sql } from "drizzle-orm";
import { authorize, type Context } from "../../auth/mod.ts";
import { AppError } from "../../base/errors.ts";
import { jsonText, type ObjectRow } from "../../db/mod.ts";
import {
  columnOf,
  createObject,
  createObjects,
  requireField,
  type Resource,
  updateObject,
  type Values,
} from "../../resource/mod.ts";
import { loadReferenced, netboxBody, type RemoteObject, remoteOf } from "./bodies.ts";
import type { ImportKind } from "./import_kind.ts";
import type { RemoteRecord } from "./remote_record.ts";
import { type MappedObject, mappingOf } from "./mapping.ts";

/** An object that was not imported. */
export interface RefusedObject {
  readonly kind: string;
  readonly id: number;
  readonly display: string;
  readonly reason: string;
}

/** Results of the import. */
export interface Outcome {
  created: number;
  updated: number;
  unchanged: number;
  readonly refused: RefusedObject[];
}

/** A reference that is set when all objects of a kind exist. */
export interface DeferredReference {
  readonly remote: RemoteObject;
  readonly localId: number;
}

/** Objects of a kind, and how to import them. */
export interface ImportCall {
  readonly ctx: Context;
  /** URL of the NetBox. */
  readonly source: string;
  readonly kind: ImportKind;
  readonly records: readonly RemoteRecord[];
  /** Reports the changes without making them. */
  readonly dryRun?: boolean;
}

interface PlannedObject {
  readonly remote: RemoteObject;
  readonly body: Values;
}

/**
 * Imports a page of objects. Returns the results, and the references that {@link setDeferredReferences} must
 * set.
 */
export async function importObjects(call: ImportCall): Promise<Outcome & { later: DeferredReference[] }> {
  const { ctx, source, kind, dryRun = false } = call;
  for (const action of ["view", "add", "change"]) authorize(ctx, action, kind.resource.map);
  const mapping = mappingOf(ctx, source);
  const outcome: Outcome & { later: DeferredReference[] } = {
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: [],
    later: [],
  };
  const remotes = call.records.map((record) => remoteOf(kind, record));
  const known = await mapping.find(kind.resource, remotes.map(({ id }) => id));
  const changed = remotes.filter((remote) => known.get(remote.id)?.digest !== remote.digest);
  outcome.unchanged = remotes.length - changed.length;
  const planned = await plan(call, changed, outcome);
  const adopted = await findExisting(call, planned.filter(({ remote }) => !known.has(remote.id)));
  const localOf = ({ remote }: PlannedObject): number | undefined =>
    known.get(remote.id)?.local_id ?? adopted.get(remote.id);
  const updates = planned.flatMap((one) => {
    const localId = localOf(one);
    return localId === undefined ? [] : [{ one, localId }];
  });
  const creations = planned.filter((one) => localOf(one) === undefined);
  if (dryRun) {
    return { ...outcome, created: creations.length, updated: updates.length, later: [] };
  }
  const made = await createAll(kind.resource, creations, { ctx, refuse: refuser(kind, outcome) });
  outcome.created = made.length;
  for (const { one, localId } of updates) {
    const done = await attempt(
      () => updateObject({ ctx, resource: kind.resource, id: localId, input: one.body, mode: "patch" }),
      (reason) => refuser(kind, outcome)(one, reason),
    );
    if (done === undefined) continue;
    outcome.updated++;
    made.push({ one, localId });
  }
  for (const { one: { remote }, localId } of made) {
    if (remote.later !== null) outcome.later.push({ remote, localId });
  }
  await mapping.store(kind.resource, made.map(({ one, localId }) => mapped(one.remote, localId)));
  return outcome;
}

/** Sets the deferred references, and records that their objects are complete. */
export async function setDeferredReferences(
  { ctx, source, kind }: Pick<ImportCall, "ctx" | "source" | "kind">,
  later: readonly DeferredReference[],
): Promise<RefusedObject[]> {
  const mapping = mappingOf(ctx, source);
  const refused: RefusedObject[] = [];
  const targets = await mapping.find(kind.resource, later.flatMap(({ remote }) => remote.later ?? []));
  const done: MappedObject[] = [];
  for (const { remote, localId } of later) {
    const { id, display, digest } = remote;
    const target = targets.get(remote.later ?? 0)?.local_id;
    const refuse = (reason: string): void => void refused.push({ kind: kind.name, id, display, reason });
    if (target === undefined) {
      refuse(`${kind.later}: the ${kind.resource.label} ${remote.later} was not imported.`);
      continue;
    }
    const input = { [kind.later ?? ""]: target };
    const set = await attempt(
      () => updateObject({ ctx, resource: kind.resource, id: localId, input, mode: "patch" }),
      refuse,
    );
    if (set !== undefined) done.push({ source_id: id, local_id: localId, digest });
  }
  await mapping.store(kind.resource, done);
  return refused;
}

/**
 * Returns the record of an imported object. If a reference is deferred, the object is not complete, so that
 * the next import checks it again.
 */
function mapped({ id, digest, later }: RemoteObject, localId: number): MappedObject {
  return { source_id: id, local_id: localId, digest: later === null ? digest : "" };
}

type Refuse = (one: PlannedObject, reason: string) => void;

function refuser(kind: ImportKind, outcome: Outcome): Refuse {
  return ({ remote: { id, display } }, reason) =>
    void outcome.refused.push({ kind: kind.name, id, display, reason });
}

/** Returns the request bodies. An object is refused if it refers to one that was not imported. */
async function plan(
  { ctx, source, kind, dryRun }: ImportCall,
  remotes: readonly RemoteObject[],
  outcome: Outcome,
): Promise<PlannedObject[]> {
  const targets = await loadReferenced(remotes, mappingOf(ctx, source));
  return remotes.flatMap((remote) => {
    const made = netboxBody(remote, targets);
    if ("body" in made) return [{ remote, body: made.body }];
    // In a dry run, most references have no target yet.
    if (dryRun) return [{ remote, body: { ...remote.fields } }];
    refuser(kind, outcome)({ remote, body: {} }, made.reason);
    return [];
  });
}

interface StoredObject {
  readonly one: PlannedObject;
  readonly localId: number;
}

/** Creates all objects at once; if some are refused, one by one. */
async function createAll(
  resource: Resource,
  planned: readonly PlannedObject[],
  { ctx, refuse }: { ctx: Context; refuse: Refuse },
): Promise<StoredObject[]> {
  if (planned.length === 0) return [];
  const all = await attempt(
    () => createObjects({ ctx, resource, input: planned.map(({ body }) => body) }),
    () => {},
  );
  if (all !== undefined) {
    return planned.map((one, index) => ({ one, localId: all[index]?.id ?? 0 }));
  }
  const made: StoredObject[] = [];
  for (const one of planned) {
    const object = await attempt(
      () => createObject({ ctx, resource, input: one.body }),
      (reason) => refuse(one, reason),
    );
    if (object !== undefined) made.push({ one, localId: object.id });
  }
  return made;
}

/** Runs a write. If it is refused, reports this and returns undefined. */
async function attempt<T>(write: () => Promise<T>, refuse: (reason: string) => void): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof AppError) || !["invalid", "conflict", "too_large"].includes(error.code)) {
      throw error;
    }
    refuse(reasonOf(error));
    return undefined;
  }
}

function reasonOf({ public: body }: AppError): string {
  if (Array.isArray(body)) return "";
  if (typeof body.detail === "string") return body.detail;
  return Object.entries(body).map(([name, texts]) => {
    const text = [texts].flat().join(" ");
    return name === "__all__" ? text : `${name}: ${text}`;
  }).join(" ");
}

/**
 * Returns existing objects that were not imported but have the same identifying fields, by the id in NetBox.
 */
async function findExisting(
  { ctx, source, kind: { resource, keys } }: ImportCall,
  planned: readonly PlannedObject[],
): Promise<Map<number, number>> {
  const sought = new Map<string, number>();
  const values = new Map<string, Set<unknown>>();
  for (const { remote, body } of planned) {
    const cells = keys.flatMap((name) => cellOf(resource, name, body[name]));
    if (cells.length < keys.length) continue;
    for (const [column, cell] of cells) values.set(column, (values.get(column) ?? new Set()).add(cell));
    const key = JSON.stringify(cells.map(([, cell]) => cell));
    if (!sought.has(key)) sought.set(key, remote.id);
  }
  if (sought.size === 0) return new Map();
  const columns = [...values.keys()];
  const alias = "local";
  const tests = columns.map((column) => {
    const cell = columnOf(alias, column);
    return sql`(${cell} IN (SELECT value FROM json_each(${
      jsonText([...values.get(column) ?? []])
    })) OR ${cell} IS NULL)`;
  });
  const rows = await ctx.database.all<ObjectRow>(
    sql`SELECT id, ${
      sql.join(columns.map((column) => columnOf(alias, column)), sql`, `)
    } FROM ${resource.table} AS ${sql.identifier(alias)} WHERE ${sql.join(tests, sql` AND `)}`,
  );
  const taken = await mappingOf(ctx, source).imported(resource, rows.map((row) => row.id));
  return new Map(rows.flatMap((row) => {
    const sourceId = sought.get(JSON.stringify(columns.map((column) => row[column])));
    return sourceId === undefined || taken.has(row.id) ? [] : [[sourceId, row.id]];
  }));
}

/** Returns the column by which a field is compared, and its value; nothing if the value is invalid. */
function cellOf(resource: Resource, name: string, value: unknown): [column: string, cell: unknown][] {
  const field = requireField(resource, name);
  const parsed = field.input?.safeParse(value ?? null);
  if (parsed === undefined || !parsed.success) return [];
  // Hexadecimal fields have a second column, by which they are compared.
  return Object.entries(field.columns?.(parsed.data) ?? {}).slice(-1);
}
