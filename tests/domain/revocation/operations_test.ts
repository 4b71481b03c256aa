/** Checks that users ask for: waiting, rights, hosts that hang, OCSP, and the notices that follow. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { deriveFromChanges } from "../../../src/domain/notices/derive_events.ts";
import { deriveOverdue } from "../../../src/domain/notices/derive_overdue.ts";
import { checkDue } from "../../../src/domain/revocation/mod.ts";
import { within } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { OpensslAuthority } from "../../support/openssl_authority.ts";
import { buildCrl, ext, TEST_NOW, TestCa } from "../../support/test_ca/mod.ts";
import { empty, evidenceOf, sending, startHost, stateOf, store } from "./support.ts";

const DAY = 86_400_000;
const BASE = "/api/plugins/certmgr/certificates/";
const ca = await TestCa.root({ cn: "CA", keyUsage: ["keyCertSign", "cRLSign"] });

Deno.test("a user who asks gets the newest evidence, and only with the right to change the certificate", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const leaf = await ca.issue({
    cn: "a.example",
    extensions: [ext.crlDistributionPoints([`${host.origin}/1`])],
  });
  const der = await buildCrl(ca, { revoked: [{ serial: leaf.certificate.serial, reason: 1 }] });
  host.answers.set("/1", () => new Response(der as Uint8Array<ArrayBuffer>));
  const id = await store(app, leaf.pem, ca.pem);
  const blind = await app.as(within("certmgr.certificate", ["view", "change"], { id: 0 }));
  assert.equal((await blind(`${BASE}${id}/check-revocation/`, { method: "POST" })).status, 404);
  const bulk = await app.as("superuser");
  const before =
    await (await bulk(`${BASE}bulk-check-revocation/`, { method: "POST", body: { ids: [id, 999] } })).json();
  assert.deepEqual(
    [before.total, before.processed, before.revoked, before.missing_ids, before.results[0].status],
    [2, 1, 0, [999], "unavailable"],
  );
  assert.equal(host.requests.length, 0);
  const response = await bulk(`${BASE}${id}/check-revocation/`, { method: "POST" });
  const evidence = await response.json();
  assert.deepEqual(
    [
      response.status,
      evidence.certificate,
      evidence.source,
      evidence.status,
      evidence.reason,
      evidence.signer,
    ],
    [200, id, "crl", "revoked", "key_compromise", "CN=CA"],
  );
  assert.equal((await stateOf(app, id)).status, "revoked");
  const after = await (await bulk(`${BASE}bulk-check-revocation/`, { method: "POST", body: { ids: [id] } }))
    .json();
  assert.deepEqual([after.processed, after.revoked], [1, 1]);
  assert.equal(host.requests.length, 1);
  await deriveFromChanges(app);
  const events = await app.database.all(
    sql`SELECT object_id AS id, detail FROM notice_events WHERE event = 'certificate_revoked'`,
  );
  assert.deepEqual(events, [{ id, detail: evidence.message }]);
});

Deno.test("a host that hangs holds up neither other hosts nor the user for more than ten seconds", async () => {
  await using app = await testApp();
  await using slow = startHost("127.0.0.3");
  await using fast = startHost("127.0.0.4");
  await empty(app);
  const hanging = Promise.withResolvers<Response>();
  slow.answers.set("/1", () => hanging.promise);
  const der = await buildCrl(ca);
  fast.answers.set("/1", () => new Response(der as Uint8Array<ArrayBuffer>));
  const ids = [];
  for (const { origin } of [slow, fast]) {
    const leaf = await ca.issue({
      cn: `${ids.length}.example`,
      extensions: [ext.crlDistributionPoints([`${origin}/1`])],
    });
    ids.push(await store(app, leaf.pem, ca.pem));
  }
  const client = await app.as("superuser");
  const began = performance.now();
  const [one, other] = await Promise.all(ids.map(async (id) => {
    const response = await client(`${BASE}${id}/check-revocation/`, { method: "POST" });
    return { status: (await response.json()).status, ms: performance.now() - began };
  }));
  hanging.resolve(new Response(null, { status: 404 }));
  assert.equal(other!.status, "good");
  assert(other!.ms < 5_000, `${other!.ms} ms`);
  assert(one!.status !== "good" && one!.ms < 12_000, `${one!.status} after ${one!.ms} ms`);
  // The check that outlived its request ends.
  await new Promise((resolve) => setTimeout(resolve, 500));
});

Deno.test("three days without an answer are an event, once", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const extensions = [ext.crlDistributionPoints([`${host.origin}/nothing`])];
  const id = await store(app, (await ca.issue({ cn: "b.example", extensions })).pem, ca.pem);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE webhooks SET enabled = 1, object_types = '["certmgr.certificate"]',
      events = '["certificate.revocation_unavailable"]' WHERE id = 1`)
  );
  const events = async (): Promise<number> => {
    await checkDue({ ctx: sending(app) });
    await deriveOverdue(app.ctx);
    const rows = await app.database.all(
      sql`SELECT 1 FROM notice_events WHERE event = 'certificate_revocation_unavailable' AND object_id = ${id}`,
    );
    return rows.length;
  };
  assert.equal(await events(), 0);
  app.clock.advance(3 * DAY - 1_000);
  assert.equal(await events(), 0);
  app.clock.advance(1_000);
  assert.equal(await events(), 1);
  app.clock.advance(DAY);
  assert.equal(await events(), 1);
  const outbox = sql`SELECT object_id AS id FROM outbox WHERE event = 'certificate.revocation_unavailable'`;
  assert.deepEqual(await app.database.all(outbox), [{ id }]);
});

Deno.test("without a list, the responder is asked; a list decides otherwise", async () => {
  await using app = await testApp();
  await using host = startHost();
  await using authority = await OpensslAuthority.create("ec");
  await empty(app);
  app.clock.advance(Date.now() - TEST_NOW);
  const leaf = await authority.issue("ocsp.example", `authorityInfoAccess = OCSP;URI:${host.origin}/ocsp`);
  host.answers.set("/ocsp", async (request) => {
    assert.equal(request.headers.get("content-type"), "application/ocsp-request");
    return new Response(await authority.respond(await request.bytes()) as Uint8Array<ArrayBuffer>);
  });
  const id = await store(app, leaf.pem, authority.root.pem);
  await checkDue({ ctx: sending(app) });
  assert.equal((await stateOf(app, id)).revocation_status, "good");
  const [evidence] = await evidenceOf(app, id);
  assert.deepEqual([evidence!.source, evidence!.source_url], ["ocsp", `${host.origin}/ocsp`]);
  await authority.revoke(leaf, "superseded");
  app.clock.advance(DAY + 700_000);
  await checkDue({ ctx: sending(app) });
  const state = await stateOf(app, id);
  assert.deepEqual([state.status, state.revocation_reason], ["revoked", "superseded"]);
});

Deno.test("few checks run at the same time, and the same one only once", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const gate = Promise.withResolvers<void>();
  host.answers.set("/slow", async () => {
    await gate.promise;
    return new Response("", { status: 404 });
  });
  const ids: number[] = [];
  for (let n = 0; n < 9; n++) {
    const extensions = [ext.crlDistributionPoints([`${host.origin}/slow`])];
    ids.push(await store(app, (await ca.issue({ cn: `slow-${n}.example`, extensions })).pem, ca.pem));
  }
  const client = await app.as("superuser");
  const check = (id: number | undefined) => client(`${BASE}${id}/check-revocation/`, { method: "POST" });
  const running = ids.slice(0, 8).map(check);
  while (host.requests.length === 0) await new Promise((done) => setTimeout(done, 5));
  const [again, refused] = [check(ids[0]), await check(ids[8])];
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
  gate.resolve();
  const statuses = (await Promise.all([...running, again])).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal((await check(ids[8])).status, 200);
});
