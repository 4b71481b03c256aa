/** The secrets of webhooks are in the database and in messages to their receivers, and nowhere else. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Row } from "../../../src/db/mod.ts";
import { type Ask, testApp } from "../../support/app.ts";
import { auditor } from "../../support/actors.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";
import { changeLog } from "../../support/change_log.ts";

const SECRETS = {
  given: "GivenSecretOfTheWebhook",
  header: "GivenValueOfTheHeader",
  changed: "ChangedSecretOfTheWebhook",
  changedHeader: "ChangedValueOfTheHeader",
} as const;
/** Secrets of the seed. */
const SEEDED = ["SeededSecretOfInventory", "SeededHeaderOfInventory"];

Deno.test("no response, change record, message or log line has a webhook's secret", async () => {
  await using app = await testApp();
  const { database, log } = app;
  const chief = await app.as("superuser");
  const looker = await app.as(auditor());
  const responses: string[] = [];
  const call = async (client: typeof chief, path: string, ask?: Ask): Promise<void> => {
    responses.push(await (await client(path, ask)).text());
  };
  const body = {
    name: "Secretive",
    object_types: ["certmgr.certificate"],
    events: ["created"],
    payload_url: "https://hooks.example/",
    secret: SECRETS.given,
    additional_headers: { "X-Api-Key": SECRETS.header },
  };
  await call(chief, PATHS.webhooks, { method: "POST", body });
  const [{ id } = { id: 0 }] = await database.all<{ id: number }>(
    sql`SELECT id FROM webhooks WHERE name = 'Secretive'`,
  );
  const path = `${PATHS.webhooks}${id}/`;
  await call(chief, path, {
    method: "PATCH",
    body: { secret: SECRETS.changed, additional_headers: { "X-Api-Key": SECRETS.changedHeader } },
  });
  // Refused requests, because their errors could repeat values.
  for (
    const wrong of [{ name: "" }, { secret: ` ${SECRETS.given}` }, { conditions: { x: 1 } }, { events: [] }]
  ) {
    await call(chief, path, { method: "PATCH", body: { ...body, ...wrong } });
    await call(chief, PATHS.webhooks, { method: "POST", body: [{ ...body, ...wrong }, body] });
  }
  await call(chief, PATHS.webhooks, { method: "POST", body });
  await call(chief, PATHS.webhooks, { method: "POST", body: `{"secret": "${SECRETS.given}", ` });
  await call(chief, `${path}test/`, { method: "POST" });
  for (const client of [chief, looker]) {
    const fields = "additional_headers,conditions,failure_count";
    for (const query of ["", "?brief=true", `?fields=${fields}`]) await call(client, `${path}${query}`);
    await call(client, PATHS.webhooks);
    await call(client, `${path}?fields=secret`);
    await call(client, PATHS.webhooks, { method: "OPTIONS" });
    await call(client, `${PATHS.deliveries}?limit=0&fields=body,webhook,error`);
    await call(client, `${PATHS.changes}?limit=0&object_type=extras.webhook`);
  }
  await call(chief, path, { method: "DELETE" });
  const changes = (await changeLog(database)).filter(({ object_type }) => object_type === "extras.webhook");
  const messages = await database.all<Row>(sql`SELECT * FROM webhook_deliveries`);
  assert(changes.length >= 6 && messages.length > 0 && log.length > 20);
  const everything = JSON.stringify([responses, changes, messages, log]);
  assert(everything.includes("X-Api-Key"), "Names are shown");
  for (const secret of [...Object.values(SECRETS), ...SEEDED]) {
    assert(!everything.includes(secret), `${secret} is shown`);
  }
});

Deno.test("a secret that the service generates is shown in one response, and stored as it was shown", async () => {
  await using app = await testApp();
  const { database } = app;
  const chief = await app.as("superuser");
  const path = `${PATHS.webhooks}${seed.webhooks.idle}/`;
  const stored = async (): Promise<unknown> =>
    (await database.all<Row>(sql`SELECT secret FROM webhooks WHERE id = ${seed.webhooks.idle}`))[0]?.secret;
  const first = await stored();
  assert.match(String(first), /^whsec_/, "None was given when it was created");
  const { secret } = await callJson(chief, path, "PATCH", { secret: null });
  assert.notEqual(secret, first);
  assert.equal(await stored(), secret);
  assert(!("secret" in await callJson(chief, path)));
  const made = await callJson(
    chief,
    PATHS.webhooks,
    "POST",
    [1, 2].map((number) => ({
      name: `Made ${number}`,
      object_types: ["certmgr.certificate"],
      events: ["created"],
      payload_url: "https://hooks.example/",
    })),
  );
  assert.notEqual(made[0].secret, made[1].secret);
});

Deno.test("a change of only a secret or a header's value is a change", async () => {
  await using app = await testApp();
  const chief = await app.as("superuser");
  const path = `${PATHS.webhooks}${seed.webhooks.inventory}/`;
  const versions = new Set<string>();
  for (
    const body of [
      {},
      { secret: SECRETS.changed },
      { additional_headers: { "X-Api-Key": SECRETS.changedHeader } },
      { additional_headers: { "X-Api-Key": null } },
    ]
  ) {
    versions.add((await callJson(chief, path, "PATCH", body)).last_updated);
  }
  assert.equal(versions.size, 3, "The last one writes back what was read");
  const [{ additional_headers } = { additional_headers: "" }] = await app.database.all<Row>(
    sql`SELECT additional_headers FROM webhooks WHERE id = ${seed.webhooks.inventory}`,
  );
  assert.deepEqual(JSON.parse(String(additional_headers)), { "X-Api-Key": SECRETS.changedHeader });
});
