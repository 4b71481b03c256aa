/** Lists and answers of hosts that want to stop the checks, to fill the disk, or to undo a revocation. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { checkAll } from "../../../src/domain/revocation/ask.ts";
import { storeOutcomes } from "../../../src/domain/revocation/store.ts";
import { checkDue } from "../../../src/domain/revocation/job.ts";
import { sendGuarded } from "../../../src/http/send_guarded.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { buildCrl, derWriter, ext, TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { checked, empty, sending, startHost, stateOf, store } from "./support.ts";

const DAY = 86_400_000;
const ca = await TestCa.root({
  cn: "CA",
  keyUsage: ["keyCertSign", "cRLSign"],
});
const answer = (list: Uint8Array): Response => new Response(list as Uint8Array<ArrayBuffer>);
const issue = (cn: string, url: string): Promise<TestCertificate> =>
  ca.issue({ cn, extensions: [ext.crlDistributionPoints([url])] });

Deno.test("a kept list with a malformed entry does not stop the checks of others", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const url = `${host.origin}/ca.crl`;
  const [first, second] = [
    await issue("a.example", url),
    await issue("b.example", url),
  ];
  const date = derWriter.tlv(0x17, new TextEncoder().encode("999999999999Z"));
  const entries = derWriter.sequence(
    derWriter.integer(second.certificate.serial),
    date,
  );
  const list = await buildCrl(ca, { entries });
  host.answers.set("/ca.crl", () => answer(list));
  const id = await store(app, first.pem, ca.pem);
  assert.equal((await checked(app, id)).revocation_status, "good");
  assert.equal(
    (await checked(app, await store(app, second.pem, ca.pem)))
      .revocation_status,
    "unavailable",
  );
});

Deno.test("older answers do not undo a revocation, neither lists nor stapled ones, also when its evidence has ended", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const leaf = await issue("c.example", `${host.origin}/ca.crl`);
  const now = app.clock.now();
  const revoked = [{
    serial: leaf.certificate.serial,
    reason: 1,
    at: now - 2_000,
  }];
  const times = { thisUpdate: now - DAY, nextUpdate: now + 6 * DAY };
  const older = await buildCrl(ca, times);
  const newer = await buildCrl(ca, {
    thisUpdate: now - 1_000,
    nextUpdate: now + DAY,
    revoked,
  });
  host.answers.set("/ca.crl", () => answer(newer));
  const id = await store(app, leaf.pem, ca.pem);
  assert.equal((await checked(app, id)).status, "revoked");
  host.answers.set("/ca.crl", () => answer(older));
  for (const later of [600_000, 2 * DAY]) {
    app.clock.advance(later);
    await checkAll(sending(app), [id], { fetches: true, fresh: true });
    const { status, revocation_status } = await stateOf(app, id);
    assert.deepEqual(
      [status, revocation_status],
      ["revoked", "revoked"],
      `${later}`,
    );
  }
  const good = { status: "good", signer: "CN=CA", ...times } as const;
  const about = {
    source: "stapled",
    url: "",
    message: "",
    sha256: "00",
    refreshAt: now + 3 * DAY,
  } as const;
  await storeOutcomes(
    app.ctx,
    new Map([[id, { evidence: [{ ...about, answer: good }] }]]),
  );
  assert.equal((await stateOf(app, id)).status, "revoked");
});

Deno.test("a list for which there is no space counts, but is not kept", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const list = await buildCrl(ca);
  host.answers.set("/ca.crl", () => answer(list));
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO revocation_lists (source_url, sha256, bytes, fetched_at, refresh_at, next_update, created, last_updated)
        VALUES ('http://full.example/', 'x', ${1024 ** 3}, ${app.clock.now()}, 0, ${
        app.clock.now() + DAY
      }, 0, 0)`,
    )
  );
  const id = await store(
    app,
    (await issue("d.example", `${host.origin}/ca.crl`)).pem,
    ca.pem,
  );
  assert.equal((await checked(app, id)).revocation_status, "good");
  assert.deepEqual(
    await app.database.all(sql`SELECT 1 FROM revocation_list_parts`),
    [],
  );
  app.clock.advance(DAY);
  assert.equal((await checked(app, id)).revocation_status, "good");
});

/** Returns the times at which certificates are due. */
async function dueOf(app: TestApp, ids: readonly number[]): Promise<number[]> {
  const rows = await app.database.all<{ due: number }>(
    sql`SELECT revocation_due AS due FROM certificates
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) ORDER BY id`,
  );
  return rows.map(({ due }) => due);
}

Deno.test("responders that hang get one request each and hold up nobody; their other certificates are not due again at once", async () => {
  await using app = await testApp();
  await using good = startHost("127.0.0.5");
  await empty(app);
  const hanging = Promise.withResolvers<Response>();
  // More than are asked at the same time.
  const hosts = Array.from({ length: 9 }, (_, index) => startHost(`127.0.1.${index + 1}`));
  const ids: number[] = [];
  for (const host of hosts) {
    host.answers.set("/ocsp", () => hanging.promise);
    for (let index = 0; index < 3; index++) {
      const leaf = await ca.issue({
        cn: "h.example",
        extensions: [ext.authorityInfoAccess({ ocsp: [`${host.origin}/ocsp`] })],
      });
      ids.push(await store(app, leaf.pem, ca.pem));
    }
  }
  const list = await buildCrl(ca);
  good.answers.set("/ca.crl", () => answer(list));
  const id = await store(app, (await issue("g.example", `${good.origin}/ca.crl`)).pem, ca.pem);
  const ctx = sending(app);
  const send: typeof ctx.send = (request) => sendGuarded({ ...request, timeoutMs: 300 });
  await checkDue({ ctx: { ...ctx, send } });
  assert.equal((await stateOf(app, id)).revocation_status, "good");
  for (const host of hosts) assert.deepEqual([host.requests.length, host.most()], [1, 1]);
  for (const one of ids) assert.equal((await stateOf(app, one)).revocation_status, "unavailable");
  for (const due of await dueOf(app, ids)) assert(due > app.clock.now());
  hanging.resolve(new Response());
  for (const host of hosts) await host[Symbol.asyncDispose]();
});

Deno.test("a slow host is asked for ten seconds of a run, then others are; the rest follows ten minutes later", async () => {
  await using app = await testApp();
  await using slow = startHost("127.0.0.6");
  await using good = startHost("127.0.0.7");
  await empty(app);
  const list = await buildCrl(ca);
  const ids: number[] = [];
  for (let index = 0; index < 4; index++) {
    slow.answers.set(`/${index}.crl`, () => {
      app.clock.advance(6_000);
      return answer(list);
    });
    ids.push(await store(app, (await issue("s.example", `${slow.origin}/${index}.crl`)).pem, ca.pem));
  }
  good.answers.set("/ca.crl", () => answer(list));
  const id = await store(app, (await issue("g.example", `${good.origin}/ca.crl`)).pem, ca.pem);
  await checkDue({ ctx: sending(app) });
  assert.equal((await stateOf(app, id)).revocation_status, "good");
  assert.equal(slow.requests.length, 2);
  const waiting = (await dueOf(app, ids)).slice(2);
  assert.deepEqual(waiting, [app.clock.now() + 600_000, app.clock.now() + 600_000]);
  app.clock.advance(600_000);
  await checkDue({ ctx: sending(app) });
  for (const one of ids) assert.equal((await stateOf(app, one)).revocation_status, "good");
  assert.equal(slow.requests.length, 4);
});
