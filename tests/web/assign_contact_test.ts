/** A contact is assigned to many certificates at once, and the assignment can be undone. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { contacts } from "../../src/domain/contacts/mod.ts";
import { createObject } from "../../src/resource/mod.ts";
import { granted, type GrantSpec } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { type Answer, browserOf, textOf } from "./imports/browser.ts";

const LIST = "/certificates/?ordering=-valid_to";
const { acmeWeb, acmeCritical, globexWeb } = seed.certificates;
const CONTACT = String(seed.contacts.network);
const OWNER = String(seed.contactRoles.owner);

/** Returns the certificates that have the contact of the tests in the role "Owner". */
async function owned({ database }: TestApp): Promise<number[]> {
  const rows = await database.all<{ id: number }>(
    sql`SELECT object_id AS id FROM contact_assignments WHERE object_type = 'certmgr.certificate'
        AND contact_id = ${seed.contacts.network} AND role_id = ${seed.contactRoles.owner} ORDER BY object_id`,
  );
  return rows.map(({ id }) => id);
}

function post(
  ids: readonly number[],
  fields: Record<string, string> = {},
): Record<string, string> {
  return {
    action: "contact_to",
    ids: ids.join(","),
    back: LIST,
    contact: CONTACT,
    role: OWNER,
    ...fields,
  };
}

const flashOf = (answer: Answer): string =>
  answer.headers.getSetCookie().find((one) => one.startsWith("certmgr_flash="))
    ?.split(";")[0] ?? "";

Deno.test("a contact becomes the owner of the selected certificates, once, and Undo removes it again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.match((await browser.get("/certificates/")).html, /Assign contact…/);
  const form = await browser.post("/certificates/bulk/", {
    action: "contact",
    ids: [acmeWeb, acmeCritical].map(String),
    back: LIST,
  });
  assert.match(textOf(form.html), /Assign a contact to 2 certificates/);

  const answer = await browser.post(
    "/certificates/bulk/",
    post([acmeWeb, acmeCritical]),
  );
  assert.equal(answer.status, 303, textOf(answer.html));
  assert.equal(answer.location, LIST);
  assert.match(
    decodeURIComponent(flashOf(answer)),
    /Contact assigned to 2 certificates\./,
  );
  assert.deepEqual(
    await owned(app),
    [acmeWeb, acmeCritical].toSorted((a, b) => a - b),
  );

  const more = await browser.post(
    "/certificates/bulk/",
    post([acmeWeb, globexWeb]),
  );
  assert.match(
    decodeURIComponent(flashOf(more)),
    /Contact assigned to 1 certificate; 1 had it already\./,
  );
  const again = await browser.post(
    "/certificates/bulk/",
    post([acmeWeb, globexWeb]),
  );
  assert.match(decodeURIComponent(flashOf(again)), /Nothing changed/);

  const { html } = await browser.get(LIST, { cookie: flashOf(answer) });
  const request_id = /name="request_id" value="([^"]*)"/.exec(html)?.[1] ?? "";
  const undone = await browser.post("/certificates/undo/", {
    action: "contact_to",
    request_id,
    back: LIST,
  });
  assert.match(
    decodeURIComponent(flashOf(undone)),
    /Contact removed again from 2 certificates\./,
  );
  assert.deepEqual(await owned(app), [globexWeb]);
});

Deno.test("an unknown contact is an error at its field, and nothing is assigned", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const contact of ["", "999999", "Nobody of this name"]) {
    const { status, html } = await browser.post(
      "/certificates/bulk/",
      post([acmeWeb], { contact }),
    );
    assert.equal(status, 400, contact);
    assert.match(html, /id="f-contact-error"/, contact);
  }
  assert.deepEqual(await owned(app), []);
});

const SEE: GrantSpec = {
  types: ["tenancy.contact", "tenancy.contactrole"],
  actions: ["view"],
};
const OF_ACME: GrantSpec = {
  types: ["certmgr.certificate"],
  actions: ["view", "bulk_operations", "change"],
  constraints: { tenant__slug: "acme" },
};

Deno.test("assigning needs the permission to add contact assignments, and assigns only certificates that the user may view", async () => {
  await using app = await testApp();
  const without = await browserOf(
    app,
    granted([SEE, OF_ACME], { username: "without" }),
  );
  assert.doesNotMatch(
    (await without.get("/certificates/")).html,
    /Assign contact…/,
  );
  for (const action of ["contact", "contact_to"]) {
    await without.post("/certificates/bulk/", post([acmeWeb], { action }));
  }
  assert.deepEqual(await owned(app), []);

  const ADD: GrantSpec = {
    types: ["tenancy.contactassignment"],
    actions: ["view", "add"],
  };
  const may = await browserOf(
    app,
    granted([SEE, OF_ACME, ADD], { username: "may" }),
  );
  const answer = await may.post(
    "/certificates/bulk/",
    post([acmeWeb, globexWeb]),
  );
  assert.match(
    decodeURIComponent(flashOf(answer)),
    /Contact assigned to 1 certificate\./,
  );
  assert.deepEqual(await owned(app), [acmeWeb]);
  // Undo needs the permission to delete assignments of contacts.
  assert.doesNotMatch(flashOf(answer), /contact_to/);
});

Deno.test("a hidden contact is refused like a missing one, also if all certificates have it", async () => {
  await using app = await testApp();
  const all = await browserOf(app);
  await all.post("/certificates/bulk/", post([acmeWeb]));
  assert.deepEqual(await owned(app), [acmeWeb]);
  const blind = await browserOf(
    app,
    granted([
      { types: ["tenancy.contactrole"], actions: ["view"] },
      { types: ["tenancy.contact"], actions: ["view"], constraints: { name: "Nobody" } },
      { types: ["tenancy.contactassignment"], actions: ["view", "add"] },
      OF_ACME,
    ], { username: "blind" }),
  );
  const answers = await Promise.all(
    [CONTACT, "999999"].map((contact) => blind.post("/certificates/bulk/", post([acmeWeb], { contact }))),
  );
  for (const { status, html } of answers) {
    assert.equal(status, 400);
    assert.match(html, /id="f-contact-error"/);
  }
});

Deno.test("a name that several contacts have, or none, is refused with the reason", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (let count = 0; count < 2; count++) {
    await createObject({ ctx: app.ctx, resource: contacts, input: { name: "Twin" } });
  }
  for (
    const [contact, message] of [
      ["Twin", /2 contacts are called "Twin"/],
      ["Unknown", /No contact is called "Unknown"/],
    ] as const
  ) {
    const answer = await browser.post("/certificates/bulk/", post([acmeWeb], { contact }));
    assert.equal(answer.status, 400);
    assert.match(textOf(answer.html), message);
  }
  assert.deepEqual(await owned(app), []);
});
