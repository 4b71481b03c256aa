/** Incidents: what went wrong, which certificates have to be replaced because of it, and how far that is. */

import { count, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import {
  type Context,
  isGranted,
  restrictionSql,
  SERVICE_ACTOR,
  visible,
  visibleSql,
} from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { concerns, finding } from "../../base/findings.ts";
import { logFailure } from "../../base/log_failure.ts";
import { inBackground } from "../../base/pace.ts";
import { recordNotices } from "../../changes/mod.ts";
import { idsIn, type Row, type RowOf, select, where } from "../../db/mod.ts";
import { incidents as table } from "../../db/schema/mod.ts";
import { EVERYTHING, isEverything, matchesNothing } from "../../filters/mod.ts";
import {
  choice,
  columnOf,
  datetime,
  defineResource,
  derived,
  type Draft,
  type Field,
  json,
  loadForChange,
  type Out,
  type ParsedBody,
  parseNested,
  refuse,
  snapshot,
  text,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import type { WebhookEvent } from "../webhooks/mod.ts";
import { certificates, MEMBER_STATES } from "../certificates/mod.ts";
import { markdownField, webAddress } from "../inventory/mod.ts";
import { Criteria, matchingIds, readCriteria } from "./criteria.ts";
import { gatherMembers, joinSql, MEMBERS_PER_TRANSACTION, nextReminder } from "./members.ts";

const OBJECT_TYPE = "certmgr.incident";

/** Maximum number of incidents: each has members, and is compared with every change while it is open. */
const MAX_INCIDENTS = 500;

export const KINDS = ["ca_revocation", "key_compromise", "distrust", "deadline", "other"] as const;

const COUNTS = z.object({
  affected: z.int().describe("All of them."),
  open: z.int().describe("Without a successor."),
  replaced: z.int().describe("With a successor, but not deployed."),
  deployed: z.int().describe("Nothing uses it any more, but something its successor."),
  excluded: z.int(),
  overdue: z.int().describe("Open after the deadline."),
});
export type Counts = z.infer<typeof COUNTS>;
type Stored = RowOf<typeof table>;

/** `certmgr.incident`. Its counts change without a change record. */
export const incidents = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/incidents",
  label: "incident",
  table,
  untracked: true,
  fields: [
    text("name", { description: "What happened, in a few words.", required: true, max: 200 }),
    choice("kind", { description: "Kind of incident.", choices: KINDS, fallback: "other" }),
    markdownField("description", "What happened and what has to be done, in Markdown."),
    webAddress("source_url", "Where it was announced."),
    {
      ...json("criteria", {
        description:
          "Which certificates are affected: an entry of each given list must match. Members stay when criteria change.",
        schema: Criteria,
        required: true,
      }),
      long: true,
    },
    datetime("deadline", {
      description: "Until when the certificates have to be replaced.",
      nullable: true,
    }),
    choice("status", {
      description: "Only open incidents are kept up to date.",
      choices: ["open", "closed"],
      fallback: "open",
    }),
    datetime("closed_at", { description: "When it was closed.", readOnly: true, nullable: true }),
    countsField(),
  ],
  brief: ["name", "kind", "status"],
  displayNeeds: ["name"],
  search: { fields: ["name", "description"] },
  order: [{ field: "status", descending: true }, { field: "deadline", descending: false }],
  actions: ["manage_incidents"],
  written: { action: "manage_incidents", oneByOne: true },
  hooks: {
    beforeWrite: findMatches,
    prepare: async ({ ctx, tx, drafts }: IncidentStep) => {
      const [row] = await tx.all(select({ n: count() }).from(table));
      for (const draft of drafts) {
        prepareIncident(draft, ctx.clock.now());
        if (draft.before !== undefined || (row?.n ?? 0) < MAX_INCIDENTS) continue;
        refuse(draft, "__all__", finding("too_many_incidents", { max: MAX_INCIDENTS }));
      }
    },
    beforeStore: storeMembers,
    afterStore: announceStatus,
    afterCommit: continueGathering,
  },
});

export type Incident = Out<typeof incidents>;

/** Numbers of certificates by state, of those that the caller may view. */
function countsField(): Field<"counts", Counts> {
  return {
    ...derived("counts", {
      description: "Numbers of its certificates that the caller may view.",
      output: COUNTS,
      needs: ["deadline", "status", "closed_at"],
      read: ({ counts, ...row }: Row, { clock }) => {
        const states = parseNested<Partial<Record<string, number>>>(counts) ?? {};
        const [open, replaced, deployed, excluded] = MEMBER_STATES.map((state) => states[state] ?? 0);
        const isOverdue = row.deadline !== null &&
          Number(row.deadline) < Number(row.closed_at ?? clock.now());
        return {
          affected: Object.values(states).reduce<number>((sum, n = 0) => sum + n, 0),
          open,
          replaced,
          deployed,
          excluded,
          overdue: isOverdue ? open : 0,
        };
      },
    }),
    select: ({ alias, ctx }) => [["counts", countsSql(ctx, columnOf(alias, "id"))]],
  };
}

function countsSql(ctx: Context, incident: SQL): SQL {
  const seen = visible(ctx, certificates.map);
  if (matchesNothing(seen)) return sql`NULL`;
  const restricted = isEverything(seen) ? undefined : restrictionSql(ctx, seen, { map: certificates.map });
  const members = restricted === undefined
    ? sql`incident_certificates AS member`
    : sql`incident_certificates AS member CROSS JOIN certificates ON certificates.id = member.certificate_id`;
  return sql`(SELECT json_group_object(state, n) FROM (SELECT member.state, count(*) AS n FROM ${members}${
    where(sql`member.incident_id = ${incident}`, restricted)
  } GROUP BY member.state))`;
}

