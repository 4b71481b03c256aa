/** Notices about chains that the daily evaluation finds broken. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../src/base/clock.ts";
import { deriveFromChanges } from "../../../src/domain/notices/derive_events.ts";
import { evaluateInUse } from "../../../src/domain/system/jobs/evaluate_in_use.ts";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { TestCa } from "../../support/test_ca/mod.ts";

Deno.test("an issuer that expires breaks the chains of its certificates; the certificate's own expiry is another event", async () => {
  const root = await TestCa.root({ cn: "Chain Events Root", key: "ed25519" });
  const issuer = await root.intermediate({ cn: "Short Issuer", key: "ed25519", notAfter: "2026-06-20" });
  const outlives = await issuer.issue({ cn: "outlives.example", key: "ed25519", notAfter: "2026-08-01" });
  const expires = await root.issue({ cn: "expires.example", key: "ed25519", notAfter: "2026-06-20" });
  await using app = await testApp();
  const client = await app.as("superuser");
  const imported = async (chain: readonly { pem: string }[]): Promise<number> => {
    const pem_content = chain.map(({ pem }) => pem).join("\n");
    return (await callJson(client, `${PATHS.certificates}import/`, "POST", { pem_content })).id;
  };
  const outliving = await imported([outlives, issuer, root]);
  await imported([expires, root]);
  const broken = async (): Promise<number[]> => {
    app.clock.advance(3 * DAY_MS);
    await evaluateInUse(app);
    await deriveFromChanges(app);
    const events = await app.database.all<{ id: number }>(
      sql`SELECT object_id AS id FROM notice_events WHERE event = 'chain_broken' ORDER BY id`,
    );
    return events.map(({ id }) => id);
  };
  assert.deepEqual(await broken(), []);
  assert.deepEqual(await broken(), [outliving]);
  assert.deepEqual(await broken(), [outliving], "reported once");
  const rows = await app.database.all<{ chain_status: string }>(
    sql`SELECT chain_status FROM certificates WHERE common_name IN ('outlives.example', 'expires.example')`,
  );
  assert.deepEqual(rows.map(({ chain_status }) => chain_status), ["expired", "expired"]);
});
