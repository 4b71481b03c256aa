/** Refused exports that the scenarios do not cover: several errors at once, and each format. */

import assert from "node:assert/strict";
import { readerOf } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { seed } from "../../../support/seed.ts";
import { exportByGet, exportByPost, METHODS, NAMES } from "./support.ts";

Deno.test("all invalid parameters of an export are reported at once, by GET and POST", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const bad = {
    format: "x",
    fields: ["comon_name"],
    ids: ["z"],
    include_pem: "?",
    status: "live",
    statuss: "active",
  };
  for (const [method, ask] of METHODS) {
    const response = await ask(client, bad);
    assert.equal(response.status, 400, method);
    const errors = await response.json();
    assert.deepEqual(Object.keys(errors).toSorted(), Object.keys(bad).toSorted(), method);
    assert.deepEqual(errors.fields, ['Unknown field "comon_name". Did you mean “common_name”?'], method);
  }
});

Deno.test("an invalid flag is refused even where it has no effect", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const format of NAMES) {
    const response = await exportByGet(client, { format, include_pem: "perhaps", include_chain: 2 });
    assert.deepEqual(Object.keys(await response.json()), ["include_pem", "include_chain"], format);
  }
});

Deno.test("a filter without a value is refused by POST, and does not export everything", async () => {
  await using app = await testApp();
  const response = await exportByPost(await app.as("superuser"), { status: [] });
  assert.equal(response.status, 400);
  assert.deepEqual(await response.json(), { status: ["Expected at least one value."] });
});

Deno.test("parameters that NetBox's clients always send do not change an export", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const plain = await (await exportByGet(client, {})).text();
  assert.equal(await (await exportByPost(client, { brief: true, exclude: "config_context" })).text(), plain);
});

Deno.test("an export with too many rows is refused in every format, with the number of rows that the caller may view", async () => {
  await using app = await testApp({ settings: { maxExportSize: 4 } });
  const client = await app.as(readerOf("acme"));
  for (const format of NAMES) {
    const response = await exportByGet(client, { format });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), {
      detail:
        "Export size exceeds maximum of 4 certificates. The export would contain 5. Narrow it with filters or ids, or " +
        "export in parts.",
    });
  }
  const { acmeWeb, acmeExpired, acmeWarning, acmeReplaced } = seed.certificates;
  const ids = [acmeWeb, acmeExpired, acmeWarning, acmeReplaced];
  assert.equal((await (await exportByPost(client, { ids })).json()).length, 4, "As many as may be are");
});
