/** Stores observations: one row for each change of what an address presents. */

import { sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { type Cell, insertRows, nextIds, type Transaction, updateRows } from "../../../db/mod.ts";
import { observations as table } from "../../../db/schema/mod.ts";
import { type Certificate, inventoryFields } from "../../../x509/mod.ts";
import type { Possession } from "../states.ts";
import {
  type InventoryViews,
  type KnownCertificate,
  type ReadAnswer,
  shownStatesOf,
  type StateFinding,
} from "./evaluate.ts";

/** The evaluated result for one address of a report. */
export interface Observed {
  readonly endpointId: number;
  readonly at: Millis;
  readonly source: string;
  readonly read: ReadAnswer;
  readonly state: StateFinding;
  readonly known: KnownCertificate | undefined;
  readonly possession: Possession;
  /** Whether another certificate has the same serial number and issuer. */
  readonly isConflict: boolean;
  readonly views: InventoryViews;
}

export interface ObservationCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

interface NewestObservation {
  readonly id: number;
  readonly endpoint_id: number;
  readonly address: string;
  readonly presented: string;
  readonly tls_version: string;
  readonly state: string;
  readonly possession: string;
  readonly last_seen: Millis;
  readonly probes: number;
}

/** Columns of an equal observation that extends another one. */
const REPEATED = [
  "certificate_id",
  "cipher",
  "alpn",
  "ocsp_stapled",
  "latency_ms",
  "state_message",
  "findings",
  "shown_states",
];

/**
 * Stores what was observed. An observation that is equal to the newest one of its address extends it. One
 * that is older than the newest, or was stored before, changes nothing, so that a repeated report has no
 * effect. Three statements, and one for ids.
 */
export async function storeObservations(
  tx: Transaction,
  observed: readonly Observed[],
  now: Millis,
): Promise<ObservationCounts> {
  const newest = await newestOf(tx, observed.map(({ endpointId }) => endpointId));
  const updates: Record<string, Cell>[] = [];
  const inserts: Record<string, Cell>[] = [];
  let unchanged = 0;
  for (const one of observed) {
    const last = newest.get(keyOf(one.endpointId, one.read.address));
    const row = rowOf(one, now);
    const isLike = last !== undefined && isSame(last, row);
    if (last !== undefined && (one.at < last.last_seen || one.at === last.last_seen && isLike)) unchanged++;
    else if (last !== undefined && isLike) {
      updates.push({
        id: last.id,
        ...Object.fromEntries(REPEATED.map((name) => [name, row[name] ?? null])),
        last_seen: one.at,
        probes: last.probes + 1,
        last_updated: now,
      });
    } else inserts.push(row);
  }
  if (updates.length > 0) await tx.run(updateRows(table, updates));
  if (inserts.length > 0) {
    const first = await nextIds(tx, table, inserts.length);
    await tx.run(insertRows(table, inserts.map((row, index) => ({ id: first + index, ...row }))));
  }
  return { created: inserts.length, updated: updates.length, unchanged };
}

async function newestOf(
  tx: Transaction,
  endpointIds: readonly number[],
): Promise<Map<string, NewestObservation>> {
  const rows = await tx.all<NewestObservation>(
    sql`SELECT id, endpoint_id, address, presented, tls_version, state, possession, last_seen, probes FROM observations
        WHERE id IN (SELECT max(o.id) FROM json_each(${
      JSON.stringify([...new Set(endpointIds)])
    }) AS requested
          CROSS JOIN observations AS o ON o.endpoint_id = requested.value GROUP BY o.endpoint_id, o.address)`,
  );
  return new Map(rows.map((row) => [keyOf(row.endpoint_id, row.address), row]));
}

function keyOf(endpointId: number, address: string): string {
  return `${endpointId} ${address}`;
}

function isSame(last: NewestObservation, row: Record<string, Cell>): boolean {
  return (["presented", "tls_version", "state", "possession"] as const).every((name) =>
    last[name] === row[name]
  );
}

function rowOf(
  { endpointId, at, source, read, state, known, possession, isConflict, views }: Observed,
  now: Millis,
): Record<string, Cell> {
  const { answer: { presented, latencyMs }, leaf } = read;
  return {
    endpoint_id: endpointId,
    address: read.address,
    certificate_id: known?.id ?? null,
    presented: JSON.stringify(read.presented),
    common_name: leaf === undefined ? "" : nameOf(leaf),
    valid_to: leaf?.validity.notAfter ?? null,
    tls_version: presented?.tlsVersion ?? "",
    cipher: presented?.cipher ?? "",
    alpn: presented?.alpn ?? "",
    ocsp_stapled: Number(presented?.ocspStapled ?? false),
    latency_ms: latencyMs,
    state: state.state,
    state_message: state.message,
    first_seen: at,
    last_seen: at,
    probes: 1,
    source,
    possession,
    findings: isConflict ? '["identity_conflict"]' : "[]",
    shown_states: shownStatesOf(views, ([{ state, message }]) => ({
      state,
      state_message: message,
      findings: "[]",
    })),
    created: now,
    last_updated: now,
  };
}

const MAX_NAME_CHARS = 500;

function nameOf(leaf: Certificate): string {
  return inventoryFields(leaf).common_name.slice(0, MAX_NAME_CHARS);
}
