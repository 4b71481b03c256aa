/** Endpoints that agents and scans report: finds existing ones and creates new ones. */

import { sql } from "drizzle-orm";
import { restrictionSql } from "../../auth/mod.ts";
import { forbidden } from "../../base/errors.ts";
import { draftsOf, storeOnly, validateDrafts, type WriteCall } from "../../resource/mod.ts";
import { endpoints } from "./resource.ts";

export interface EndpointAddress {
  readonly host: string;
  readonly port: number;
  readonly server_name: string | null;
  readonly protocol: string;
}

/** An existing endpoint, and the index of its address in the request. */
export interface ExistingEndpoint {
  readonly place: number;
  readonly id: number;
}

/**
 * Returns the endpoints with these addresses; with `anyName`, all with the same host and port, whatever their
 * server name. Refuses endpoints that the caller's constraints exclude. One statement. Errors: forbidden.
 */
export async function existingEndpoints(
  { ctx, tx, allowed }: WriteCall,
  addresses: readonly EndpointAddress[],
  { anyName = false }: { anyName?: boolean } = {},
): Promise<ExistingEndpoint[]> {
  const test = restrictionSql(ctx, allowed, { map: endpoints.map }) ?? sql`1`;
  const requested = addresses.map((
    { host, port, protocol, server_name },
  ) => [host, port, protocol, server_name]);
  const sameName = anyName ? sql`` : sql` AND endpoints.protocol = requested.value->>2
        AND ifnull(endpoints.server_name, '') = ifnull(requested.value->>3, '')`;
  const rows = await tx.all<ExistingEndpoint & { allowed: number }>(
    sql`SELECT requested.key AS place, endpoints.id AS id, (${test}) IS TRUE AS allowed
        FROM json_each(${JSON.stringify(requested)}) AS requested CROSS JOIN endpoints
        ON endpoints.host = requested.value->>0 AND endpoints.port = requested.value->>1${sameName}`,
  );
  if (rows.some((row) => row.allowed !== 1)) throw forbidden();
  return rows;
}

/**
 * Creates endpoints, and returns their ids in the same order. `source` is `scan` or `agent:<name>`. Errors:
 * forbidden.
 */
export async function createFound(
  call: WriteCall,
  addresses: readonly EndpointAddress[],
  { source, tenantId = null }: { source: string; tenantId?: number | null },
): Promise<number[]> {
  if (addresses.length === 0) return [];
  const bodies = addresses.map(({ host, port, server_name, protocol }) => ({
    input: { host, port, server_name, protocol, tags: [] },
    errors: [],
    reveal: {},
  }));
  const drafts = await draftsOf(call, bodies);
  for (const { row } of drafts) Object.assign(row, { source, tenant_id: tenantId });
  await validateDrafts(call, drafts);
  await storeOnly(call, drafts);
  return drafts.map(({ id }) => id);
}
