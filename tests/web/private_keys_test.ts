/** A private key that was typed into a form is refused, and no page shows it again. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { shapeOf } from "../../src/resource/mod.ts";
import { listPath } from "../../src/web/paths.ts";
import { testApp } from "../support/app.ts";
import { keysInTurn, privateKeys } from "../support/private_keys.ts";
import { sampleOf } from "../support/samples.ts";
import { writtenBytes } from "../support/store.ts";
import { browserOf, type Fields } from "./imports/browser.ts";

const KEYS = await privateKeys();
const someKeys = keysInTurn(KEYS);

/**
 * Returns whether a page has a part of the key. Browsers send line breaks as CR LF, and pages have `&`, `<`, `"` as
 * entities.
 */
function holdsPart(html: string, key: string): boolean {
  const middle = Math.floor(key.length / 2);
  return html.includes(key.slice(middle - 6, middle + 6).replaceAll('"', "&quot;"));
}

for (const resource of resources.filter(({ methods }) => methods.collection.includes("POST"))) {
  Deno.test(`A private key typed into a form of ${resource.labelPlural} is never shown again`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const names = Object.values(resource.fields).filter((field) => field.input !== undefined)
      .filter((field) => shapeOf(field).kind !== "boolean").map(({ name }) => name);
    const base = listPath(resource);
    if ((await browser.get(`${base}new/`)).status === 404) return;
    const before = await writtenBytes(app.database);
    for (const [kind, key] of someKeys()) {
      const fields: Fields = Object.fromEntries(names.map((name) => [name, key]));
      for (const path of [`${base}new/`, `${base}${sampleOf(resource).seen}/edit/`]) {
        const { status, html } = await browser.post(path, fields);
        assert(status === 400 || status === 404, `${path}: ${status}`);
        assert(!holdsPart(html, key), `${kind} at ${path}`);
      }
    }
    assert.equal(await writtenBytes(app.database), before, "Something was stored");
  });
}

Deno.test("A private key typed into any other form is never shown again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const [kind, key] of Object.entries(KEYS)) {
    for (
      const [path, fields] of [
        ["/certificates/1/renew/", { pem_content: key, private_key_location: key }],
        ["/certificates/add/", { content: key, private_key_location: key, tenant: key }],
        ["/certificates/add/store/", { pem_content: key, private_key_location: key }],
        ["/profile/tokens/", { description: key, expires: key, allowed_ips: key }],
        ["/sign-in/", { username: key, password: key }],
      ] as const
    ) {
      const { status, html } = await browser.post(path, fields);
      assert(status >= 400, `${path}: ${status}`);
      assert(!holdsPart(html, key), `${kind} at ${path}`);
    }
  }
  for (const line of app.log) {
    for (const key of Object.values(KEYS)) assert(!holdsPart(JSON.stringify(line), key));
  }
});
