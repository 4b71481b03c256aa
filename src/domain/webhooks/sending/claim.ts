/** Which messages are sent next, and by whom. */

import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import {
  BREAKER_FAILURES,
  DELIVERY_LEASE_MS,
  DELIVERY_SLOTS,
  DELIVERY_SLOTS_PER_HOST,
} from "../../../base/limits.ts";
import { idsIn, type Reader, type Transaction } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import type { Told } from "../deliveries/mod.ts";

/** A message that is due, with what decides whether it can be sent now. */
export interface DueMessage {
  readonly id: number;
  readonly webhookId: number;
  readonly url: string;
  readonly method: string;
  readonly secret: string;
  /** JSON object of further headers. */
  readonly headers: string;
  /** Whether its webhook failed so often that one message is tried at a time. */
  readonly probe: boolean;
}

/** A message that is this process's to send until its lease ends. */
export interface ClaimedMessage extends DueMessage, Told {
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
  /** This attempt included. */
  readonly attempts: number;
}

/** What is on its way already. */
export interface InFlight {
  readonly id: number;
  readonly url: string;
}

/**
 * Messages that are due, the longest waiting first: for each webhook that works as many as one host is sent at a time,
 * for one that does not the one that is tried next. A message waits for earlier ones about the same object. One
 * statement, quick however many messages there are.
 */
export async function dueMessages(reader: Reader, now: Millis): Promise<DueMessage[]> {
  // CROSS keeps the order: webhooks are few. The ids of each lead to its messages as a list of JSON: no table is walked.
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

/** Ids of what the webhook `w` is to be sent next. */
function dueIds(now: Millis): SQL {
  return sql`SELECT due.id FROM ${webhook_deliveries} AS due INDEXED BY webhook_deliveries_due
    WHERE due.webhook_id = w.id AND due.next_attempt IS NOT NULL AND due.next_attempt <= ${now} AND NOT EXISTS (
      SELECT 1 FROM ${webhook_deliveries} AS earlier INDEXED BY webhook_deliveries_order
      WHERE earlier.webhook_id = w.id AND earlier.object_type = due.object_type
        AND earlier.object_id = due.object_id AND earlier.state = 'pending' AND earlier.id < due.id
    ) ORDER BY due.next_attempt, due.id LIMIT ${DELIVERY_SLOTS_PER_HOST}`;
}

/** Of what is due, what there is room for beside what is on its way. */
export function chooseMessages(due: readonly DueMessage[], inFlight: readonly InFlight[]): DueMessage[] {
  const hosts = new Map<string, number>();
  for (const { url } of inFlight) count(hosts, url);
  const busy = new Set(inFlight.map(({ id }) => id));
  const probed = new Set<number>();
  const chosen: DueMessage[] = [];
  for (const message of due) {
    if (chosen.length + inFlight.length >= DELIVERY_SLOTS) break;
    if (busy.has(message.id) || probed.has(message.webhookId)) continue;
    if ((hosts.get(hostOf(message.url)) ?? 0) >= DELIVERY_SLOTS_PER_HOST) continue;
    count(hosts, message.url);
    if (message.probe) probed.add(message.webhookId);
    chosen.push(message);
  }
  return chosen;
}

function count(hosts: Map<string, number>, url: string): void {
  hosts.set(hostOf(url), (hosts.get(hostOf(url)) ?? 0) + 1);
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? url;
}

/** Makes messages this process's own for the time of a lease; when it dies, they are due again. Two statements. */
export async function claimMessages(
  tx: Transaction,
  chosen: readonly DueMessage[],
  { owner, now }: { owner: string; now: Millis },
): Promise<ClaimedMessage[]> {
  if (chosen.length === 0) return [];
  const until = now + DELIVERY_LEASE_MS;
  const rows = await tx.all<Omit<ClaimedMessage, Exclude<keyof DueMessage, "id">>>(
    sql`UPDATE ${webhook_deliveries} SET lease_owner = ${owner}, next_attempt = ${until}, attempts = attempts + 1
      WHERE id IN ${idsIn(chosen.map(({ id }) => id))} AND state = 'pending' AND next_attempt <= ${now}
      RETURNING id, object_type AS "objectType", object_id AS "objectId", event_id AS "eventId", event, body, attempts`,
  );
  const probes = chosen.filter(({ probe }) => probe).map(({ webhookId }) => webhookId);
  if (probes.length > 0) {
    await tx.run(sql`UPDATE ${webhooks} SET probe_at = ${until} WHERE id IN ${idsIn(probes)}`);
  }
  const taken = new Map(rows.map((row) => [row.id, row]));
  return chosen.flatMap((message) => {
    const row = taken.get(message.id);
    return row === undefined ? [] : [{ ...message, ...row }];
  });
}
