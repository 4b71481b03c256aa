/** Writes the audit log. */

import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { MAX_USER_AGENT_CHARS } from "../../../base/limits.ts";
import { insertRows, nextIds, storableText, type Transaction } from "../../../db/mod.ts";
import { audit_events } from "../../../db/schema/mod.ts";
import { recordNotices } from "../../../changes/mod.ts";
import type { AuditEvent } from "./resource.ts";

/** Maximum length of a name or a detail. */
const MAX_CHARS = 500;

/** The client that sent a request. */
export interface AuditClient {
  readonly address: string | null;
  readonly userAgent: string;
}

/** An event that concerns an account. */
export interface AuditEntry {
  readonly event: AuditEvent;
  /** null without an account. */
  readonly userId: number | null;
  readonly username: string;
  readonly detail?: string;
  /** By default, the client of the context. */
  readonly client?: AuditClient;
}

type Deps = Omit<Context, "actor">;

/** Records entries in the caller's transaction, each with an event for webhooks. Three statements. */
export async function recordAudit(
  tx: Transaction,
  deps: Deps,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const time = deps.clock.now();
  const first = await nextIds(tx, audit_events, entries.length);
  const rows = entries.map(({ event, userId, username, detail = "", client = deps.client }, index) => ({
    id: first + index,
    time,
    event,
    user_id: userId,
    username: stored(username),
    address: client?.address ?? "",
    user_agent: stored(client?.userAgent ?? "").slice(0, MAX_USER_AGENT_CHARS),
    detail: stored(detail),
  }));
  await tx.run(insertRows(audit_events, rows));
  await recordNotices(
    tx,
    deps,
    rows.map((row) => ({
      event: "created",
      objectType: "core.auditevent",
      objectId: row.id,
      snapshot: { ...row, time: formatDatetime(time) },
    })),
  );
}

function stored(text: string): string {
  return storableText(text.slice(0, MAX_CHARS));
}
