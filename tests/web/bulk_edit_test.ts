/** Fields of several objects are edited together, within the user's permissions, and can be undone. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted, superuser } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { type Answer, type Browser, browserOf } from "./imports/browser.ts";

const LIST = "/certificates/?status=active&ordering=-valid_to";
const [TENANT, OTHER] = Object.values(seed.tenants) as [number, number];
const [TAG, SECOND] = Object.values(seed.tags) as [number, number];

interface Edited {
  readonly tenant: number | null;
  readonly tags: readonly number[];
}

async function stateOf(app: TestApp, ids: readonly number[]): Promise<Edited[]> {
  const rows = await app.database.all<{ id: number; tenant: number | null; tags: string }>(
    sql`SELECT id, tenant_id AS tenant, (SELECT json_group_array(tag_id) FROM (SELECT tag_id FROM tagged_items
          WHERE object_type = 'certmgr.certificate' AND object_id = certificates.id ORDER BY 1)) AS tags
        FROM certificates`,
  );
  return ids.map((id) => {
    const row = rows.find((one) => one.id === id);
    return { tenant: row?.tenant ?? null, tags: JSON.parse(row?.tags ?? "[]") };
  });
}

const flashOf = (answer: Answer): string =>
  answer.headers.getSetCookie().find((one) => one.startsWith("certmgr_flash="))?.split(";")[0] ?? "";

const textOf = (answer: Answer): string => decodeURIComponent(flashOf(answer));

function edit(
  browser: Browser,
  ids: readonly number[],
  fields: Record<string, string | string[]>,
): Promise<Answer> {
  return browser.post("/certificates/bulk-edit/", {
    ids: ids.join(","),
    back: LIST,
    confirmed: "yes",
    ...fields,
  });
}

async function undoOf(browser: Browser, answer: Answer): Promise<Record<string, string>> {
  const { html } = await browser.get(answer.location, { cookie: flashOf(answer) });
  assert.match(html, /action="\/certificates\/undo-edit\/"/);
  return { request_id: /name="request_id" value="([^"]*)"/.exec(html)?.[1] ?? "", back: LIST };
}

async function three(app: TestApp): Promise<number[]> {
  return await storeCertificates(app, [1, 2, 3].map((serial) => metadata(serial)));
}

Deno.test("the form changes nothing before it is saved; without a choice it is shown again", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const before = await stateOf(app, ids);
  const browser = await browserOf(app);
  const form = await browser.post("/certificates/bulk-edit/", { ids: ids.map(String), back: LIST });
  assert.equal(form.status, 200);
  for (const name of ["tenant", "add_tags", "changelog_message"]) {
    assert.match(form.html, new RegExp(`name="${name}"`));
  }
  const empty = await edit(browser, ids, {});
  assert.equal(empty.status, 400);
  assert.match(empty.html, /Choose at least one new value/);
  assert.match(empty.html, />\s*Save 3 certificates\s*</);
  const both = await edit(browser, ids, { add_tags: String(TAG), remove_tags: String(TAG) });
  assert.equal(both.status, 400);
  assert.match(both.html, /Choose to add or to remove a tag, not both/);
  assert.deepEqual(await stateOf(app, ids), before);
});

Deno.test("a tenant is set and tags are added and removed; Undo restores each object, once", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const browser = await browserOf(app);
  await edit(browser, ids.slice(0, 2), { tenant: String(OTHER), add_tags: String(SECOND) });
  const before = await stateOf(app, ids);
  assert.deepEqual(before[0], { tenant: OTHER, tags: [SECOND] });
  const form = await browser.post("/certificates/bulk-edit/", { ids: ids.map(String), back: LIST });
  const removable = [...form.html.matchAll(/name="remove_tags" value="(\d+)"/g)].map(([, id]) => Number(id));
  assert.deepEqual(removable, [SECOND], "only tags that an object has are removed");
  const answer = await edit(browser, ids, {
    tenant: String(TENANT),
    add_tags: String(TAG),
    remove_tags: String(SECOND),
    changelog_message: "Moved to another team",
  });
  assert.equal(answer.location, LIST);
  assert.match(textOf(answer), /3 certificates changed/);
  assert.deepEqual(await stateOf(app, ids), Array(3).fill({ tenant: TENANT, tags: [TAG] }));
  const [change] = await app.database.all<{ message: string }>(
    sql`SELECT message FROM object_changes ORDER BY id DESC LIMIT 1`,
  );
  assert.equal(change?.message, "Moved to another team");
  const undo = await undoOf(browser, answer);
  const undone = await browser.post("/certificates/undo-edit/", undo);
  assert.match(textOf(undone), /3 certificates restored/);
  assert.deepEqual(await stateOf(app, ids), before);
  assert.match(textOf(await browser.post("/certificates/undo-edit/", undo)), /Nothing left to undo/);
});

Deno.test("objects that have the requested value already do not change and are counted separately", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const browser = await browserOf(app);
  await edit(browser, ids.slice(0, 1), { add_tags: String(TAG) });
  assert.match(
    textOf(await edit(browser, ids, { add_tags: String(TAG) })),
    /2 certificates changed; 1 unchanged/,
  );
  assert.match(textOf(await edit(browser, ids, { add_tags: String(TAG) })), /Nothing changed/);
});

Deno.test("Undo does not touch later changes or changes by other users, and does nothing after ten minutes", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const browser = await browserOf(app);
  const undo = await undoOf(browser, await edit(browser, ids, { add_tags: String(TAG) }));
  const other = await browserOf(app, superuser({ username: "other" }));
  assert.match(textOf(await other.post("/certificates/undo-edit/", undo)), /Nothing left to undo/);
  await edit(browser, ids.slice(0, 1), { add_tags: String(SECOND) });
  app.clock.advance(11 * 60_000);
  assert.match(textOf(await browser.post("/certificates/undo-edit/", undo)), /Nothing left to undo/);
  app.clock.advance(-11 * 60_000);
  assert.match(textOf(await browser.post("/certificates/undo-edit/", undo)), /2 certificates restored/);
  assert.deepEqual((await stateOf(app, ids)).map(({ tags }) => tags), [[TAG, SECOND], [], []]);
});

Deno.test("an object outside the constraints of `change` refuses the edit of all; hidden objects are left out", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const before = await stateOf(app, ids);
  const reader = [{ types: ["tenancy.tenant", "extras.tag"], actions: ["view"] }];
  const within = { id__in: ids.slice(0, 2) };
  const partly = await browserOf(
    app,
    granted([
      ...reader,
      { types: ["certmgr.certificate"], actions: ["view"] },
      { types: ["certmgr.certificate"], actions: ["change"], constraints: within },
    ], { username: "partly" }),
  );
  await edit(partly, ids, { add_tags: String(TAG) });
  assert.deepEqual(await stateOf(app, ids), before);
  const hidden = await browserOf(
    app,
    granted(
      [...reader, { types: ["certmgr.certificate"], actions: ["view", "change"], constraints: within }],
      { username: "hidden" },
    ),
  );
  assert.match(textOf(await edit(hidden, ids, { add_tags: String(TAG) })), /2 certificates changed/);
  assert.deepEqual((await stateOf(app, ids)).map(({ tags }) => tags), [[TAG], [TAG], []]);
  const viewer = await browserOf(
    app,
    granted([...reader, { types: ["certmgr.certificate"], actions: ["view"] }], { username: "viewer" }),
  );
  assert.equal((await edit(viewer, ids, { add_tags: String(SECOND) })).status, 403);
});

Deno.test("tags that the user may not view survive an edit and its undo", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const admin = await browserOf(app);
  await edit(admin, ids, { add_tags: [String(SECOND)] });
  const user = await browserOf(
    app,
    granted([
      { types: ["certmgr.certificate"], actions: ["view", "change"] },
      { types: ["extras.tag"], actions: ["view"], constraints: { id: TAG } },
    ], { username: "one tag" }),
  );
  const undo = await undoOf(user, await edit(user, ids, { add_tags: String(TAG) }));
  assert.deepEqual((await stateOf(app, ids))[0]?.tags, [TAG, SECOND].sort((a, b) => a - b));
  assert.match(textOf(await user.post("/certificates/undo-edit/", undo)), /3 certificates restored/);
  assert.deepEqual((await stateOf(app, ids)).map(({ tags }) => tags), Array(3).fill([SECOND]));
});

Deno.test("a missing tag is refused at its field and nothing changes", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const before = await stateOf(app, ids);
  const answer = await edit(await browserOf(app), ids, { tenant: String(TENANT), add_tags: "999999" });
  assert.equal(answer.status, 400);
  assert.match(answer.html, /id="f-add_tags-error"[^>]*>[^<]*999999/);
  assert.deepEqual(await stateOf(app, ids), before);
});

Deno.test("a selected complete list is edited, with its filters", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificates`));
  const ids = await storeCertificates(
    app,
    Array.from(
      { length: 120 },
      (_, index) => metadata(index + 1, index === 0 ? { status: "pending" } : {}),
    ),
  );
  const browser = await browserOf(app);
  const back = "/certificates/?status=active&limit=1";
  const form = await browser.post("/certificates/bulk-edit/", { all: "true", ids: String(ids[0]), back });
  assert.match(form.html, /Edit 119 certificates/);
  const chosen = /name="ids" value="([^"]*)"/.exec(form.html)?.[1]?.split(",").map(Number) ?? [];
  assert.match(
    textOf(await edit(browser, chosen, { add_tags: String(TAG), back })),
    /119 certificates changed/,
  );
  assert.deepEqual((await stateOf(app, ids)).filter(({ tags }) => tags.length > 0).length, 119);
});

Deno.test("other lists with a tenant or tags have the same form", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/devices/");
  assert.match(html, /formaction="\/devices\/bulk-edit\/"/);
  const id = seed.devices.edge;
  const fields = { ids: String(id), back: "/devices/", confirmed: "yes" };
  const answer = await browser.post("/devices/bulk-edit/", { ...fields, no_tenant: "true" });
  assert.match(textOf(answer), /1 device changed|Nothing changed/);
  const [row] = await app.database.all<{ tenant_id: number | null }>(
    sql`SELECT tenant_id FROM devices WHERE id = ${id}`,
  );
  assert.equal(row?.tenant_id, null);
});

/** The fields of certificates that the form edits besides tenant and tags. */
async function valuesOf(app: TestApp, ids: readonly number[]): Promise<(readonly [string, string])[]> {
  const rows = await app.database.all<{ id: number; status: string; location: string }>(
    sql`SELECT id, status, private_key_location AS location FROM certificates`,
  );
  const byId = new Map(rows.map(({ id, status, location }) => [id, [status, location] as const]));
  return ids.map((id) => byId.get(id) as readonly [string, string]);
}

