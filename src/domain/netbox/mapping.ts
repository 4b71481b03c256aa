/** Records which object in NetBox was imported as which object here. */

import { getTableName, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { idsIn, insertRows } from "../../db/mod.ts";
import { import_mappings as table } from "../../db/schema/mod.ts";
import type { Resource } from "../../resource/mod.ts";

/** An imported object. */
export interface MappedObject {
  readonly source_id: number;
  readonly local_id: number;
  /** SHA-256 of the last imported content; empty while its import is incomplete. */
  readonly digest: string;
}

/** The mapping of one NetBox. */
export interface Mapping {
  /** Returns the objects with these NetBox ids that still exist here. One statement. */
  find(resource: Resource, sourceIds: readonly number[]): Promise<Map<number, MappedObject>>;
  /** Returns which of these objects were imported. One statement. */
  imported(resource: Resource, localIds: readonly number[]): Promise<Set<number>>;
  /** Stores objects with the digest of their last import. One statement. */
  store(resource: Resource, mapped: readonly MappedObject[]): Promise<void>;
}

/** Returns the mapping of the NetBox at a URL. */
export function mappingOf({ database }: Context, source: string): Mapping {
  return {
    async find(resource, sourceIds): Promise<Map<number, MappedObject>> {
      if (sourceIds.length === 0) return new Map();
      const rows = await database.all<MappedObject & Record<string, never>>(
        sql`SELECT source_id, local_id, digest FROM ${table}
          WHERE source = ${source} AND object_type = ${resource.objectType} AND source_id IN ${
          idsIn(sourceIds)
        }
            AND EXISTS (SELECT 1 FROM ${sql.identifier(getTableName(resource.table))} AS local
              WHERE local.id = local_id)`,
      );
      return new Map(rows.map((row) => [row.source_id, row]));
    },
    async imported(resource, localIds): Promise<Set<number>> {
      if (localIds.length === 0) return new Set();
      const rows = await database.all<{ local_id: number }>(
        sql`SELECT local_id FROM ${table}
          WHERE source = ${source} AND object_type = ${resource.objectType} AND local_id IN ${
          idsIn(localIds)
        }`,
      );
      return new Set(rows.map((row) => row.local_id));
    },
    async store(resource, mapped): Promise<void> {
      if (mapped.length === 0) return;
      const rows = mapped.map(({ source_id, local_id, digest }) => ({
        source,
        object_type: resource.objectType,
        source_id,
        local_id,
        digest,
      }));
      await database.write((tx) =>
        tx.runAll([
          sql`${
            insertRows(table, rows)
          } ON CONFLICT DO UPDATE SET local_id = excluded.local_id, digest = excluded.digest`,
        ])
      );
    },
  };
}
