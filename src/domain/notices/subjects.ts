/** The types of objects that notices are about, and which of them a user may be notified of. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, filterSql, restrictionSql, visible } from "../../auth/mod.ts";
import { pacer } from "../../base/pace.ts";
import { idsIn } from "../../db/mod.ts";
import { isEverything, matchesNothing } from "../../filters/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import { parseFeedFilter } from "../certificates/calendar/resource.ts";
import { certificates } from "../certificates/mod.ts";
import { checks } from "../compliance/mod.ts";
import { endpoints } from "../endpoints/mod.ts";
import { signingRequests } from "../signing_requests/mod.ts";
import { webhooks } from "../webhooks/mod.ts";
import { type NoticeObject, readNoticeObjects } from "./read_details.ts";

const { map } = certificates;

/**
 * Returns the condition on the table `certificates`; undefined if no certificate is covered. A stored filter
 * that is no longer valid covers none, because sending everything could disclose too much.
 */
export function coveredSql(ctx: Context, filter: string | null): SQL | undefined {
  const view = visible(ctx, map);
  if (matchesNothing(view)) return undefined;
  const { condition, errors } = parseFeedFilter(ctx, filter ?? "");
  if (Object.keys(errors).length > 0) return undefined;
  const parts = [
    restrictionSql(ctx, view, { map }),
    isEverything(condition) ? undefined : filterSql(ctx, condition, { map }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? sql`1` : sql.join(parts, sql` AND `);
}

/** Returns which of these certificates are covered. One statement. */
export async function coveredIds(
  ctx: Context,
  { ids, filter }: { ids: readonly number[]; filter: string | null },
): Promise<Set<number>> {
  const covered = ids.length === 0 ? undefined : coveredSql(ctx, filter);
  if (covered === undefined) return new Set();
  const rows = await ctx.database.all<{ id: number }>(
    sql`SELECT certificates.id FROM certificates WHERE certificates.id IN ${idsIn(ids)} AND ${covered}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** A type of object that notices are about. New ones are added here. */
export interface NoticeSubject {
  readonly resource: Resource;
  readonly fields: readonly string[];
  /** The certificate to which the object belongs; the subscription's filter applies to it. */
  readonly certificate?: (object: NoticeObject) => number | undefined;
  readonly path: (object: NoticeObject) => string;
}

/** Fields of certificates that are shown, if this release has them. */
const CERTIFICATE_FIELDS = ["id", "common_name", "serial_number", "issuer", "valid_to", "status", "tenant"]
  .concat("replaced_by", "owner", "renewal_note", "issuing_ca", "discovered_via");

export const SUBJECTS: readonly NoticeSubject[] = [
  {
    resource: certificates,
    fields: CERTIFICATE_FIELDS,
    certificate: ({ id }) => id,
    path: ({ id }) => `/certificates/${id}/`,
  },
  {
    resource: checks,
    fields: ["id", "certificate", "policy", "message", "severity", "result"],
    certificate: ({ certificate }) => certificate?.id,
    path: ({ id }) => `/checks/${id}/`,
  },
  {
    resource: endpoints,
    fields: [
      "id",
      "host",
      "port",
      "server_name",
      "protocol",
      "states",
      "state_message",
      "certificate",
      "assigned_object",
    ]
      .concat("tenant", "source", "last_changed"),
    certificate: ({ certificate }) => certificate?.id,
    path: ({ id }) => `/endpoints/${id}/`,
  },
  {
    resource: signingRequests,
    fields: ["id", "common_name", "status", "requested_by", "created"],
    path: ({ id }) => `/csrs/${id}/`,
  },
  {
    resource: webhooks,
    fields: ["id", "name", "disabled_reason"],
    path: ({ id }) => `/webhooks/${id}/`,
  },
];

/** An object that a notice is about. */
export interface SubjectKey {
  readonly objectType: string;
  readonly objectId: number;
}

/**
 * Returns the events of which the actor may be notified, in their order: those about objects that the actor
 * may view and the filter selects. One or two statements for every 200 objects of a type.
 */
export async function coveredSubjects<Key extends SubjectKey>(
  ctx: Context,
  { keys, filter }: { keys: readonly Key[]; filter: string },
): Promise<Key[]> {
  const pause = pacer();
  const asked = idsByType(keys);
  const seen: IdsByType = new Map();
  for (const subject of SUBJECTS) {
    const { objectType } = subject.resource;
    const ids = [...asked.get(objectType) ?? []];
    const covered = new Set<number>();
    seen.set(objectType, covered);
    for (let start = 0; start < ids.length; start += OBJECTS_PER_STATEMENT) {
      const some = ids.slice(start, start + OBJECTS_PER_STATEMENT);
      for (const id of await coveredBy(ctx, subject, { ids: some, filter })) covered.add(id);
      await pause();
    }
  }
  return keys.filter(({ objectType, objectId }) => seen.get(objectType)?.has(objectId));
}

/** Number of objects per statement: a few milliseconds. */
const OBJECTS_PER_STATEMENT = 200;

async function coveredBy(
  ctx: Context,
  { resource, certificate }: NoticeSubject,
  { ids, filter }: { ids: readonly number[]; filter: string },
): Promise<Iterable<number>> {
  if (resource === certificates) return await coveredIds(ctx, { ids, filter });
  const fields = certificate === undefined ? ["id"] : ["id", "certificate"];
  const objects = await readNoticeObjects(ctx, { resource, fields }, ids);
  if (certificate === undefined || filter === "") return objects.keys();
  const own = [...objects.values()].flatMap((object) => certificate(object) ?? []);
  const covered = await coveredIds(ctx, { ids: own, filter });
  return [...objects].flatMap(([id, object]) => covered.has(certificate(object) ?? 0) ? [id] : []);
}

/** The ids of objects by their type. */
type IdsByType = Map<string, Set<number>>;

function idsByType(keys: readonly SubjectKey[]): IdsByType {
  const ids: IdsByType = new Map();
  for (const { objectType, objectId } of keys) {
    const own = ids.get(objectType) ?? new Set();
    ids.set(objectType, own.add(objectId));
  }
  return ids;
}
