/** The headers of a webhook are lines with names and values; a form never shows stored values. */

import assert from "node:assert/strict";
import { type Client, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const [STORED] = Object.values(seed.webhooks);
const FORM = `/webhooks/${STORED}/edit/`;

/** Returns the fields of the form, with other headers. */
function fieldsOf(
  html: string,
  lines: readonly string[],
): Record<string, string | string[]> {
  const one = (name: string): string =>
    new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1] ?? "";
  const checked = (name: string): string[] =>
    [...html.matchAll(new RegExp(`name="${name}" value="([^"]*)"[^>]*checked`, "g"))].map(([, value = ""]) =>
      value
    );
  return {
    name: one("name"),
    payload_url: one("payload_url"),
    events: checked("events"),
    object_types: checked("object_types"),
    version: one("version").replaceAll("&quot;", '"'),
    additional_headers: lines.join("\r\n"),
  };
}

async function headersOf(client: Client): Promise<Record<string, null>> {
  return (await callJson(client, `${PATHS.webhooks}${STORED}/`)).additional_headers;
}

Deno.test("a name without a value keeps the stored one, a cleared name removes it, and a new line adds one", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const { html } = await browser.get(FORM);
  assert.match(html, /name="additional_headers"[^>]*>X-Api-Key:</);
  assert.doesNotMatch(html, /SeededHeaderOfInventory/);
  const added = await browser.post(FORM, fieldsOf(html, ["X-Api-Key:", "X-Team: pki: blue", ""]));
  assert.equal(added.status, 303, textOf(added.html));
  assert.deepEqual(await headersOf(client), { "X-Api-Key": null, "X-Team": null });
  const again = (await browser.get(FORM)).html;
  assert.doesNotMatch(again, /pki: blue/);
  const removed = await browser.post(FORM, fieldsOf(again, ["X-Team"]));
  assert.equal(removed.status, 303, textOf(removed.html));
  assert.deepEqual(await headersOf(client), { "X-Team": null });
});

Deno.test("a name that is given twice, or one without any value, is refused with its name, and nothing changes", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const { html } = await browser.get(FORM);
  const before = await headersOf(client);
  for (
    const [lines, message] of [
      [["X-Team: a", "X-Team: b"], /"X-Team": This name is given twice\./],
      [["X-New"], /"X-New": No value is stored under this name\. Enter one\./],
      [[": lonely"], /additional_headers|header/i],
    ] as const
  ) {
    const refused = await browser.post(FORM, fieldsOf(html, lines));
    assert.equal(refused.status, 400, lines.join());
    assert.match(textOf(refused.html).replaceAll("&quot;", '"'), message);
    assert.deepEqual(await headersOf(client), before);
  }
});
