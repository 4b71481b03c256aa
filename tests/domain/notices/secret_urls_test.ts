/** Secret URLs of channels are never shown, also if the channel becomes one of another kind. */

import assert from "node:assert/strict";
import { testApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";

const SECRET = "https://hooks.slack.example/services/the-secret";
const SHOWN = "https://hooks.slack.example/…";
const REFUSED = {
  settings: ["url: Enter the whole URL. It is a secret, and is kept only with its kind and origin."],
};

Deno.test("the kind of a channel with a secret URL changes only with a new URL, so that no kind shows the secret", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const created = await client(PATHS.channels, {
    method: "POST",
    body: { name: "Chat", kind: "slack", settings: { url: SECRET } },
  });
  assert.equal(created.status, 201);
  const { id } = await created.json();
  const path = `${PATHS.channels}${id}/`;
  const change = async (body: unknown): Promise<[number, unknown]> => {
    const response = await client(path, { method: "PATCH", body });
    const { kind, settings } = await response.json();
    return [response.status, kind === undefined ? { settings } : settings];
  };
  assert.deepEqual(await change({ kind: "webhook" }), [400, REFUSED]);
  assert.deepEqual(await change({ kind: "teams" }), [400, REFUSED]);
  assert.deepEqual(await change({ kind: "webhook", settings: { url: SHOWN } }), [400, REFUSED]);
  assert.deepEqual(await change({ settings: { url: "https://elsewhere.example/…" } }), [400, REFUSED]);
  assert.deepEqual(await change({ settings: { url: SHOWN } }), [200, { url: SHOWN }]);
  assert.deepEqual(await change({ kind: "slack" }), [200, { url: SHOWN }]);

  const other = "https://receiver.example/notices";
  assert.deepEqual(await change({ kind: "webhook", settings: { url: other } }), [200, { url: other }]);
  const changes = await (await client(`${PATHS.changes}?changed_object_id=${id}`)).text();
  assert.doesNotMatch(changes, /the-secret/);
});
