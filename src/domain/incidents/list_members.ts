/** Lists the certificates of an incident that the caller may view, and changes which of them count. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql } from "../../auth/mod.ts";
import { formatDatetime, type Millis } from "../../base/clock.ts";
import { invalid, notFound } from "../../base/errors.ts";
import { finding } from "../../base/findings.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { OWNER_LETTER, recordChanges } from "../../changes/mod.ts";
import { idsIn, type Reader, where } from "../../db/mod.ts";
import { and, compare, or } from "../../filters/mod.ts";
import { type DomainOperation, objectBody, operation } from "../../operation/mod.ts";
import {
  getObject,
  idList,
  listObjects,
  type ListQuery,
  loadForChange,
  namesIn,
  parseListQuery,
  quote,
  snapshot,
  textSchema,
} from "../../resource/mod.ts";
import { type Certificate, certificates, MEMBER_STATES } from "../certificates/mod.ts";
import { type Incident, incidents } from "./resource.ts";

/** Maximum length of the reason of an exclusion. */
const MAX_REASON_CHARS = 1_000;

/** What the list of an incident adds to a certificate. */
export const Member = z.object({
  state: z.enum(MEMBER_STATES),
  reason: z.string().describe("Why it is excluded; otherwise empty."),
  joined_at: z.iso.datetime(),
  told_at: z.iso.datetime().nullable().describe("When a user last notified the owner since it joined."),
  replaced_at: z.iso.datetime().nullable().describe("When it got its successor."),
  deployed_at: z.iso.datetime().nullable().describe("When the successor was first seen deployed."),
});
export type Member = z.infer<typeof Member>;

/** A page of an incident's certificates. */
export interface MemberPage {
  readonly incident: Incident;
  readonly query: ListQuery;
  readonly count: number | null;
  readonly nextStart: number | null;
  readonly results: (Partial<Certificate> & Partial<Member>)[];
}

/**
 * Lists certificates of an incident by `state`, and by the parameters of the list of certificates. Archived ones are
 * included. `among` are ids of some of them, which are found faster. Four statements, five if the count is not cached. Errors: forbidden, not_found, invalid.
 */
export async function listMembers(
  { ctx, id, params, among }: {
    ctx: Context;
    id: number;
    params: URLSearchParams;
    among?: readonly number[];
  },
): Promise<MemberPage> {
  const selection = { brief: false, omit: ["criteria"], long: false };
  const { object: incident } = await getObject({ ctx, resource: incidents, id, selection });
  const own = new URLSearchParams(params);
  const states = own.getAll("state");
  const unknown = states.find((state) => !MEMBER_STATES.some((known) => known === state));
  if (unknown !== undefined) {
    const choice = finding("expected_one_of", { choices: MEMBER_STATES, value: quote(unknown) });
    throw invalid([{ ...choice, field: "state" }]);
  }
  own.delete("state");
  const shows = takeSelected(own);
  if (!own.has("archived")) own.set("archived", "any");
  const parsed = parseListQuery(ctx, { resource: certificates, params: own });
  const names = states.length === 0 ? ["incident"] : states.map((state) => `incident_${state}`);
  const chosen = among === undefined
    ? or(...names.map((name) => compare(name, "exact", [id])))
    : compare("id", "exact", among);
  const query = { ...parsed, filter: and(parsed.filter, chosen) };
  const page = await listObjects({ ctx, resource: certificates, query });
  const members = await readMembers(ctx.database, id, page.results.map((one) => one.id));
  return {
    ...page,
    incident,
    query,
    results: page.results.map((one) => {
      const member = Object.entries(members.get(one.id) ?? {}).filter(([name]) => shows(name));
      const { id: own, ...others } = one;
      return { ...shows("id") ? { id: own } : {}, ...others, ...Object.fromEntries(member) };
    }),
  };
}

/**
 * Takes the names that the list of an incident adds out of `fields` and `omit`, which then have those of certificates,
 * always with the id. Returns whether a name is shown.
 */
function takeSelected(params: URLSearchParams): (name: string) => boolean {
  const fields = params.has("fields") ? namesIn(params, "fields") : undefined;
  const omitted = namesIn(params, "omit");
  const own = [...Object.keys(Member.shape), "id"];
  const others = (names: readonly string[]): string[] => names.filter((name) => !own.includes(name));
  if (fields !== undefined) params.set("fields", ["id", ...others(fields)].join(","));
  if (params.has("omit")) params.set("omit", others(omitted).join(","));
  return (name) => (fields?.includes(name) ?? true) && !omitted.includes(name);
}

