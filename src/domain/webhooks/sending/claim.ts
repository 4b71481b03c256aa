/** Selects the messages to send next, and leases them to a process. */

import { and, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { DELIVERY_LEASE_MS } from "../../../base/limits.ts";
import { idsIn, named, type Reader, type Transaction, update } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import type { MessageSubject } from "../deliveries/prune_deliveries.ts";

/** Number of consecutive failures of a webhook after which only one message at a time is tried. */
export const BREAKER_FAILURES = 20;

/** Maximum number of concurrent webhook deliveries of a process, in total and per host. */
export const DELIVERY_SLOTS = 16;
export const DELIVERY_SLOTS_PER_HOST = 4;

/** A message that is due, with the data that is needed to select and send it. */
export interface DueMessage {
  readonly id: number;
  readonly webhookId: number;
  readonly url: string;
  readonly method: string;
  readonly secret: string;
  /** Additional headers as a JSON object. */
  readonly headers: string;
  /** Whether its webhook has failed so often that only one message at a time is tried. */
  readonly probe: boolean;
}

/** A message that this process has leased. */
export interface ClaimedMessage extends DueMessage, MessageSubject {
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
  /** The number of attempts, including this one. */
  readonly attempts: number;
}

/** A message that is being sent. */
export interface InFlight {
  readonly id: number;
  readonly url: string;
}

/**
 * Selects due messages, those that have waited longest first: for each webhook as many as may be sent to one
 * host at a time. A message waits for earlier ones about the same object. One statement, whose time does not
 * depend on the number of messages.
 */
export async function dueMessages(reader: Reader, now: Millis): Promise<DueMessage[]> {
  // CROSS JOIN keeps the order of the tables: there are few webhooks, and each message is found by its id
  // without a scan.
  const rows = await reader.all<Omit<DueMessage, "probe"> & { probe: number }>(
    sql`SELECT d.id, w.id AS "webhookId", w.payload_url AS url, w.http_method AS method, w.secret,
        w.additional_headers AS headers, w.failure_count >= ${BREAKER_FAILURES} AS probe
      FROM ${webhooks} AS w CROSS JOIN json_each((SELECT json_group_array(id) FROM (${dueIds(now)}))) AS next
      CROSS JOIN ${webhook_deliveries} AS d ON d.id = next.value
      WHERE w.enabled = 1 AND (w.probe_at IS NULL OR w.probe_at <= ${now})
      ORDER BY d.next_attempt, d.id`,
  );
  return rows.map((row) => ({ ...row, probe: row.probe === 1 }));
}

/** Selects the ids of the messages that are to be sent next to webhook `w`. */
function dueIds(now: Millis): SQL {
  return sql`SELECT due.id FROM ${webhook_deliveries} AS due INDEXED BY webhook_deliveries_due
    WHERE due.webhook_id = w.id AND due.next_attempt IS NOT NULL AND due.next_attempt <= ${now} AND NOT EXISTS (
      SELECT 1 FROM ${webhook_deliveries} AS earlier INDEXED BY webhook_deliveries_order
      WHERE earlier.webhook_id = w.id AND earlier.object_type = due.object_type
        AND earlier.object_id = due.object_id AND earlier.state = 'pending' AND earlier.id < due.id
    ) ORDER BY due.next_attempt, due.id LIMIT ${DELIVERY_SLOTS_PER_HOST}`;
}

/** Chooses due messages for which there are free slots, in total and per host. */
export function chooseMessages(due: readonly DueMessage[], inFlight: readonly InFlight[]): DueMessage[] {
  const hosts = new Map<string, number>();
  for (const { url } of inFlight) countHost(hosts, url);
  const busy = new Set(inFlight.map(({ id }) => id));
  const probed = new Set<number>();
  const chosen: DueMessage[] = [];
  for (const message of due) {
    if (chosen.length + inFlight.length >= DELIVERY_SLOTS) break;
    if (busy.has(message.id) || probed.has(message.webhookId)) continue;
    if ((hosts.get(hostOf(message.url)) ?? 0) >= DELIVERY_SLOTS_PER_HOST) continue;
    countHost(hosts, message.url);
    if (message.probe) probed.add(message.webhookId);
    chosen.push(message);
  }
  return chosen;
}

function countHost(hosts: Map<string, number>, url: string): void {
  hosts.set(hostOf(url), (hosts.get(hostOf(url)) ?? 0) + 1);
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? url;
}

/** Leases messages to a process. If it dies, they become due again after the lease. Two statements. */
export async function claimMessages(
  tx: Transaction,
  chosen: readonly DueMessage[],
  { owner, now }: { owner: string; now: Millis },
): Promise<ClaimedMessage[]> {
  if (chosen.length === 0) return [];
  const until = now + DELIVERY_LEASE_MS;
  const { id, object_type, object_id, event_id, event, body, attempts, state, next_attempt } =
    webhook_deliveries;
  const rows = await tx.all(
    update(webhook_deliveries)
      .set({ lease_owner: owner, next_attempt: until, attempts: sql`${attempts} + 1` })
      .where(and(
        inArray(id, idsIn(chosen.map((message) => message.id))),
        eq(state, "pending"),
        lte(next_attempt, now),
      ))
      .returning(named({
        id,
        objectType: object_type,
        objectId: object_id,
        eventId: event_id,
        event,
        body,
        attempts,
      })),
  );
  const probes = chosen.filter(({ probe }) => probe).map(({ webhookId }) => webhookId);
  if (probes.length > 0) {
    await tx.run(update(webhooks).set({ probe_at: until }).where(inArray(webhooks.id, idsIn(probes))));
  }
  const taken = new Map(rows.map((row) => [row.id, row]));
  return chosen.flatMap((message) => {
    const row = taken.get(message.id);
    return row === undefined ? [] : [{ ...message, ...row }];
  });
}
