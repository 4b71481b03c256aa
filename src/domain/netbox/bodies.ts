/** Converts objects of a NetBox instance to request bodies, and records which of them was imported as which object here. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { sha256Hex } from "../../base/bytes.ts";
import { idsIn, insertRows } from "../../db/mod.ts";
import { import_mappings as table } from "../../db/schema/mod.ts";
import { CUSTOM_COLUMN, type Resource, type Values } from "../../resource/mod.ts";
import { idOf, type ImportKind, KINDS, objectTypeOf, type RemoteRecord } from "./kinds.ts";

/** An imported object. */
interface MappedObject {
  readonly source_id: number;
  readonly local_id: number;
  /** SHA-256 of the last imported content; empty while its import is incomplete. */
  readonly digest: string;
}

/** The mapping of the NetBox at a URL. */
export class Mapping {
  readonly #database: Context["database"];
  readonly #source: string;

  constructor({ database }: Context, source: string) {
    [this.#database, this.#source] = [database, source];
  }

  /** Returns the objects with these NetBox ids that still exist here. One statement. */
  async find(resource: Resource, sourceIds: readonly number[]): Promise<Map<number, MappedObject>> {
    if (sourceIds.length === 0) return new Map();
    const rows = await this.#database.all<MappedObject & Record<string, never>>(
      sql`SELECT source_id, local_id, digest FROM ${table}
        WHERE ${this.#of(resource)} AND source_id IN ${idsIn(sourceIds)}
          AND EXISTS (SELECT 1 FROM ${sql.identifier(getTableName(resource.table))} AS local
            WHERE local.id = local_id)`,
    );
    return new Map(rows.map((row) => [row.source_id, row]));
  }

  /** Returns which of these objects were imported. One statement. */
  async imported(resource: Resource, localIds: readonly number[]): Promise<Set<number>> {
    if (localIds.length === 0) return new Set();
    const rows = await this.#database.all<{ local_id: number }>(
      sql`SELECT local_id FROM ${table} WHERE ${this.#of(resource)} AND local_id IN ${idsIn(localIds)}`,
    );
    return new Set(rows.map((row) => row.local_id));
  }

  /** Stores objects with the digest of their last import. One statement. */
  async store({ objectType }: Resource, mapped: readonly MappedObject[]): Promise<void> {
    if (mapped.length === 0) return;
    const rows = mapped.map((one) => ({ source: this.#source, object_type: objectType, ...one }));
    const insert = insertRows(table, rows);
    await this.#database.write((tx) =>
      tx.runAll([
        sql`${insert} ON CONFLICT DO UPDATE SET local_id = excluded.local_id, digest = excluded.digest`,
      ])
    );
  }

  #of({ objectType }: Resource): SQL {
    return sql`source = ${this.#source} AND object_type = ${objectType}`;
  }
}

/** An object of a NetBox: its fields, and its references to other objects by their ids there. */
export interface RemoteObject {
  readonly id: number;
  readonly display: string;
  readonly fields: Readonly<Values>;
  readonly references: Readonly<Record<string, Target | readonly Target[] | null>>;
  /** Id of the object of a reference that is set later. */
  readonly later: number | null;
  /** Changes if the object changes. */
  readonly digest: string;
}

interface Target {
  readonly resource: Resource | undefined;
  readonly id: number;
  readonly display: string;
}

/** Reads an object. */
export function remoteOf(kind: ImportKind, given: RemoteRecord): RemoteObject {
  const record = kind.adjust?.(given) ?? given;
  const fields: Values = {};
  const references: Record<string, Target | readonly Target[] | null> = {};
  for (const name of kind.copied) {
    const value = plain(record[name]);
    if (value === undefined) continue;
    // Omit null for fields that are not nullable here, because NetBox returns it for empty values.
    if (name === CUSTOM_COLUMN) Object.assign(fields, { [name]: customValues(value, references) });
    else if (value !== null || kind.resource.fields[name]?.input?.safeParse(null).success) {
      fields[name] = value;
    }
  }
  if (Array.isArray(record.tags)) {
    fields.tags = record.tags.map(({ slug }) => ({ slug }));
  }
  for (const [name, resource] of Object.entries(kind.references)) {
    const value = record[name];
    references[name] = Array.isArray(value)
      ? value.flatMap((one) => targetOf(resource, one) ?? [])
      : targetOf(resource, value);
  }
  if (kind.generic !== undefined) {
    const id = idOf(record[`${kind.generic}_id`]);
    const type = objectTypeOf(record[`${kind.generic}_type`]);
    fields[`${kind.generic}_type`] = id === null ? null : type;
    references[`${kind.generic}_id`] = id === null
      ? null
      : { resource: KINDS.find(({ resource }) => resource.objectType === type)?.resource, id, display: type };
  }
  const later = kind.later === undefined ? null : idOf(record[kind.later]);
  const digest = sha256Hex(
    JSON.stringify([fields, Object.values(references).map(idsOf), later]),
  );
  return {
    id: record.id,
    display: String(record.display ?? record.id),
    fields,
    references,
    later,
    digest,
  };
}