async function readMembers(
  reader: Reader,
  incident: number,
  ids: readonly number[],
): Promise<Map<number, Member>> {
  const rows = await reader.all<
    & Pick<Member, "state" | "reason">
    & Record<"joined_at", Millis>
    & { certificate_id: number }
    & Record<"told_at" | "replaced_at" | "deployed_at", Millis | null>
  >(
    sql`SELECT certificate_id, state, reason, joined_at, replaced_at, deployed_at,
        (SELECT max(time) FROM object_changes WHERE object_type = ${certificates.objectType}
          AND object_id = certificate_id AND time >= joined_at AND related_object_type = ${OWNER_LETTER}) AS told_at
      FROM incident_certificates
      WHERE incident_id = ${incident} AND certificate_id IN ${idsIn(ids)}`,
  );
  const timeOf = (at: Millis | null): string | null => at === null ? null : formatDatetime(at);
  return new Map(rows.map(({ certificate_id: id, state, reason, ...at }) => [id, {
    state,
    reason,
    joined_at: formatDatetime(at.joined_at),
    told_at: timeOf(at.told_at),
    replaced_at: timeOf(at.replaced_at),
    deployed_at: state === "deployed" ? timeOf(at.deployed_at) : null,
  }]));
}

const Changed = z.object({
  changed: z.int(),
  missing_ids: z.array(z.int()).describe("Ids that are no certificates of the incident."),
});

const ids = idList(MAX_BULK_OBJECTS);

/** Excludes certificates from the numbers and reminders of an incident. Errors: forbidden, not_found, invalid. */
export const excludeMembers = changeMembers(
  objectBody({ ids, reason: textSchema({ max: MAX_REASON_CHARS, blank: false }) }),
  (reason) => ({ assigned: sql`state = 'excluded', reason = ${reason}`, where: sql`1`, verb: "Excluded" }),
);

/** Includes excluded certificates again. Errors: forbidden, not_found, invalid. */
export const includeMembers = changeMembers(objectBody({ ids }), () => ({
  assigned: sql`state = (SELECT state FROM replacement_states WHERE id = certificate_id), reason = ''`,
  where: sql`state = 'excluded'`,
  verb: "Included",
}));

/** Returns an operation on certificates of an incident, which leaves an entry in the change log of the incident. */
function changeMembers(
  input: z.ZodType<{ ids: number[]; reason?: string }>,
  how: (reason: string) => { assigned: SQL; where: SQL; verb: string },
): DomainOperation<z.infer<typeof Changed>> {
  return operation({
    needs: [["manage_incidents", incidents], ["view", certificates]],
    input,
    output: Changed,
    run: ({ ctx, id, input: { ids, reason = "" }, allowed }) =>
      ctx.database.write(async (tx) => {
        const call = { ctx, tx, resource: incidents, allowed: allowed(incidents) };
        const incident = (await loadForChange(call, [id])).get(id);
        if (incident === undefined) throw notFound();
        const seen = restrictionSql(ctx, allowed(certificates), { map: certificates.map });
        const rows = await tx.all<{ id: number }>(
          sql`SELECT certificates.id FROM incident_certificates AS member
            CROSS JOIN certificates ON certificates.id = member.certificate_id${
            where(sql`member.incident_id = ${id} AND certificates.id IN ${idsIn(ids)}`, seen)
          }`,
        );
        const found = rows.map((row) => row.id);
        const { assigned, where: changing, verb } = how(reason);
        const changed = await tx.run(
          sql`UPDATE incident_certificates SET ${assigned} WHERE incident_id = ${id} AND certificate_id IN ${
            idsIn(found)
          } AND ${changing}`,
        );
        // The criteria do not change, and can have megabytes.
        const { criteria: _, ...stored } = snapshot(incidents, incident);
        await recordChanges(
          tx,
          ctx,
          changed === 0 ? [] : [{
            action: "update",
            objectType: incidents.objectType,
            objectId: id,
            repr: incidents.display(incident),
            prechange: stored,
            postchange: stored,
            message: `${verb} ${changed}${reason === "" ? "" : `: ${reason}`}`,
          }],
        );
        return { changed, missing_ids: ids.filter((one) => !found.includes(one)) };
      }),
  });
}
