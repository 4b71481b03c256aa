/** Permissions whose constraints name custom fields, in every interface, as the first request of a process. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../../src/db/file_client.ts";
import { linkKey, noticeLink } from "../../../src/domain/notices/links.ts";
import { runNotices } from "../../../src/domain/notices/run_notices.ts";
import { type Actor, granted, keyOf } from "../../support/actors.ts";
import { type Ask, CLIENT_ADDRESS, ORIGIN, type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { fillCustomFields } from "../../support/custom_fields.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";
import { browserOf, textOf } from "../../web/imports/browser.ts";

const { certificates: ids, tenants } = seed;
const ALL = [
  "view",
  "add",
  "change",
  "delete",
  "renew",
  "import",
  "bulk_operations",
  "acknowledge",
  "snooze",
];

/** May do everything with the certificate on shelf 4, which is `acmeWeb`; sees nothing of the one on shelf 9. */
const KEEPER: Actor = granted([
  { types: ["certmgr.certificate"], actions: ALL, constraints: { cf_shelf: 4 } },
  { types: ["tenancy.tenant"], actions: ["view"], constraints: { cf_tier: "gold" } },
  {
    types: [
      "certmgr.certificateassignment",
      "certmgr.compliancecheck",
      "certmgr.endpoint",
      "dcim.device",
    ],
    actions: ["view"],
  },
  { types: ["certmgr.compliancepolicy"], actions: ["view", "manage_compliance"] },
], { username: "keeper" });

/** Name of the certificate that the constraints hide. */
const HIDDEN = "twin.example";

async function prepared(): Promise<TestApp> {
  const app = await testApp();
  await fillCustomFields(app);
  const chief = await app.as("superuser");
  await callJson(chief, PATHS.customFields, "POST", {
    name: "tier",
    type: "text",
    object_types: ["tenancy.tenant"],
  });
  await callJson(chief, `${PATHS.tenants}${tenants.acme}/`, "PATCH", { custom_fields: { tier: "gold" } });
  await callJson(chief, PATHS.assignments, "POST", {
    certificate: ids.twin,
    assigned_object_type: "dcim.device",
    assigned_object_id: 1,
  });
  for (const id of [ids.acmeWeb, ids.twin]) {
    await callJson(chief, certificate(id, "compliance-check/"), "POST", {});
  }
  await app.as(KEEPER);
  return app;
}

/** Runs `probe` in another process on the same database, which has read no definition yet. */
async function inNewProcess<T>(app: TestApp, probe: (other: TestApp) => Promise<T>): Promise<T> {
  const database = await openFileDatabase({ path: app.database.path });
  const closing = Object.assign(database, {
    path: app.database.path,
    removeSync: () => {},
    [Symbol.asyncDispose]: () => Promise.resolve(database.close()),
  });
  await using other = await testApp({ database: closing });
  return await probe(other);
}