Deno.test("status and private key location are set and removed; Undo restores each object", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const browser = await browserOf(app);
  await edit(browser, ids.slice(0, 1), { status: "pending", private_key_location: "old safe" });
  const before = await valuesOf(app, ids);
  assert.deepEqual(before, [["pending", "old safe"], ["active", ""], ["active", ""]]);
  const answer = await edit(browser, ids, { status: "revoked", private_key_location: " vault:/pki/shop " });
  assert.match(textOf(answer), /3 certificates changed/);
  assert.deepEqual(await valuesOf(app, ids), Array(3).fill(["revoked", "vault:/pki/shop"]));
  assert.match(
    textOf(await browser.post("/certificates/undo-edit/", await undoOf(browser, answer))),
    /3 certificates restored/,
  );
  assert.deepEqual(await valuesOf(app, ids), before);
  const removed = await edit(browser, ids, { private_key_location: "", no_private_key_location: "true" });
  assert.match(textOf(removed), /1 certificate changed; 2 unchanged/);
  assert.deepEqual(await valuesOf(app, ids), [["pending", ""], ["active", ""], ["active", ""]]);
});

Deno.test("an invalid status or private key location has its error at the field and changes nothing", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const before = [await valuesOf(app, ids), await stateOf(app, ids)];
  const browser = await browserOf(app);
  const key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----";
  const refusals: [Record<string, string>, RegExp][] = [
    [{ status: "retired" }, /id="f-status-error"[^>]*>[^<]*retired/],
    [{ status: "" }, /Choose at least one new value/],
    [{ private_key_location: "x".repeat(501) }, /id="f-private_key_location-error"[^>]*>[^<]*500 characters/],
    [{ private_key_location: "safe", no_private_key_location: "true" }, /id="f-private_key_location-error"/],
    [{ private_key_location: key }, /id="f-private_key_location-error"[^>]*>[^<]*private key/i],
  ];
  for (const [fields, message] of refusals) {
    const tenant: Record<string, string> = fields.status === "" ? {} : { tenant: String(TENANT) };
    const answer = await edit(browser, ids, { ...tenant, ...fields });
    assert.equal(answer.status, 400, JSON.stringify(fields));
    assert.match(answer.html, message);
    assert.doesNotMatch(answer.html, /MC4CAQAwBQYDK2VwBCIEIA/);
  }
  assert.deepEqual([await valuesOf(app, ids), await stateOf(app, ids)], before);
});

Deno.test("a status that the constraints of `change` exclude is refused for all", async () => {
  await using app = await testApp();
  const ids = await three(app);
  const browser = await browserOf(
    app,
    granted([
      { types: ["certmgr.certificate"], actions: ["view"] },
      {
        types: ["certmgr.certificate"],
        actions: ["change"],
        constraints: { status__in: ["active", "pending"] },
      },
    ]),
  );
  assert.match(textOf(await edit(browser, ids, { status: "pending" })), /3 certificates changed/);
  await edit(browser, ids, { status: "revoked" });
  assert.deepEqual(await valuesOf(app, ids), Array(3).fill(["pending", ""]));
});

Deno.test("other lists do not edit fields that their view does not declare", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.post("/devices/bulk-edit/", {
    ids: String(seed.devices.edge),
    back: "/devices/",
  });
  assert.match(html, /name="tenant"/);
  assert.doesNotMatch(html, /name="status"/);
});
