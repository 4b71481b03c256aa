/** Pages of objects that refer to one of several types: the object is shown with its type in words, never as an id. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "./imports/browser.ts";

const PAGES = ["/services/1/", "/assignments/1/", "/contact-assignments/1/"];

for (const path of PAGES) {
  Deno.test(`${path} names its object and the type in words`, async () => {
    await using app = await testApp();
    const { status, html } = await (await browserOf(app)).get(path);
    assert.equal(status, 200);
    const [, facts = ""] = /<dl class="facts">(.*?)<\/dl>/s.exec(html) ?? [];
    assert.doesNotMatch(
      facts,
      /\b(?:dcim|tenancy|virtualization|ipam|certmgr)\.[a-z]+\b|object type|object ID/i,
    );
    assert.match(facts, /<span class="faint">(?:device|virtual machine|service|tenant|certificate)</);
  });
}

Deno.test("An object that the user may not view is named by its type only", async () => {
  await using app = await testApp();
  const actor = granted([{
    types: ["certmgr.certificateassignment", "certmgr.certificate"],
    actions: ["view"],
  }]);
  const { html } = await (await browserOf(app, actor)).get("/assignments/1/");
  assert.match(html, /A (?:device|virtual machine|service) that you may not view/);
});

Deno.test("The list of assignments has a column for the certificate and one for its object", async () => {
  await using app = await testApp();
  const { html } = await (await browserOf(app)).get("/assignments/");
  const [, head = ""] = /<thead>(.*?)<\/thead>/s.exec(html) ?? [];
  const labels = head.replaceAll(/<[^>]*>/g, " ");
  assert.match(labels, /Certificate.*Assigned to.*Main/s);
});

Deno.test("A service is called by its host and port", async () => {
  await using app = await testApp();
  const [{ id }] = await make(app, PATHS.services, [{
    name: "https shop.acme.example",
    ports: [443],
    device: { id: seed.devices.edge },
  }]);
  const { html } = await (await browserOf(app, { username: "reader", superuser: true, grants: [] })).get(
    `/services/${id}/`,
  );
  const [, title = ""] = /<h1>(.*?)<\/h1>/s.exec(html) ?? [];
  assert.equal(title.replaceAll(/<[^>]*>/g, ""), "shop.acme.example:443");
});

/** The texts of the filter chips of a list. */
function chipsOf(html: string): string[] {
  return [...html.matchAll(/aria-label="Remove filter ([^"]*)"/g)].map(([, label = ""]) => label);
}

const DEVICE = seed.devices.edge;

const TYPED = [
  ["/assignments/?assigned_object_type=dcim.device&assigned_object_id=", "Assigned to"],
  ["/endpoints/?assigned_object_type=dcim.device&assigned_object_id=", "Assigned to"],
  ["/contact-assignments/?object_type=dcim.device&object_id=", "Object"],
  ["/webhook-deliveries/?object_type=dcim.device&object_id=", "Object"],
  ["/changes/?changed_object_type=dcim.device&changed_object_id=", "Changed object"],
  ["/changes/?changed_object_id__n=1&changed_object_type=dcim.device&changed_object_id=", "Changed object"],
  ["/services/?parent_object_type=dcim.device&parent_object_id=", "Parent object"],
] as const;

Deno.test("a filter by an id has the name of the object if another filter has its type", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const name = (await browser.get(`/devices/${DEVICE}/`)).html.match(/<h1>(.*?)<\/h1>/s)?.[1]?.trim();
  const plain = name?.replaceAll(/<[^>]*>/g, "");
  for (const [path, label] of TYPED) {
    const chips = chipsOf((await browser.get(`${path}${DEVICE}`)).html);
    assert.equal(chips.at(-1), `${label}: ${plain}`, path);
    const missing = chipsOf((await browser.get(`${path}999999`)).html);
    assert.equal(missing.at(-1), `${label}: ID 999999`, path);
  }
  const [user] = await app.database.all<{ id: number; username: string }>(
    sql`SELECT id, username FROM users WHERE username = 'chief'`,
  );
  const chips = chipsOf((await browser.get(`/audit-events/?user_id=${user?.id}`)).html);
  assert.equal(chips.at(-1), "User: chief");
});

Deno.test("a filter by an id without exactly one type has the id", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (
    const types of [
      "",
      "assigned_object_type=dcim.device&assigned_object_type=ipam.service&",
      "assigned_object_type=dcim.nothing&",
    ]
  ) {
    const { html } = await browser.get(`/endpoints/?${types}assigned_object_id=${DEVICE}`);
    assert.equal(chipsOf(html).at(-1), `Assigned to: ${DEVICE}`, types);
  }
});

Deno.test("a filter by an id does not name an object that the user may not view", async () => {
  await using app = await testApp();
  const some = (types: string[], constraints?: Record<string, unknown>): Actor =>
    granted([
      { types: ["certmgr.endpoint", "core.objectchange"], actions: ["view"] },
      ...types.map((one) => ({
        types: [one],
        actions: ["view" as const],
        ...constraints && { constraints },
      })),
    ], { username: `some-${types.length}` });
  for (const actor of [some([]), some(["dcim.device"], { id: 999999 })]) {
    const browser = await browserOf(app, actor);
    const { html } = await browser.get(
      `/endpoints/?assigned_object_type=dcim.device&assigned_object_id=${DEVICE}`,
    );
    assert.equal(chipsOf(html).at(-1), `Assigned to: ID ${DEVICE}`);
  }
});

Deno.test("filters by many ids of one type take as many statements as one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const count = async (ids: readonly number[]): Promise<number> => {
    await browser.get("/endpoints/");
    const before = app.database.statements;
    const query = ids.map((id) => `&assigned_object_id=${id}`).join("");
    await browser.get(`/endpoints/?assigned_object_type=dcim.device${query}`);
    return app.database.statements - before;
  };
  await count([1]);
  assert.equal(await count([2]), await count([3, 4, 5, 999999]));
});
