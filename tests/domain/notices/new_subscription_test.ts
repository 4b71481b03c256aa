/** What a new subscription reports: only what happens after its creation. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { runNotices } from "../../../src/domain/notices/run_notices.ts";
import { testApp } from "../../support/app.ts";
import { TestCa } from "../../support/test_ca/mod.ts";

Deno.test("a new immediate subscription reports the certificates that are added after it, not earlier ones", async () => {
  await using app = await testApp();
  const ask = await app.as("superuser");
  const add = async (cn: string): Promise<void> => {
    const { pem } = await TestCa.selfSigned({ cn });
    const body = { pem_content: pem };
    const response = await ask("/api/plugins/certmgr/certificates/import/", { method: "POST", body });
    assert.equal(response.status, 201);
  };
  await add("earlier.example");
  app.clock.advance(1_000);
  const response = await ask("/api/plugins/certmgr/subscriptions/", {
    method: "POST",
    body: { name: "New ones", channel: 2, events: ["new_certificate"], mode: "immediate" },
  });
  assert.equal(response.status, 201, await response.clone().text());
  const { id } = await response.json();
  await app.database.write((tx) => tx.run(sql`UPDATE notification_channels SET enabled = 1`));
  await add("later.example");
  app.clock.advance(60_000);
  await runNotices({ ctx: app.ctx });
  const messages = await app.database.all<{ message: string }>(
    sql`SELECT message FROM notification_deliveries WHERE subscription_id = ${id}`,
  );
  const titles = messages.flatMap(({ message }) =>
    (JSON.parse(message).notices as { title: string }[]).map(({ title }) => title)
  );
  assert.equal(titles.length, 1, titles.join());
  assert.match(titles[0] ?? "", /later\.example/);
});