/** Sends a request as the keeper and returns its response with the body. */
async function asked(app: TestApp, path: string, ask: Ask = {}): Promise<{ status: number; text: string }> {
  return await inNewProcess(app, async ({ app: service }) => {
    const { body, method = body === undefined ? "GET" : "POST" } = ask;
    const response = await service.fetch(
      new Request(new URL(path, ORIGIN), {
        method,
        headers: { authorization: `Token ${keyOf(KEEPER)}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { remoteAddr: { hostname: CLIENT_ADDRESS } },
    );
    return { status: response.status, text: await response.text() };
  });
}

const WEB = "www.acme.example";
const graphql = (query: string): Ask => ({ body: { query } });
const SHOWN: readonly (readonly [title: string, path: string, ask?: Ask])[] = [
  ["a list", PATHS.certificates],
  ["a list in cursor paging", `${PATHS.certificates}?start=0`],
  ["a filtered list", `${PATHS.certificates}?cf_shelf__gte=1&ordering=-cf_shelf`],
  ["a list filtered through a relation", `${PATHS.certificates}?tenant__cf_tier=gold`],
  ["a brief list", `${PATHS.certificates}?brief=true`],
  ["an object", certificate(ids.acmeWeb)],
  ["nested objects", PATHS.assignments],
  ["checks", PATHS.checks],
  ["an export", `${PATHS.certificates}export/?format=csv`],
  ["an export of chosen certificates", `${PATHS.certificates}export/`, {
    body: { cf_shelf__gte: 1, format: "json" },
  }],
  ["GraphQL", "/graphql/", graphql("{ certificate_list { common_name } }")],
  ["a GraphQL object", "/graphql/", graphql(`{ certificate(id: ${ids.acmeWeb}) { common_name } }`)],
  [
    "a GraphQL filter",
    "/graphql/",
    graphql("{ certificate_list(filters: {custom_fields: {shelf: 4}}) { common_name } }"),
  ],
  [
    "objects nested in GraphQL",
    "/graphql/",
    graphql("{ certificate_assignment_list { certificate { common_name } } }"),
  ],
  ["a change", certificate(ids.acmeWeb), { method: "PATCH", body: { comments: "x" } }],
  ["a bulk change", PATHS.certificates, { method: "PATCH", body: [{ id: ids.acmeWeb, comments: "y" }] }],
  ["an acknowledgement", certificate(ids.acmeWeb, "acknowledge/"), { body: { reason: "" } }],
  ["a compliance check", certificate(ids.acmeWeb, "compliance-check/"), { body: {} }],
];

for (const [title, path, ask] of SHOWN) {
  Deno.test(`a permission on a custom field covers its rows and no others in the first request of a process: ${title}`, async () => {
    await using app = await prepared();
    const { status, text } = await asked(app, path, ask);
    assert(status < 300, `${status} ${text}`);
    assert(!text.includes('"errors"'), text);
    assert(
      text.includes(WEB) || text.includes(`"certificate":${ids.acmeWeb},`),
      text,
    );
    assert(!text.includes(HIDDEN), text);
  });
}

const REFUSED: readonly (readonly [title: string, path: string, ask?: Ask])[] = [
  ["an object", certificate(ids.twin)],
  ["an export", certificate(ids.twin, "export/?format=pem")],
  ["details", certificate(ids.twin, "details/")],
  ["a change", certificate(ids.twin), { method: "PATCH", body: { comments: "x" } }],
  ["a bulk change", PATHS.certificates, { method: "PATCH", body: [{ id: ids.twin, comments: "y" }] }],
  ["a deletion", certificate(ids.twin), { method: "DELETE" }],
  ["a bulk deletion", PATHS.certificates, { method: "DELETE", body: [{ id: ids.twin }] }],
  ["a renewal", certificate(ids.twin, "renew/"), { body: { new_certificate_id: ids.acmeWeb } }],
  ["a validation", certificate(ids.twin, "validate-chain/"), { body: {} }],
  ["an acknowledgement", certificate(ids.twin, "acknowledge/"), { body: { reason: "" } }],
  ["a snooze", certificate(ids.twin, "snooze/"), { body: { until: "2026-07-01", reason: "" } }],
  ["a compliance check", certificate(ids.twin, "compliance-check/"), { body: {} }],
  ["a row that leaves the constraint", certificate(ids.acmeWeb), {
    method: "PATCH",
    body: { custom_fields: { shelf: 9 } },
  }],
  ["a new row outside of the constraint", PATHS.certificates, {
    body: {
      common_name: "new.example",
      serial_number: "0C",
      issuer: "CN=A",
      valid_from: "2026-01-01",
      valid_to: "2026-12-31",
      custom_fields: { shelf: 9 },
    },
  }],
];

Deno.test("requests for objects that a constraint on a custom field hides are refused, and nothing changes", async () => {
  await using app = await prepared();
  const before = await state(app);
  for (const [title, path, ask] of REFUSED) {
    const { status, text } = await asked(app, path, ask);
    assert([400, 403, 404].includes(status), `${title}: ${status} ${text}`);
    assert(!text.includes(HIDDEN), `${title}: ${text}`);
    assert.deepEqual(await state(app), before, title);
  }
});

/** Returns the data that requests could change. */
async function state({ database }: TestApp): Promise<unknown> {
  return await database.all(
    sql`SELECT (SELECT json_group_array(json_array(id, status, custom_fields, comments))
    FROM certificates) AS rows, (SELECT count(*) FROM notice_responses) AS responses,
    (SELECT max(id) FROM compliance_checks) AS checks`,
  );
}

Deno.test("pages show the objects that a constraint on a custom field covers, in the first request of a process", async () => {
  await using app = await prepared();
  for (
    const path of [
      "/",
      "/certificates/",
      "/certificates/?cf_shelf__gte=1",
      "/search/?q=example",
      "/assignments/",
      "/checks/",
      "/compliance/",
      "/certificates/export/?format=csv&cf_shelf__gte=1",
      `/certificates/${ids.acmeWeb}/`,
      "/suggest/certificates/?q=example",
    ]
  ) {
    await inNewProcess(app, async (other) => {
      const { status, html } = await (await browserOf(other, KEEPER)).get(path);
      assert(status === 200 || path.startsWith("/suggest/"), `${path}: ${status} ${textOf(html)}`);
      assert(!html.includes(HIDDEN), `${path}: ${textOf(html)}`);
      if (path.startsWith("/certificates/")) assert(html.includes(WEB), `${path}: ${textOf(html)}`);
    });
  }
  await inNewProcess(app, async (other) => {
    const { status } = await (await browserOf(other, KEEPER)).get(`/certificates/${ids.twin}/`);
    assert.equal(status, 404);
  });
});

Deno.test("calendars and links of notices obey constraints on custom fields, in the first request of a process", async () => {
  await using app = await prepared();
  const keeper = await app.as(KEEPER);
  const { token } = await callJson(keeper, PATHS.feeds, "POST", { name: "All", filter: "" });
  const calendar = await asked(app, `${PATHS.certificates}calendar.ics?token=${token}`);
  assert(calendar.text.includes(WEB) && !calendar.text.includes(HIDDEN), calendar.text);
  const [user] = await app.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'keeper'`);
  for (const [id, expected] of [[ids.acmeWeb, 200], [ids.twin, 404]] as const) {
    const [row] = await app.database.all<{ valid_to: number }>(
      sql`SELECT valid_to FROM certificates WHERE id = ${id}`,
    );
    const subject = { certificateId: id, validTo: row?.valid_to as number, userId: user?.id as number };
    const link = noticeLink({ ...subject, now: app.clock.now() }, await linkKey(app.database));
    const { status, text } = await asked(app, link);
    assert.equal(status, expected, textOf(text));
    assert(!text.includes(HIDDEN));
  }
});

Deno.test("notices name the objects that a constraint on a custom field covers, in the first run of a process", async () => {
  await using app = await prepared();
  const chief = await app.as("superuser");
  const channel = await callJson(chief, PATHS.channels, "POST", {
    name: "Hook",
    kind: "webhook",
    settings: { url: "https://93.184.215.14/" },
  });
  const [user] = await app.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'keeper'`);
  await callJson(chief, PATHS.subscriptions, "POST", {
    name: "All",
    user: user?.id,
    channel: channel.id,
    events: ["expiring"],
    thresholds: ["3000d"],
    mode: "immediate",
  });
  await inNewProcess(app, async (other) => {
    await runNotices({ ctx: other.ctx });
  });
  const stored = JSON.stringify(await app.database.all(sql`SELECT * FROM notification_deliveries`));
  assert(stored.includes(WEB), stored);
  assert(!stored.includes(HIDDEN), stored);
});

for (
  const [title, path, ask] of [["REST", PATHS.certificates], [
    "GraphQL",
    "/graphql/",
    graphql("{ certificate_list { common_name } }"),
  ]] as const
) {
  Deno.test(`filters that another process removes from a field close permissions after four seconds: ${title}`, async () => {
    await using app = await prepared();
    const chief = await app.as("superuser");
    const reader = granted([
      { types: ["certmgr.certificate"], actions: ["view"], constraints: { cf_shelf: 9 } },
    ], { username: "beholder" });
    await app.as(reader);
    await inNewProcess(app, async (other) => {
      const read = async (): Promise<boolean> => {
        const response = await other.app.fetch(
          new Request(new URL(path, ORIGIN), {
            method: ask === undefined ? "GET" : "POST",
            headers: { authorization: `Token ${keyOf(reader)}`, "content-type": "application/json" },
            ...(ask === undefined ? {} : { body: JSON.stringify(ask.body) }),
          }),
          { remoteAddr: { hostname: CLIENT_ADDRESS } },
        );
        return (await response.text()).includes(HIDDEN);
      };
      assert.equal(await read(), true);
      const { results } = await callJson(chief, `${PATHS.customFields}?name=shelf`);
      await callJson(chief, `${PATHS.customFields}${results[0].id}/`, "PATCH", { filter_logic: "disabled" });
      other.clock.advance(4_000);
      assert.equal(await read(), false);
    });
  });
}

Deno.test("the compliance report counts the certificates that a constraint on a custom field covers, in the first request of a process", async () => {
  await using app = await prepared();
  const { text } = await asked(app, "/api/plugins/certmgr/compliance-report/?status=any");
  assert.equal(JSON.parse(text).total_checks, 1);
  const filtered = await asked(app, "/api/plugins/certmgr/compliance-report/?certificate__cf_shelf__gte=1");
  assert.equal(JSON.parse(filtered.text).total_checks, 1);
});