type Input = Values & { name?: string; status?: string; deadline?: Millis | null; criteria?: Criteria };
type IncidentStep = WriteStep<Stored, Input>;

/** What matches the criteria of a body, and the last change that was recorded before. */
interface Matches {
  readonly ids: readonly number[];
  readonly version: number;
}

const matchesOf = new WeakMap<object, Matches>();

/** Checks criteria, and finds the certificates that match before the database is locked. */
async function findMatches(
  { ctx, given }: { ctx: Context; given: readonly (ParsedBody & { readonly input: Input })[] },
): Promise<void> {
  for (const { input, errors } of given) {
    const { criteria } = input;
    if (criteria === undefined || concerns(errors, "criteria")) continue;
    try {
      const read = await readCriteria(criteria);
      const version = await lastChange(ctx.database);
      matchesOf.set(read, { version, ids: await matchingIds(ctx, read) });
      input.criteria = read;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      errors.push(...error.findings.flat());
    }
  }
}

async function lastChange(reader: Pick<Context["database"], "all">): Promise<number> {
  const [row] = await reader.all<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM object_changes`);
  return row?.id ?? 0;
}

function matchesIn({ criteria }: Input): Matches | undefined {
  return criteria && matchesOf.get(criteria);
}

function prepareIncident({ input, row, before }: Draft<Stored, Input>, now: Millis): void {
  const { status = "open", deadline = null } = { ...before, ...input };
  const matches = matchesIn(input);
  if (matches !== undefined) row.joined_to = matches.ids[MEMBERS_PER_TRANSACTION] === undefined ? null : 0;
  if (status !== before?.status) {
    row.closed_at = status === "closed" ? now : null;
    if (before !== undefined && status === "open") row.joined_to ??= 0;
  }
  if (status === "open" && (status !== before?.status || "deadline" in input)) {
    row.remind_at = nextReminder({ now, deadline });
  }
}

/** Stores the first members of new criteria, before the response counts them. */
async function storeMembers({ ctx, tx, drafts }: IncidentStep): Promise<void> {
  for (const { id, before, input } of drafts) {
    const matches = matchesIn(input);
    const { name = "", status = "open", deadline = null } = { ...before, ...input };
    const some = matches?.ids.slice(0, MEMBERS_PER_TRANSACTION) ?? [];
    await tx.runAll(joinSql({ id, name, status, deadline }, { ids: some, now: ctx.clock.now() }));
    if (status === before?.status || status === "closed") continue;
    const version = matches?.version ?? await lastChange(tx);
    // Changes before the first open incident concern none.
    await tx.run(
      sql`UPDATE notice_progress SET last_id = ${version} WHERE name = 'incidents' AND last_id < ${version}
        AND NOT EXISTS (SELECT 1 FROM ${table} WHERE status = 'open' AND id <> ${id})`,
    );
  }
}

/** Records events for incidents that are opened or closed. */
async function announceStatus({ ctx, tx, drafts }: WriteStep): Promise<void> {
  const call = { ctx: { ...ctx, actor: SERVICE_ACTOR }, tx, resource: incidents, allowed: EVERYTHING };
  const rows = await loadForChange(call, drafts.map(({ id }) => id));
  for (const { id, before } of drafts) {
    const incident = rows.get(id);
    if (incident === undefined || incident.status === (before?.status ?? "closed")) continue;
    const event = incident.status === "open" ? "incident.opened" : "incident.closed";
    await announceIncident({ ctx, tx }, { incident, event });
  }
}

/** Records an event of webhooks about an incident, with the numbers of its certificates. Three statements. */
export async function announceIncident(
  { ctx, tx }: Pick<WriteStep, "ctx" | "tx">,
  { incident, event }: { incident: Stored; event: WebhookEvent },
): Promise<void> {
  const service = { ...ctx, actor: SERVICE_ACTOR };
  const [row] = await tx.all<Row>(sql`SELECT ${countsSql(service, sql`${incident.id}`)} AS counts`);
  const counts = incidents.fields.counts?.read({ ...incident, counts: row?.counts ?? null }, service);
  await recordNotices(tx, ctx, [{
    event,
    objectType: OBJECT_TYPE,
    objectId: incident.id,
    snapshot: snapshot(incidents, incident),
    details: { counts },
  }]);
}

/** Makes the other matches members, if there are any. If the process ends before, a job does. */
function continueGathering(ctx: Context): void {
  inBackground(() => gatherMembers({ ctx })).catch((error) =>
    logFailure(ctx.log, "members of an incident not gathered", { error })
  );
}

/** An open incident of a certificate, and how far its replacement is there. */
export interface OpenIncident {
  readonly id: number;
  readonly name: string;
  readonly kind: typeof KINDS[number];
  readonly deadline: Millis | null;
  readonly state: typeof MEMBER_STATES[number];
}

/** Returns the open incidents of certificates that the caller may view, the next deadline first. At most one statement. */
export async function openIncidents(
  ctx: Context,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly OpenIncident[]>> {
  if (!isGranted(ctx, "view", incidents.objectType)) return new Map();
  const rows = await ctx.database.all<Row & OpenIncident & { certificate_id: number }>(
    sql`SELECT certificate_id, incidents.id, incidents.name, incidents.kind, incidents.deadline, member.state
      FROM incident_certificates AS member JOIN incidents ON incidents.id = member.incident_id
      WHERE certificate_id IN ${idsIn(ids)} AND incidents.status = 'open'
        AND ${visibleSql(ctx, incidents.map) ?? sql`1`}
      ORDER BY ifnull(incidents.deadline, 9e15), incidents.id`,
  );
  return Map.groupBy(rows, ({ certificate_id }) => certificate_id);
}
