/** Keeps open incidents current: members, times, deadlines and reminders. A scheduled job. */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { pacer } from "../../base/pace.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import { loadForChange } from "../../resource/mod.ts";
import {
  gatherMembers,
  joinChanged,
  MEMBERS_PER_TRANSACTION,
  nextReminder,
  noticeDetail,
} from "./members.ts";
import { announceIncident, incidents } from "./resource.ts";

/** Counts of a run. */
interface Done {
  readonly joined: number;
  readonly deadlines: number;
  readonly reminded: number;
}

/** Brings open incidents up to date. Without any, five reads. */
export async function keepIncidents(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<Done> {
  const joined = await gatherMembers({ ctx, signal }) + await joinChanged({ ctx, signal });
  await dateDeployments(ctx);
  return { joined, deadlines: await announceDeadlines(ctx), reminded: await remindOwners({ ctx, signal }) };
}

/** Stores when certificates were first seen deployed: when a server with its key presented the successor, else now. */
async function dateDeployments({ database, clock }: Context): Promise<void> {
  const undated = sql`state = 'deployed' AND deployed_at IS NULL`;
  const [waiting] = await database.all(
    sql`SELECT 1 FROM incident_certificates INDEXED BY incident_certificates_undated WHERE ${undated} LIMIT 1`,
  );
  if (waiting === undefined) return;
  await database.write((tx) =>
    tx.run(
      sql`UPDATE incident_certificates SET deployed_at = coalesce((SELECT min(seen.first_seen) FROM observations AS seen
          WHERE seen.possession = 'proven' AND seen.certificate_id = (
            SELECT replaced_by_id FROM certificates WHERE id = incident_certificates.certificate_id)), ${clock.now()})
        WHERE certificate_id IN (SELECT certificate_id FROM incident_certificates INDEXED BY incident_certificates_undated
          WHERE ${undated} LIMIT ${MEMBERS_PER_TRANSACTION}) AND ${undated}`,
    )
  );
}

/** Creates an event for each open incident whose deadline has passed, once for each deadline. */
async function announceDeadlines(ctx: Context): Promise<number> {
  const now = ctx.clock.now();
  const due = sql`SELECT id FROM incidents
    WHERE status = 'open' AND deadline <= ${now} AND announced_deadline IS NOT deadline`;
  if ((await ctx.database.all(due)).length === 0) return 0;
  return await ctx.database.write(async (tx) => {
    const ids = (await tx.all<{ id: number }>(due)).map(({ id }) => id);
    const rows = await loadForChange({ ctx, tx, resource: incidents, allowed: EVERYTHING }, ids);
    for (const incident of rows.values()) {
      await announceIncident({ ctx, tx }, { incident, event: "incident.deadline" });
      await tx.run(sql`UPDATE incidents SET announced_deadline = deadline WHERE id = ${incident.id}`);
    }
    return rows.size;
  });
}

/** An open incident whose owners have to be reminded. */
interface Reminding {
  readonly id: number;
  readonly name: string;
  readonly deadline: number | null;
}

/** Creates a notice for each certificate that is open when its owner has to be reminded; in parts, each once. */
async function remindOwners(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<number> {
  const { database, clock } = ctx;
  const pause = pacer();
  const now = clock.now();
  const due =
    sql`SELECT id, name, deadline FROM incidents WHERE status = 'open' AND remind_at <= ${now} LIMIT 1`;
  let reminded = 0;
  while (!signal?.aborted && (await database.all(due)).length > 0) {
    reminded += await database.write(async (tx) => {
      const [incident] = await tx.all<Reminding>(due);
      if (incident === undefined) return 0;
      const members = await tx.all<{ id: number }>(
        sql`SELECT certificate_id AS id FROM incident_certificates WHERE incident_id = ${incident.id} AND state = 'open'
          AND certificate_id > (SELECT reminded_to FROM incidents WHERE id = ${incident.id})
          ORDER BY certificate_id LIMIT ${MEMBERS_PER_TRANSACTION}`,
      );
      await tx.run(
        sql`INSERT INTO notice_events (event, object_type, object_id, detail, time)
          SELECT 'incident_reminder', 'certmgr.certificate', value, ${noticeDetail(incident)}, ${now}
          FROM json_each(${
          JSON.stringify(members.map(({ id }) => id))
        }) WHERE EXISTS (SELECT 1 FROM subscriptions)`,
      );
      const isLast = members.length < MEMBERS_PER_TRANSACTION;
      await tx.run(
        sql`UPDATE incidents SET reminded_to = ${isLast ? 0 : members.at(-1)?.id ?? 0},
          remind_at = ${
          isLast ? nextReminder({ now, deadline: incident.deadline }) : now
        } WHERE id = ${incident.id}`,
      );
      return members.length;
    });
    await pause();
  }
  return reminded;
}
