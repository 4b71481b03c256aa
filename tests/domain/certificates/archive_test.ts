/** Archived certificates: lists, exports, notices, calendars and reports leave them out unless they are pinned. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { announceExpiries } from "../../../src/domain/certificates/expiry_notices/announce.ts";
import { readerOf } from "../../support/actors.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { calendar, certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { FEED_KEYS } from "../../support/seed_rows.ts";
import { seed } from "../../support/seed.ts";
import { selectEveryEvent } from "../../support/store.ts";

const { certificates: ids } = seed;
const ALL = Object.values(ids).length;

/** Archives `acmeCritical`; `acmeWarning` is archived and pinned. */
async function archive(app: TestApp): Promise<void> {
  const client = await app.as("superuser");
  const rows = [{ id: ids.acmeCritical, archived: true }, {
    id: ids.acmeWarning,
    archived: true,
    pinned: true,
  }];
  const response = await client(PATHS.certificates, { method: "PATCH", body: rows });
  assert.equal(response.status, 200);
}

for (
  const [query, count, listed] of [
    ["", ALL - 1, false],
    ["archived=false", ALL - 2, false],
    ["archived=true", 2, true],
    ["archived=True", 2, true],
    ["archived=any", ALL, true],
    ["q=api.acme", 0, false],
    [`id=${ids.acmeCritical}`, 0, false],
    [`id=${ids.acmeCritical}&archived=any`, 1, true],
    ["ordering=id", ALL - 1, false],
  ] as const
) {
  scenario(`GET certificates/?${query} ${listed ? "lists" : "leaves out"} an archived certificate`, {
    as: "superuser",
    get: `${PATHS.certificates}?${query}&limit=0`,
    before: archive,
    status: 200,
    json: (body) => {
      assert.equal(body.count, count);
      assert.equal(body.results.length, count);
      assert.equal(body.results.some((one: { id: number }) => one.id === ids.acmeCritical), listed);
    },
  });
}
scenario("the count of a restricted list leaves out archived certificates", {
  as: readerOf("acme"),
  get: `${PATHS.certificates}?limit=1`,
  before: archive,
  status: 200,
  json: (body) => assert.equal(body.count, 4),
});
scenario("an archived certificate is read by its id", {
  as: "superuser",
  get: certificate(ids.acmeCritical),
  before: archive,
  status: 200,
  json: (body) => assert.deepEqual([body.archived, body.pinned, body.status], [true, false, "active"]),
});
scenario("an invalid value of archived is refused", {
  as: "superuser",
  get: `${PATHS.certificates}?archived=maybe`,
  status: 400,
  equals: { archived: ["Select a valid choice (“true”, “false”, “any”), not “maybe”."] },
});
for (
  const [query, expected] of [["", false], ["&archived=any", true], [
    `&ids=${ids.acmeCritical}`,
    true,
  ]] as const
) {
  scenario(`an export with "${query}" ${expected ? "has" : "leaves out"} an archived certificate`, {
    as: "superuser",
    get: `${PATHS.certificates}export/?format=csv&fields=id,archived${query}`,
    before: archive,
    status: 200,
    type: "text/csv; charset=utf-8",
    ...(expected ? { contains: [`${ids.acmeCritical},true`] } : { excludes: [`\n${ids.acmeCritical},`] }),
  });
}

Deno.test("GraphQL lists leave out archived certificates, including nested lists", async () => {
  await using app = await testApp();
  await archive(app);
  const client = await app.as("superuser");
  const query = `{ certificate_list_total a: certificate_list_total(filters: {archived: "true"})
    b: certificate_list_total(filters: {OR: [{archived: "any"}]})
    tenant(id: 1) { certificates { id } certificates_total } }`;
  const { data } = await (await client("/graphql/", { method: "POST", body: { query } })).json();
  assert.deepEqual(
    [
      data.certificate_list_total,
      data.a,
      data.b,
      data.tenant.certificates.length,
      data.tenant.certificates_total,
    ],
    [ALL - 1, 2, ALL - 1, 4, 4],
  );
});

Deno.test("calendars and notices leave out archived certificates, unless they are pinned", async () => {
  await using app = await testApp();
  await selectEveryEvent(app.database);
  await archive(app);
  const client = await app.as("superuser");
  const text = await (await client(calendar(FEED_KEYS.alice))).text();
  assert.doesNotMatch(text, /api\.acme\.example/);
  assert.match(text, /shop\.acme\.example/);
  await announceExpiries({ ctx: app.ctx });
  const rows = await app.database.all<{ object_id: number }>(
    sql`SELECT object_id FROM outbox WHERE event = 'certificate_expiring'`,
  );
  const announced = rows.map((row) => row.object_id);
  assert.ok(announced.includes(ids.acmeWarning) && !announced.includes(ids.acmeCritical), String(announced));
});

Deno.test("a notice has the certificate's renewal note, else that of its authority", async () => {
  await using app = await testApp();
  await selectEveryEvent(app.database);
  const client = await app.as("superuser");
  await callJson(client, certificate(ids.acmeCritical), "PATCH", { renewal_note: "Ask *Bob*" });
  await callJson(client, `${PATHS.authorities}${seed.authorities.acme}/`, "PATCH", {
    renewal_note: "By robot",
  });
  await announceExpiries({ ctx: app.ctx });
  const rows = await app.database.all<{ id: number; note: string | null }>(
    sql`SELECT object_id AS id, details ->> 'renewal_note' AS note FROM outbox
      WHERE event = 'certificate_expiring'`,
  );
  const notes = new Map(rows.map(({ id, note }) => [id, note]));
  assert.equal(notes.get(ids.acmeCritical), "Ask *Bob*");
  assert.equal(notes.get(ids.acmeWarning), "By robot");
  assert.equal(notes.get(ids.globexLastDay), null);
});

Deno.test("the compliance report leaves out archived certificates unless a filter includes them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = "/api/plugins/certmgr/compliance-report/?status=any";
  const checked = async (more = ""): Promise<number> =>
    (await (await client(`${path}${more}`)).json()).certificates_checked;
  const before = await checked();
  await callJson(client, certificate(ids.acmeWeb), "PATCH", { archived: true });
  assert.equal(await checked(), before - 1);
  assert.equal(await checked("&certificate__archived=any"), before);
});
