/** Changes that a request has made in the database. */

import { sql } from "drizzle-orm";
import { type Database, insertRows } from "../../src/db/mod.ts";
import { webhooks } from "../../src/db/schema/mod.ts";
import { WEBHOOK_EVENTS, WEBHOOK_OBJECT_TYPES } from "../../src/domain/webhooks/mod.ts";
import type { TestDatabase } from "./database.ts";

/** Returns the size of the write-ahead log in bytes. As long as it does not change, nothing has been committed. */
export async function writtenBytes({ path }: TestDatabase): Promise<number> {
  return (await Deno.stat(`${path}-wal`)).size;
}

/**
 * Adds a webhook that selects every event, because events that no webhook selects are not stored. Its id is negative, so
 * that it does not change the ids of webhooks that are created later.
 */
export async function selectEveryEvent(database: Database): Promise<void> {
  const webhook = {
    id: -1,
    name: "Every event",
    object_types: JSON.stringify(WEBHOOK_OBJECT_TYPES),
    events: JSON.stringify(WEBHOOK_EVENTS),
    payload_url: "https://hooks.example/every-event",
    created: 0,
    last_updated: 0,
  };
  await database.write((tx) => tx.run(insertRows(webhooks, [webhook])));
}

/** A change of an object, as the change log has it. */
export interface LoggedChange {
  readonly action: string;
  readonly object_type: string;
  readonly object_id: number;
  readonly request_id: string;
}

/** Returns changes and events since an earlier change; an event is shown as its change. See {@link selectEveryEvent}. */
export async function changesSince(
  database: Database,
  lastId: number,
): Promise<{ changes: LoggedChange[]; events: LoggedChange[] }> {
  const changes = await database.all<LoggedChange>(
    sql`SELECT action, object_type, object_id, request_id FROM object_changes WHERE id > ${lastId} ORDER BY id`,
  );
  const events = await database.all<LoggedChange>(
    sql`SELECT substr(event, 1, length(event) - 1) AS action, outbox.object_type, outbox.object_id, request_id
      FROM outbox JOIN object_changes ON object_changes.id = change_id WHERE change_id > ${lastId} ORDER BY outbox.id`,
  );
  return { changes, events };
}

/** Returns the id of the newest change; 0 if there is none. */
export async function lastChange(database: Database): Promise<number> {
  const [row] = await database.all<{ id: number }>(
    sql`SELECT coalesce(max(id), 0) AS id FROM object_changes`,
  );
  return row?.id ?? 0;
}
