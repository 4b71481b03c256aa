/** The seeded database, which is created once per run and cloned for each scenario, and the ids of its rows by name. */

import assert from "node:assert/strict";
import { eq, sql } from "drizzle-orm";
import { type Context, hashKey } from "../../src/auth/mod.ts";
import { DAY_MS } from "../../src/base/clock.ts";
import { deleteFrom, insertRows } from "../../src/db/mod.ts";
import {
  audit_events,
  calendar_feeds,
  compliance_checks,
  notice_events,
  notification_deliveries,
  observations,
  outbox,
  revocation_checks,
  revocation_lists,
  saved_views,
  webhook_deliveries,
} from "../../src/db/schema/mod.ts";
import { resourceOf } from "../../src/domain/registry.ts";
import { createObject, type Identity } from "../../src/resource/mod.ts";
import { seedUser } from "./accounts.ts";
import { type TestClock, testClock, testContext } from "./context.ts";
import { cloneDatabase, databaseBytes, type TestDatabase, testFileDatabase } from "./database.ts";
import * as details from "./seed_host_details.ts";
import * as rows from "./seed_rows.ts";
import { sharedTemplate } from "./shared_template.ts";
import { TEST_NOW } from "./test_ca/mod.ts";

function ids<Name extends string>(named: Readonly<Record<Name, unknown>>): Readonly<Record<Name, number>> {
  const entries = Object.keys(named).map((name, index) => [name, index + 1]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

/** Ids by name; the same in every clone. */
export const seed = {
  tenants: ids(rows.TENANTS),
  tags: ids(rows.TAGS),
  authorities: ids(rows.AUTHORITIES),
  devices: ids(rows.DEVICES),
  machines: ids(rows.MACHINES),
  services: ids(rows.SERVICES),
  certificates: ids(rows.CERTIFICATES),
  assignments: ids(rows.ASSIGNMENTS),
  choiceSets: ids(rows.CHOICE_SETS),
  customFields: ids(rows.CUSTOM_FIELDS),
  contactGroups: ids(rows.CONTACT_GROUPS),
  contactRoles: ids(rows.CONTACT_ROLES),
  contacts: ids(rows.CONTACTS),
  contactAssignments: ids(rows.CONTACT_ASSIGNMENTS),
  requests: ids(rows.REQUESTS),
  policies: ids(rows.POLICIES),
  checks: ids(rows.CHECKS),
  incidents: ids(rows.INCIDENTS),
  revocationChecks: ids(rows.REVOCATION_CHECKS),
  revocationLists: ids(rows.REVOCATION_LISTS),
  groups: ids(rows.GROUPS),
  users: ids(rows.USERS),
  permissions: ids(rows.PERMISSIONS),
  tokens: ids(rows.TOKENS),
  feeds: ids(rows.FEEDS),
  webhooks: ids(rows.WEBHOOKS),
  endpoints: ids(rows.ENDPOINTS),
  observations: ids(rows.OBSERVATIONS),
  scanJobs: ids(rows.SCAN_JOBS),
  deliveries: ids(rows.DELIVERIES),
  tenantGroups: ids(details.TENANT_GROUPS),
  regions: ids(details.REGIONS),
  siteGroups: ids(details.SITE_GROUPS),
  sites: ids(details.SITES),
  locations: ids(details.LOCATIONS),
  manufacturers: ids(details.MANUFACTURERS),
  deviceTypes: ids(details.DEVICE_TYPES),
  deviceRoles: ids(details.DEVICE_ROLES),
  platforms: ids(details.PLATFORMS),
  clusterTypes: ids(details.CLUSTER_TYPES),
  clusters: ids(details.CLUSTERS),
  channels: ids(rows.CHANNELS),
  subscriptions: ids(rows.SUBSCRIPTIONS),
  savedViews: ids(rows.SAVED_VIEWS),
  notices: ids(rows.NOTICES),
  audit: ids(rows.AUDIT),
} as const;

/** Rows and their resources, in the order of their creation. */
const CREATED = [
  ["extras.tag", rows.TAGS],
  ["tenancy.tenant", rows.TENANTS],
  ["certmgr.certificateauthority", rows.AUTHORITIES],
  ["dcim.device", rows.DEVICES],
  ["virtualization.virtualmachine", rows.MACHINES],
  ["ipam.service", rows.SERVICES],
  ["certmgr.certificate", rows.CERTIFICATES],
  ["certmgr.certificateassignment", rows.ASSIGNMENTS],
  ["certmgr.certificatesigningrequest", rows.REQUESTS],
  ["tenancy.contactgroup", rows.CONTACT_GROUPS],
  ["tenancy.contactrole", rows.CONTACT_ROLES],
  ["tenancy.contact", rows.CONTACTS],
  ["tenancy.contactassignment", rows.CONTACT_ASSIGNMENTS],
  ["certmgr.compliancepolicy", rows.POLICIES],
  ["certmgr.incident", rows.INCIDENTS],
  ["users.group", rows.GROUPS],
  ["users.objectpermission", rows.PERMISSIONS],
  ["users.token", rows.TOKENS],
  ["extras.webhook", rows.WEBHOOKS],
  ["extras.customfieldchoiceset", rows.CHOICE_SETS],
  ["extras.customfield", rows.CUSTOM_FIELDS],
  ["certmgr.endpoint", rows.ENDPOINTS],
  ["certmgr.scanjob", rows.SCAN_JOBS],
  ...details.HOST_DETAILS,
  ["certmgr.notificationchannel", rows.CHANNELS],
  ["certmgr.subscription", rows.SUBSCRIPTIONS],
] as const;

let template: Promise<Uint8Array> | undefined;

/** Returns a separate seeded database: `await using database = await seededDatabase()`. */
export async function seededDatabase(): Promise<TestDatabase> {
  template ??= sharedTemplate("seeded.db", makeTemplate);
  return await cloneDatabase(await template);
}

async function makeTemplate(): Promise<Uint8Array> {
  await using database = await testFileDatabase();
  const clock = testClock(TEST_NOW - DAY_MS);
  const ctx = testContext({ database, clock });
  for (const [username, user] of Object.entries(rows.USERS)) await seedUser(ctx, username, user);
  for (const [objectType, named] of CREATED) await create({ ctx, clock }, objectType, named);
  const stamps = { checked_at: TEST_NOW, created: TEST_NOW, last_updated: TEST_NOW };
  const ends = await database.all<{ id: number; valid_to: number }>(
    sql`SELECT id, valid_to FROM certificates`,
  );
  const checks = Object.values(rows.CHECKS).map((check, index) => ({
    id: index + 1,
    ...check,
    certificate_valid_to: ends.find(({ id }) => id === check.certificate_id)!.valid_to,
    ...stamps,
  }));
  await database.write((tx) => tx.run(insertRows(compliance_checks, checks)));
  const answers = Object.values(rows.REVOCATION_CHECKS).map((one, index) => ({
    id: index + 1,
    ...one,
    ...stamps,
  }));
  const { checked_at: at, ...written } = stamps;
  const asked = { fetched_at: at, refresh_at: at + DAY_MS, ...written };
  const lists = Object.values(rows.REVOCATION_LISTS).map((one, index) => ({
    id: index + 1,
    ...one,
    ...asked,
  }));
  await database.write((tx) =>
    tx.runAll([insertRows(revocation_checks, answers), insertRows(revocation_lists, lists)])
  );
  const observed = { first_seen: TEST_NOW, last_seen: TEST_NOW, created: TEST_NOW, last_updated: TEST_NOW };
  const seen = Object.values(rows.OBSERVATIONS).map((one, index) => ({ id: index + 1, ...one, ...observed }));
  await database.write((tx) => tx.run(insertRows(observations, seen)));
  const deliveries = Object.values(rows.DELIVERIES).map((delivery, index) => ({
    id: index + 1,
    ...delivery,
    created: TEST_NOW - DAY_MS,
    last_updated: TEST_NOW,
  }));
  await database.write((tx) => tx.run(insertRows(webhook_deliveries, deliveries)));
  const feeds = Object.entries(rows.FEEDS).map(([name, feed], index) => ({
    id: index + 1,
    ...feed,
    token_hash: hashKey(rows.FEED_KEYS[name as keyof typeof rows.FEEDS]),
    created: TEST_NOW - DAY_MS,
    last_updated: TEST_NOW,
  }));
  await database.write((tx) => tx.run(insertRows(calendar_feeds, feeds)));
  const views = Object.values(rows.SAVED_VIEWS).map((view, index) => ({
    id: index + 1,
    ...view,
    created: TEST_NOW - DAY_MS,
    last_updated: TEST_NOW,
  }));
  await database.write((tx) => tx.run(insertRows(saved_views, views)));
  const notices = Object.values(rows.NOTICES).map((notice, index) => ({
    id: index + 1,
    ...notice,
    created: TEST_NOW - DAY_MS,
    last_updated: TEST_NOW,
  }));
  await database.write((tx) => tx.run(insertRows(notification_deliveries, notices)));
  // Tokens of the seed are not events of a test.
  await database.write(async (tx) => {
    await tx.run(deleteFrom(audit_events));
    await tx.run(deleteFrom(outbox).where(eq(outbox.object_type, "core.auditevent")));
    const audit = Object.values(rows.AUDIT).map((event, index) => ({
      id: index + 1,
      time: TEST_NOW,
      ...event,
    }));
    await tx.run(insertRows(audit_events, audit));
  });
  // Failed checks of the seed are not events of a test.
  await database.write((tx) => tx.run(deleteFrom(notice_events)));
  return await databaseBytes(database);
}

/**
 * Creates rows one after another, because they may refer to earlier ones, and a second apart, so that they differ in
 * time.
 */
async function create(
  { ctx, clock }: { ctx: Context; clock: TestClock },
  objectType: string,
  named: Readonly<Record<string, unknown>>,
): Promise<void> {
  const resource = resourceOf(objectType);
  assert(resource !== undefined, `Object type "${objectType}" has no resource`);
  for (const [index, input] of Object.values(named).entries()) {
    clock.advance(1_000);
    const created: Identity = await createObject({ ctx, resource, input });
    assert.equal(created.id, index + 1, `Id of a seeded ${objectType}`);
  }
}
