/** The page that tells owners about their certificates: previews, choice, refusals, and who has its buttons. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted, readerOf } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const LIST = "/certificates/?ordering=-valid_to";
const { acmeWeb, acmeCritical, globexRevoked } = seed.certificates;
const { web, network } = seed.contacts;
const ids = [acmeWeb, acmeCritical, globexRevoked].join(",");
const BULK = "/certificates/bulk/";

async function stored({ database }: TestApp): Promise<Record<string, unknown>[]> {
  return await database.all(
    sql`SELECT recipient, notices, message ->> '$.letter.subject' AS subject,
        message ->> '$.letter.text' AS text FROM notification_deliveries WHERE event = 'owner_told'`,
  );
}

async function giveAddress({ database }: TestApp): Promise<void> {
  await database.write((tx) =>
    tx.run(sql`UPDATE contacts SET email = 'network@acme.example' WHERE id = ${network}`)
  );
}

Deno.test("the page has a message for each owner, and sends what was edited to those that are ticked", async () => {
  await using app = await testApp();
  await giveAddress(app);
  const browser = await browserOf(app);
  const { html } = await browser.post(BULK, { action: "tell", ids, back: LIST });
  const text = textOf(html);
  assert.match(text, /Tell 2 owners about 2 certificates/);
  assert.match(text, /Cannot be notified: no owner 1/);
  for (const address of ["web@acme.example", "network@acme.example"]) {
    assert.ok(html.includes(`href="mailto:${address}"`), address);
  }
  assert.match(html, new RegExp(`<textarea[^>]*name="text_${web}"[^>]*>Hello Web team,`));
  assert.deepEqual(await stored(app), []);
  const { location, headers } = await browser.post(BULK, {
    action: "tell_now",
    ids,
    back: LIST,
    [`subject_${web}`]: "Please renew",
    [`text_${web}`]: "Hello\r\nCc: all@acme.example",
    [`text_${network}`]: "Not sent",
    [`send_${web}`]: "true",
    note: "It is urgent.",
  });
  assert.equal(location, LIST);
  const cookie = headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const shown = await browser.get(LIST, { cookie });
  assert.match(textOf(shown.html), /1 owner notified about 1 certificate\. *View the messages/);
  assert.match(shown.html, /href="\/notification-deliveries\/\?event=owner_told"/);
  const [only, ...others] = await stored(app);
  assert.deepEqual(others, []);
  assert.deepEqual([only?.recipient, only?.notices, only?.subject], ["web@acme.example", 1, "Please renew"]);
  assert.match(String(only?.text), /^Hello\nCc: all@acme\.example\n\nIt is urgent\.\n\n-- \nSent by /);
  assert.match(textOf((await browser.get(`/certificates/${acmeWeb}/`)).html), /Owner notified by e-mail/);
});

for (
  const [title, settings, fields, message] of [
    ["a subject of two lines", {}, { [`subject_${web}`]: "One\nTwo" }, /Expected a subject in one line/],
    ["an empty text", {}, { [`text_${web}`]: " " }, /may not be blank/],
    ["no owner", {}, { [`send_${web}`]: undefined }, /Choose at least one owner/],
    ["e-mail that is not configured", { mailConfigured: false }, {}, /E-mail is not configured/],
  ] as const
) {
  Deno.test(`the page refuses ${title}, and keeps what was typed`, async () => {
    await using app = await testApp({ settings });
    const browser = await browserOf(app);
    const given = {
      [`subject_${web}`]: "Typed",
      [`text_${web}`]: "Typed text",
      [`send_${web}`]: "true",
      ...fields,
    };
    const filled = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
    );
    const { html } = await browser.post(BULK, { action: "tell_now", ids, back: LIST, ...filled });
    assert.match(textOf(html), message);
    if (!(`text_${web}` in fields)) assert.match(html, />Typed text</);
    assert.deepEqual(await stored(app), []);
  });
}

Deno.test("the buttons are on the list, on a certificate with an owner and on a contact with an address", async () => {
  await using app = await testApp();
  const chief = await browserOf(app);
  const certificate = { types: ["certmgr.certificate"], actions: ["view", "change"] };
  const blind = await browserOf(app, granted([certificate]));
  const reader = await browserOf(app, readerOf("acme"));
  for (
    const [path, label, present] of [
      ["/certificates/", "Tell owners…", true],
      [`/certificates/${acmeWeb}/`, "Tell owner…", true],
      [`/certificates/${globexRevoked}/`, "Tell owner…", false],
      [`/contacts/${web}/`, "Tell owner…", true],
      [`/contacts/${network}/`, "Tell owner…", false],
    ] as const
  ) {
    assert.equal((await chief.get(path)).html.includes(label), present, path);
    for (const other of [blind, reader]) assert.ok(!(await other.get(path)).html.includes(label), path);
  }
  const fields = { action: "tell", all: "true", back: `/certificates/?owner=${web}` };
  assert.match(textOf((await chief.post(BULK, fields)).html), /Tell 1 owner about 1 certificate/);
  assert.equal((await blind.post(BULK, { action: "tell", ids, back: LIST })).location, LIST);
});
