/** Errors of forms with invalid input. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { WEBHOOK_OBJECT_TYPES } from "../../src/domain/webhooks/mod.ts";
import { typeOptions } from "../../src/web/type_label.ts";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

Deno.test("a form with errors begins with links to the invalid fields and their messages, in the order of the form", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { status, html } = await browser.post("/webhooks/new/", { name: "Tickets", payload_url: "ftp://x" });
  assert.equal(status, 400);
  const summary = /<div class="flash error" role="alert">.*?<\/ul>/s.exec(html)?.[0] ?? "";
  const links = [...summary.matchAll(/<a href="#([^"]+)">([^<]+)</g)].map(([, id, label]) => [id, label]);
  assert.deepEqual(links, [
    ["f-payload_url", "Payload URL"],
    ["f-events", "Events"],
    ["f-object_types", "Object types"],
  ]);
  assert.match(
    textOf(summary),
    /Correct these 3 fields:.*Payload URL : Only http and https URLs are allowed/,
  );
  for (const [id] of links) assert.ok(html.includes(`id="${id}"`), `No control has the id ${id}`);
  // The typed values are still there.
  assert.match(html, /value="ftp:\/\/x"/);
});

Deno.test("the error about a host that is not allowed names the setting for superusers, and the administrator for others", async () => {
  await using app = await testApp();
  const input = {
    name: "Local",
    payload_url: "http://127.0.0.1/x",
    events: "created",
    object_types: "certmgr.certificate",
  };
  const types = ["extras.webhook"];
  const user = granted([{ types, actions: ["view", "add"] }], { username: "hooks" });
  for (
    const [actor, expected] of [
      [undefined, /Use a public host, or one that CERTMGR_WEBHOOK_ALLOWED_HOSTS lists\./],
      [user, /Use a public host, or ask your administrator to allow this one\./],
    ] as const
  ) {
    const { status, html } = await (await browserOf(app, actor)).post("/webhooks/new/", input);
    assert.equal(status, 400);
    assert.match(textOf(html), expected);
    if (actor !== undefined) assert.doesNotMatch(html, /CERTMGR_/);
  }
});

Deno.test("a form with invalid JSON is refused with the errors of all fields and the position in the text", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const input = { name: "Tickets", payload_url: "ftp:/x", conditions: "{a" };
  const { status, html } = await browser.post("/webhooks/new/", input);
  assert.equal(status, 400);
  const summary = textOf(/<div class="flash error" role="alert">.*?<\/ul>/s.exec(html)?.[0] ?? "");
  assert.match(summary, /Payload URL : .*Events : .*Conditions : Not JSON: .* at line 1, character 2\./);
  const valid = { ...input, payload_url: "https://hooks.example/x", object_types: "certmgr.certificate" };
  const again = await browser.post("/webhooks/new/", { ...valid, events: "created", conditions: "{" });
  assert.equal(again.status, 400);
  assert.match(textOf(again.html), /Correct this field: Conditions : Not JSON/);
  // The default of a custom field may have any type, so an invalid text must not become its value.
  const field = { name: "room", type: "text", object_types: "certmgr.certificate", default: "abc" };
  const custom = await browser.post("/custom-fields/new/", field);
  assert.equal(custom.status, 400);
  assert.match(textOf(custom.html), /Not JSON: unexpected token/);
});

Deno.test("the error at a field precedes its help text", async () => {
  await using app = await testApp();
  const { html } = await (await browserOf(app)).post("/webhooks/new/", { name: "x", payload_url: "ftp://x" });
  const [error, help] = ["f-payload_url-error", "f-payload_url-help"].map((id) => html.indexOf(`id="${id}"`));
  assert.ok(error !== undefined && help !== undefined && error > 0 && error < help);
});

Deno.test("object types are offered under headings, each under exactly one", () => {
  for (const types of [OBJECT_TYPES, WEBHOOK_OBJECT_TYPES]) {
    const options = typeOptions(types);
    assert.deepEqual(options.map(([type]) => type).toSorted(), [...types].toSorted());
    assert.deepEqual(options.filter(([, , group]) => group === "Others"), []);
    const headings = options.map(([, , group]) => group);
    const runs = headings.filter((heading, index) => heading !== headings[index - 1]);
    assert.equal(runs.length, new Set(headings).size, "A heading appears twice");
  }
});