/**
 * Returns the request body for the API here, or why there is none. `found` has the imported objects by type.
 */
export function netboxBody(
  { fields, references }: RemoteObject,
  found: ReadonlyMap<Resource, ReadonlyMap<number, number>>,
): { body: Values } | { reason: string } {
  const body: Values = { ...fields };
  for (const [name, target] of Object.entries(references)) {
    const locals: number[] = [];
    for (const { resource, id, display } of listOf(target)) {
      if (resource === undefined) {
        return { reason: `${name}: objects of type "${display}" are not imported.` };
      }
      const local = found.get(resource)?.get(id);
      if (local === undefined) {
        return { reason: `${name}: the ${resource.label} ${id} ("${display}") was not imported.` };
      }
      locals.push(local);
    }
    const value = Array.isArray(target) ? locals : locals[0] ?? null;
    if (name.startsWith(CUSTOM_REFERENCE)) {
      body[CUSTOM_COLUMN] = {
        ...body[CUSTOM_COLUMN] as object,
        [name.slice(CUSTOM_REFERENCE.length)]: value,
      };
    } else body[name] = value;
  }
  return { body };
}

/** Loads the objects to which others refer. One statement per type. */
export async function loadReferenced(
  remotes: readonly RemoteObject[],
  mapping: Mapping,
): Promise<Map<Resource, Map<number, number>>> {
  const needed = new Map<Resource, Set<number>>();
  for (const target of remotes.flatMap(({ references }) => Object.values(references).flatMap(listOf))) {
    if (target.resource === undefined) continue;
    needed.set(target.resource, (needed.get(target.resource) ?? new Set()).add(target.id));
  }
  const found = new Map<Resource, Map<number, number>>();
  for (const [resource, ids] of needed) {
    const mapped = await mapping.find(resource, [...ids]);
    found.set(resource, new Map([...mapped].map(([id, { local_id }]) => [id, local_id])));
  }
  return found;
}

/** Prefix of references in custom fields: `custom_fields.<name>`. */
const CUSTOM_REFERENCE = `${CUSTOM_COLUMN}.`;

/** Returns the values of custom fields. Objects among them become references. */
function customValues(given: unknown, references: Values): Values {
  const values: Values = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    const resource = referredResource(value);
    if (resource === undefined) values[name] = Array.isArray(value) ? value.map(plain) : plain(value);
    else references[CUSTOM_REFERENCE + name] = targetOf(resource, value);
  }
  return values;
}

/** Returns the object to which a value refers; null if there is none. */
function targetOf(resource: Resource, value: unknown): Target | null {
  const id = idOf(value);
  return id === null ? null : { resource, id, display: displayOf(value) };
}

function listOf(target: Target | readonly Target[] | null): readonly Target[] {
  return target === null ? [] : [target].flat();
}

function idsOf(target: Target | readonly Target[] | null): unknown {
  return target === null ? undefined : "length" in target ? target.map(({ id }) => id) : target.id;
}

/** Returns the resource of an object by its URL in the API. */
function referredResource(value: unknown): Resource | undefined {
  if (typeof value !== "object" || value === null || !("url" in value) || idOf(value) === null) {
    return undefined;
  }
  const { url } = value;
  return KINDS.find(({ path }) =>
    String(url).includes(path.replace("{plugin}", "").replace(/^\/?/, "/") + "/")
  )?.resource;
}

/** Returns the value of a choice without its label; other values unchanged. */
function plain(value: unknown): unknown {
  const isChoice = typeof value === "object" && value !== null && "value" in value && "label" in value;
  return isChoice ? value.value : value;
}

function displayOf(value: unknown): string {
  return typeof value === "object" && value !== null && "display" in value
    ? String(value.display)
    : String(value);
}
