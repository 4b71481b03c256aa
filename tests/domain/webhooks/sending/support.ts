/** Shared helpers of the tests of deliveries: webhooks, receivers with given responses, and the log. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { type Database, insertRows } from "../../../../src/db/mod.ts";
import { webhooks } from "../../../../src/db/schema/mod.ts";
import { drainOnce } from "../../../../src/domain/webhooks/sending/deliver.ts";
import {
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
  type Send,
} from "../../../../src/http/mod.ts";
import { type Change, recordChanges } from "../../../../src/changes/mod.ts";

/** Default values of a webhook. */
const WEBHOOK = {
  name: "all",
  object_types: JSON.stringify([
    "certmgr.certificate",
    "certmgr.certificateassignment",
    "certmgr.certificatesigningrequest",
  ]),
  events: JSON.stringify(["created", "updated", "deleted"]),
  payload_url: "https://hooks.example/certmgr",
  secret: "",
  conditions: null as string | null,
  created: 0,
  last_updated: 0,
};

/** Adds a webhook and returns its id. */
export async function addWebhook(
  database: Database,
  own: Partial<Record<string, string | number | null>> = {},
): Promise<number> {
  const rows = await database.write((tx) =>
    tx.all<{ id: number }>(
      sql`${
        insertRows(webhooks, [{ ...WEBHOOK, ...own } as Record<string, string | number | null>])
      } RETURNING id`,
    )
  );
  return rows[0]?.id as number;
}

/** Returns a change of a certificate. */
export function changeOf(objectId: number, action: Change["action"] = "update", name = "a.example"): Change {
  const snapshot = { id: objectId, common_name: name, status: "active", valid_to: "2026-12-31T00:00:00Z" };
  return {
    action,
    objectType: "certmgr.certificate",
    objectId,
    repr: name,
    prechange: action === "create" ? null : snapshot,
    postchange: action === "delete" ? null : snapshot,
  };
}

/** Commits changes, each in a separate transaction. */
export async function commit(ctx: Context, ...changes: Change[]): Promise<void> {
  for (const change of changes) await ctx.database.write((tx) => recordChanges(tx, ctx, [change]));
}

/** The response of a receiver: a status, a complete response, or a refused connection. */
export type Answer = number | Partial<OutboundReply> | "refused";

/** A receiver. */
export interface Receiver {
  readonly send: Send;
  /** Its requests, in order. */
  readonly requests: OutboundRequest[];
  /** Body of each request. */
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
  readonly bodies: any[];
  /** Maximum number of concurrent requests. */
  readonly most: number;
}

/** Returns a receiver within this process. */
export function receiver(
  answer: (request: OutboundRequest) => Answer | Promise<Answer> = () => 204,
): Receiver {
  const requests: OutboundRequest[] = [];
  let open = 0;
  let most = 0;
  return {
    requests,
    get bodies() {
      return requests.map(({ body }) => JSON.parse(body));
    },
    get most() {
      return most;
    },
    async send(request): Promise<OutboundReply> {
      requests.push(request);
      open++;
      most = Math.max(most, open);
      const given = await answer(request);
      open--;
      if (given === "refused") throw new OutboundError("The connection was refused.");
      return {
        status: 200,
        retryAfter: null,
        body: "",
        ...(typeof given === "number" ? { status: given } : given),
      };
    },
  };
}

/** Sends due messages, without randomness in the pauses. */
export function drain(ctx: Context, { send }: Pick<Receiver, "send">, limit = 10_000): Promise<number> {
  return drainOnce(ctx, limit, { send, random: () => 0 });
}

/** A message's row. */
export interface Delivery {
  readonly id: number;
  readonly webhook_id: number;
  readonly event_id: string;
  readonly object_type: string;
  readonly object_id: number;
  readonly event: string;
  readonly state: string;
  readonly attempts: number;
  readonly response_status: number | null;
  readonly response_body: string;
  readonly failure: string | null;
  readonly error: string;
  readonly next_attempt: number | null;
  readonly lease_owner: string | null;
}

/** Returns all messages, oldest first. */
export function deliveries(database: Database): Promise<Delivery[]> {
  return database.all<Delivery>(sql`SELECT * FROM webhook_deliveries ORDER BY id`);
}

/** Returns the row of a webhook. */
export async function webhook(
  database: Database,
  id: number,
): Promise<{ enabled: number; disabled_reason: string; failure_count: number; probe_at: number | null }> {
  const rows = await database.all<Awaited<ReturnType<typeof webhook>>>(
    sql`SELECT enabled, disabled_reason, failure_count, probe_at FROM webhooks WHERE id = ${id}`,
  );
  return rows[0] as Awaited<ReturnType<typeof webhook>>;
}
