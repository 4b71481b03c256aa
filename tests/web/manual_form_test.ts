/** The form for one certificate, saved without its PEM. */

import assert from "node:assert/strict";
import { certificates } from "../../src/domain/certificates/mod.ts";
import { ALL_FIELDS, getObject } from "../../src/resource/mod.ts";
import { testApp } from "../support/app.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const root = await TestCa.root({ cn: "Form Root" });
const leaf = await root.issue({ cn: "form.example" });

/** Returns the text of the error summary. */
function summaryOf(html: string): string {
  return textOf(/<div class="flash error" role="alert">(.*?)<\/form>/s.exec(html)?.[1] ?? "");
}

Deno.test("Manual form: an empty form has one error, at the PEM; a started one has an error at each missing field", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const empty = await browser.post("/certificates/new/", { pem_content: "", status: "active" });
  assert.equal(empty.status, 400);
  assert.match(
    summaryOf(empty.html),
    /Correct this field:.*Paste it, or fill in the fields under "Without PEM"/,
  );
  assert.equal(empty.html.match(/aria-invalid="true"/g)?.length, 1);
  const started = await browser.post("/certificates/new/", { common_name: "a.example", status: "active" });
  assert.equal(started.status, 400);
  assert.match(summaryOf(started.html), /Correct these 6 fields:/);
});

Deno.test("Manual form: a text without a PEM block has an error that says how a block begins", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.post("/certificates/new/", { pem_content: "hello", status: "active" });
  assert.match(
    summaryOf(html),
    /No PEM block found\. A certificate starts with "-----BEGIN CERTIFICATE-----"/,
  );
  assert.doesNotMatch(textOf(html), /unable to parse/);
});

Deno.test("Manual form: the next step for an authority is to track it, and responses to reminders come near the expiry", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const pageOf = async (pem: string): Promise<string> => {
    const { location } = await browser.post("/certificates/new/", { pem_content: pem, status: "active" });
    return (await browser.get(location)).html;
  };
  const authority = await pageOf(root.pem);
  assert.match(
    authority,
    /<a href="\/authorities\/new\/\?name=Form\+Root&(amp;)?type=internal">Track it as an authority</,
  );
  assert.doesNotMatch(textOf(authority), /Assign it to the objects|Acknowledge or snooze/);
  assert.match(textOf(await pageOf(leaf.pem)), /Assign it to the objects that use it/);
  const server = await TestCa.root({ cn: "own.example", sans: ["own.example", "www.own.example"] });
  const page = textOf(await pageOf(server.pem));
  assert.match(page, /Next: Assign an owner ?\. Then: Assign it to the objects that use it/);
  assert.doesNotMatch(page, /Track it as an authority/);
});

Deno.test("Manual form: one field takes the certificate and its chain", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const form = await browser.get("/certificates/new/");
  assert.doesNotMatch(form.html, /name="issuer_chain"/);
  const { location } = await browser.post("/certificates/new/", {
    pem_content: `${leaf.pem}${root.pem}`,
    status: "active",
  });
  const id = Number(/\d+/.exec(location)?.[0]);
  const { object: stored } = await getObject({
    ctx: app.ctx,
    resource: certificates,
    id,
    selection: ALL_FIELDS,
  });
  assert.equal(stored.pem_content, leaf.pem);
  assert.equal(stored.issuer_chain, root.pem);
  const other = await root.issue({ cn: "unrelated.example" });
  const refused = await browser.post("/certificates/new/", {
    pem_content: `${other.pem}${leaf.pem}`,
    status: "active",
  });
  assert.equal(refused.status, 400);
  assert.match(
    textOf(refused.html),
    /does not belong to the first certificate's chain\. Paste one certificate, and its/,
  );
});
