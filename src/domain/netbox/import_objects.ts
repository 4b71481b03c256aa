/** Imports objects from NetBox: creates new ones, and updates those that have changed there. */

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
import { loadReferenced, Mapping, netboxBody, type RemoteObject, remoteOf } from "./bodies.ts";
import type { ImportKind, RemoteRecord } from "./kinds.ts";

/** An object that was not imported. */
interface RefusedObject {
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

/** An object with its request body, and the id of the existing object that it updates. */
interface PlannedObject {
  readonly remote: RemoteObject;
  readonly body: Values;
  readonly localId?: number | undefined;
}

/** An import from a NetBox, kind by kind. */
export class NetboxImport {
  /** Results by the name of the kind. */
  readonly outcomes = new Map<string, Outcome>();
  readonly #ctx: Context;
  readonly #mapping: Mapping;
  readonly #dryRun: boolean;
  #kind: ImportKind | undefined;
  /** Objects with a reference to another object of the kind, which is set when all of them exist. */
  #later: PlannedObject[] = [];

  /**
   * @param options.source URL of the NetBox.
   * @param options.dryRun Whether changes are only counted.
   */
  constructor(ctx: Context, { source, dryRun = false }: { source: string; dryRun?: boolean }) {
    this.#ctx = ctx;
    this.#mapping = new Mapping(ctx, source);
    this.#dryRun = dryRun;
  }

  /** Imports objects of a kind. Completes the kind before, of which no more may follow. */
  async add(kind: ImportKind, records: readonly RemoteRecord[]): Promise<void> {
    if (kind !== this.#kind) await this.finish();
    this.#kind = kind;
    const { resource } = kind;
    for (const action of ["view", "add", "change"]) authorize(this.#ctx, action, resource.map);
    const outcome = this.outcomes.get(kind.name) ?? { created: 0, updated: 0, unchanged: 0, refused: [] };
    this.outcomes.set(kind.name, outcome);
    const remotes = records.map((record) => remoteOf(kind, record));
    const known = await this.#mapping.find(resource, remotes.map(({ id }) => id));
    const changed = remotes.filter((remote) => known.get(remote.id)?.digest !== remote.digest);
    outcome.unchanged += remotes.length - changed.length;
    const bodies = await this.#bodiesOf(changed);
    const adopted = await findExisting(
      this.#ctx,
      kind,
      bodies.filter(({ remote }) => !known.has(remote.id)),
      this.#mapping,
    );
    const planned = bodies.map((one): PlannedObject => ({
      ...one,
      localId: known.get(one.remote.id)?.local_id ?? adopted.get(one.remote.id),
    }));
    const stored = this.#dryRun ? planned : await this.#store(resource, planned);
    const created = stored.filter(({ remote }) => !known.has(remote.id) && !adopted.has(remote.id)).length;
    outcome.created += created;
    outcome.updated += stored.length - created;
    if (this.#dryRun) return;
    this.#later.push(...stored.filter(({ remote }) => remote.later !== null));
    await this.#mapping.store(
      resource,
      stored.map(({ remote: { id, digest, later }, localId = 0 }) => ({
        source_id: id,
        local_id: localId,
        // Without its reference an object is not complete, so that the next import checks it again.
        digest: later === null ? digest : "",
      })),
    );
  }

  /** Sets the references that were left for later. */
  async finish(): Promise<void> {
    const [kind, later] = [this.#kind, this.#later];
    this.#later = [];
    if (kind === undefined || later.length === 0) return;
    const { resource, later: field = "" } = kind;
    const targets = await this.#mapping.find(resource, later.flatMap(({ remote }) => remote.later ?? []));
    const complete = later.flatMap((one) => {
      const target = targets.get(one.remote.later ?? 0)?.local_id;
      if (target !== undefined) return [{ ...one, body: { [field]: target } }];
      this.#refuse(one, `${field}: the ${resource.label} ${one.remote.later} was not imported.`);
      return [];
    });
    const stored = await this.#store(resource, complete);
    await this.#mapping.store(
      resource,
      stored.map(({ remote: { id, digest }, localId = 0 }) => ({ source_id: id, local_id: localId, digest })),
    );
  }

  #refuse({ remote: { id, display } }: PlannedObject, reason: string): void {
    const kind = this.#kind?.name ?? "";
    this.outcomes.get(kind)?.refused.push({ kind, id, display, reason });
  }

  /** Returns the request bodies. An object is refused if it refers to one that was not imported. */
  async #bodiesOf(remotes: readonly RemoteObject[]): Promise<PlannedObject[]> {
    const targets = await loadReferenced(remotes, this.#mapping);
    return remotes.flatMap((remote) => {
      const made = netboxBody(remote, targets);
      if ("body" in made) return [{ remote, body: made.body }];
      // In a dry run, most references have no target yet.
      if (this.#dryRun) return [{ remote, body: { ...remote.fields } }];
      this.#refuse({ remote, body: {} }, made.reason);
      return [];
    });
  }

  /** Stores objects, new ones together if none of them is refused. Returns those that were stored. */
  async #store(resource: Resource, planned: readonly PlannedObject[]): Promise<PlannedObject[]> {
    const ctx = this.#ctx;
    const fresh = planned.filter(({ localId }) => localId === undefined);
    const together = fresh.length === 0
      ? []
      : await attempt(() => createObjects({ ctx, resource, input: fresh.map(({ body }) => body) }), () => {});
    const stored = fresh.flatMap((one, index): PlannedObject[] => {
      const made = together?.[index];
      return made === undefined ? [] : [{ ...one, localId: made.id }];
    });
    for (const one of planned) {
      const { body: input, localId: id } = one;
      if (id === undefined && together !== undefined) continue;
      const object = await attempt(
        () =>
          id === undefined
            ? createObject({ ctx, resource, input })
            : updateObject({ ctx, resource, id, input, mode: "patch" }),
        (reason) => this.#refuse(one, reason),
      );
      if (object !== undefined) stored.push({ ...one, localId: object.id });
    }
    return stored;
  }
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
  { database }: Context,
  { resource, keys }: ImportKind,
  planned: readonly PlannedObject[],
  mapping: Mapping,
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
  const rows = await database.all<ObjectRow>(
    sql`SELECT id, ${
      sql.join(columns.map((column) => columnOf(alias, column)), sql`, `)
    } FROM ${resource.table} AS ${sql.identifier(alias)} WHERE ${sql.join(tests, sql` AND `)}`,
  );
  const taken = await mapping.imported(resource, rows.map((row) => row.id));
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
