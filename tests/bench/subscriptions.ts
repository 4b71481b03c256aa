/** Subscriptions for benchmarks: of users who may view a few tenants each, and of some who may view everything. */

import { sql } from "drizzle-orm";
import { DAY_MS, type Millis } from "../../src/base/clock.ts";
import { type Database, insertRows } from "../../src/db/mod.ts";
import {
  notice_events,
  object_permission_users,
  object_permissions,
  subscriptions,
  users,
} from "../../src/db/schema/mod.ts";

const PER_USER = 10;
/** Every tenth user may view everything, the others two tenants. */
const UNRESTRICTED = 10;
const TENANTS = 200;
/** Events since the last digest. */
const EVENTS = 2_000;
const FIRST_USER = 1_000;
const FILTERS = ["", "status=active", "tag=tag-3", "is_acme=false", "valid_to__lt=2027-03-01"];

/** Adds `count` daily subscriptions, none of them due, and events that they select. */
export async function addSubscriptions(
  database: Database,
  { count, now }: { count: number; now: Millis },
): Promise<void> {
  const [tenants, last] = await database.batch([
    sql`SELECT slug FROM tenants ORDER BY id`,
    sql`SELECT coalesce(max(id), 0) AS id FROM notice_events`,
  ]);
  const slugs = (tenants as { slug: string }[]).map(({ slug }) => slug);
  const stamps = { created: now - 30 * DAY_MS, last_updated: now - 30 * DAY_MS };
  const accounts = Array.from({ length: Math.ceil(count / PER_USER) }, (_, n) => {
    const own = [slugs[2 * n % TENANTS], slugs[(2 * n + 1) % TENANTS]];
    return { id: FIRST_USER + n, constraints: n % UNRESTRICTED === 0 ? null : { tenant__slug: own } };
  });
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    event: n % 2 === 0 ? "new_certificate" : "renewed",
    object_type: "certmgr.certificate",
    object_id: n * 37 + 1,
    detail: "",
    time: now,
  }));
  const rows = Array.from({ length: count }, (_, n) => ({
    name: `Subscription ${n}`,
    user_id: FIRST_USER + Math.floor(n / PER_USER),
    events: '["expiring","expired","renewed","new_certificate","chain_broken","policy_failed"]',
    filter: FILTERS[n % FILTERS.length] as string,
    thresholds: '["30d","14d","7d","1d"]',
    next_run: now + 365 * DAY_MS,
    last_event_id: (last as { id: number }[])[0]?.id ?? 0,
    ...stamps,
  }));
  await database.write((tx) =>
    tx.runAll([
      insertRows(
        users,
        accounts.map(({ id }) => ({
          id,
          username: `user${id}`,
          email: `user${id}@bench.example`,
          ...stamps,
        })),
      ),
      insertRows(
        object_permissions,
        accounts.map(({ id, constraints }) => ({
          id,
          name: `Permission ${id}`,
          object_types: '["certmgr.certificate","certmgr.certificateassignment","tenancy.tenant"]',
          actions: '["view","acknowledge"]',
          constraints: constraints === null ? null : JSON.stringify(constraints),
          ...stamps,
        })),
      ),
      insertRows(
        object_permission_users,
        accounts.map(({ id }) => ({ object_permission_id: id, user_id: id })),
      ),
      insertRows(subscriptions, rows),
      insertRows(notice_events, events),
    ])
  );
}
