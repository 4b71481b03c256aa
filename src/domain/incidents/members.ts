/** The certificates of incidents: those that match when it is made, and those that enter the inventory later. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { logFailure } from "../../base/log_failure.ts";
import { pacer } from "../../base/pace.ts";
import { idsIn, type Reader, type Row } from "../../db/mod.ts";
import { incidents as table } from "../../db/schema/mod.ts";
import { type Criteria, matchingIds } from "./criteria.ts";

/** Number of members that a transaction stores: about ten milliseconds. */
export const MEMBERS_PER_TRANSACTION = 2_000;
/** Without a deadline, owners are reminded once a week. */
const WITHOUT_DEADLINE_MS = 7 * DAY_MS;
/** Number of changes that are read at once: a millisecond. */
const CHANGES_AT_ONCE = 2_000;

/** An incident whose members are found. */
interface Gathering {
  readonly id: number;
  readonly name: string;
  readonly deadline: number | null;
  readonly status: string;
  /** JSON. */
  readonly criteria: string;
  readonly joined_to: number | null;
}

const GATHERING = sql`SELECT id, name, deadline, status, criteria, joined_to FROM ${table}`;

/**
 * Returns the statements that make certificates members, with a notice for the owner of each new one that is open. One
 * that is a member gets its current state.
 */
export function joinSql(
  { id, name, deadline, status }: Pick<Gathering, "id" | "name" | "deadline" | "status">,
  { ids, now }: { ids: readonly number[]; now: number },
): SQL[] {
  if (ids.length === 0) return [];
  const joining = sql`FROM json_each(${
    JSON.stringify(ids)
  }) AS one CROSS JOIN replacement_states AS of ON of.id = one.value`;
  const noticed = sql`INSERT INTO notice_events (event, object_type, object_id, detail, time)
    SELECT 'incident_opened', 'certmgr.certificate', of.id, ${
    noticeDetail({ name, deadline })
  }, ${now} ${joining}
    WHERE of.state = 'open' AND EXISTS (SELECT 1 FROM subscriptions)
      AND NOT EXISTS (SELECT 1 FROM incident_certificates WHERE incident_id = ${id} AND certificate_id = of.id)`;
  const joined =
    sql`INSERT INTO incident_certificates (incident_id, certificate_id, state, joined_at, replaced_at)
    SELECT ${id}, of.id, of.state, ${now}, of.replaced_at ${joining} WHERE true
    ON CONFLICT (incident_id, certificate_id) DO UPDATE SET
      state = iif(incident_certificates.state = 'excluded', 'excluded', excluded.state),
      replaced_at = coalesce(incident_certificates.replaced_at, excluded.replaced_at)`;
  return status === "open" ? [noticed, joined] : [joined];
}

/** Returns what a notice about a member says: the incident, and until when its certificates must be replaced. */
export function noticeDetail({ name, deadline }: Pick<Gathering, "name" | "deadline">): string {
  const until = deadline === null ? "" : `, until ${new Date(deadline).toISOString().slice(0, 16)}Z`;
  return `${name}${until}`;
}

/** Returns the time of the next reminder: after half of the time that is left, but not before the next day. */
export function nextReminder({ now, deadline }: { now: Millis; deadline: Millis | null }): Millis {
  return now + (deadline === null ? WITHOUT_DEADLINE_MS : Math.max(DAY_MS, Math.round((deadline - now) / 2)));
}

/** Completes the members of incidents, in parts. An interrupted run continues where it was. */
export async function gatherMembers(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<number> {
  const { database, clock } = ctx;
  const pause = pacer();
  let joined = 0;
  const waiting = await database.all<Gathering>(sql`${GATHERING} WHERE joined_to IS NOT NULL`);
  for (const incident of waiting) {
    const ids = await matchesOf(ctx, incident, { after: incident.joined_to ?? 0 });
    let before = incident.joined_to;
    for (let from = 0; from === 0 || from < ids.length; from += MEMBERS_PER_TRANSACTION) {
      if (signal?.aborted) return joined;
      const some = ids.slice(from, from + MEMBERS_PER_TRANSACTION);
      const next = from + some.length < ids.length ? some.at(-1) ?? null : null;
      const isCurrent = await database.write(async (tx) => {
        const taken = await tx.run(
          sql`UPDATE ${table} SET joined_to = ${next} WHERE id = ${incident.id} AND joined_to = ${before}`,
        );
        if (taken > 0) await tx.runAll(joinSql(incident, { ids: some, now: clock.now() }));
        return taken > 0;
      });
      // The criteria have changed in the meantime, or another process continues.
      if (!isCurrent) break;
      before = next;
      joined += some.length;
      await pause();
    }
  }
  return joined;
}

/**
 * Makes certificates that were added or changed since the last run members of the open incidents whose criteria they
 * match. Five statements for every 2,000 changes, and one for each incident.
 */
export async function joinChanged(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<number> {
  const { database, clock } = ctx;
  const pause = pacer();
  let joined = 0;
  const isOpen = sql`SELECT 1 FROM ${table} WHERE status = 'open' LIMIT 1`;
  while (!signal?.aborted && (await database.all(isOpen)).length > 0) {
    const { last, count, ids } = await nextChanges(database);
    if (last === null) break;
    // Read only after a change: criteria can have megabytes.
    const open = ids.length === 0
      ? []
      : await database.all<Gathering>(sql`${GATHERING} WHERE status = 'open'`);
    const found: [Gathering, number[]][] = [];
    for (const incident of open) {
      const matching = await matchesOf(ctx, incident, { among: ids });
      const members = matching.length === 0 ? [] : await database.all<{ id: number }>(
        sql`SELECT certificate_id AS id FROM incident_certificates WHERE incident_id = ${incident.id}
          AND certificate_id IN ${idsIn(matching)}`,
      );
      const known = new Set(members.map(({ id }) => id));
      found.push([incident, matching.filter((id) => !known.has(id))]);
      await pause();
    }
    await database.write(async (tx) => {
      for (const [incident, some] of found) {
        await tx.runAll(joinSql(incident, { ids: some, now: clock.now() }));
        joined += some.length;
      }
      await tx.run(sql`UPDATE notice_progress SET last_id = ${last} WHERE name = 'incidents'`);
    });
    if (count < CHANGES_AT_ONCE) break;
    await pause();
  }
  return joined;
}

async function nextChanges(reader: Reader): Promise<{ last: number | null; count: number; ids: number[] }> {
  const [row] = await reader.all<Row>(
    sql`SELECT max(id) AS last, count(*) AS count, json_group_array(DISTINCT object_id) FILTER (
        WHERE object_type = 'certmgr.certificate' AND action <> 'delete') AS ids
      FROM (SELECT id, action, object_type, object_id FROM object_changes
        WHERE id > (SELECT last_id FROM notice_progress WHERE name = 'incidents')
        ORDER BY id LIMIT ${CHANGES_AT_ONCE})`,
  );
  return {
    last: row?.last === null ? null : Number(row?.last),
    count: Number(row?.count),
    ids: JSON.parse(String(row?.ids)),
  };
}

/** Returns the matches of an incident; none if its filter is no longer valid, such as by a deleted custom field. */
async function matchesOf(
  ctx: Context,
  { id, criteria }: Gathering,
  options: Parameters<typeof matchingIds>[2],
): Promise<number[]> {
  try {
    const read: Criteria = JSON.parse(criteria);
    return await matchingIds(ctx, read, options);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    logFailure(ctx.log, "filter of incident no longer valid", { incident: id, error });
    return [];
  }
}
