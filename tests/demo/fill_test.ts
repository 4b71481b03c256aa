/** The demo inventory in a database, with only every tenth name, because the whole takes most of a minute. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { fillDemo, isFresh } from "../../demo/fill.ts";
import { DAY_MS } from "../../src/base/clock.ts";
import { actorOf, verifyPassword } from "../../src/auth/mod.ts";
import { firstAdmin } from "../../src/domain/accounts/tokens/first_admin.ts";
import { certificates } from "../../src/domain/certificates/mod.ts";
import { ENDPOINT_STATES } from "../../src/domain/endpoints/mod.ts";
import { countObjects } from "../../src/resource/mod.ts";
import { EVERYTHING } from "../../src/filters/mod.ts";
import { NOW, testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";

const OPTIONS = { now: NOW, seed: "certmgr", password: "twelve or more", every: 10 };

Deno.test("the demo has a history, its users see what they may view, and it is not created twice", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const days: number[] = [];
  assert.equal(await isFresh(ctx), true);
  const made = await fillDemo(ctx, { ...OPTIONS, progress: (done) => days.push(done) });

  assert.equal(await isFresh(ctx), false);
  assert.match(made.token ?? "", /^[A-Za-z0-9]{40}$/);
  assert.deepEqual(days, Array.from({ length: 91 }, (_, index) => index + 1));

  const [found] = await database.all<Record<string, number>>(
    sql`SELECT count(*) AS certificates, sum(status = 'replaced') AS replaced, sum(status = 'revoked') AS revoked,
        sum(status = 'pending') AS pending, sum(chain_status = 'valid') AS valid,
        sum(chain_status IN ('no_chain', 'incomplete', 'self_signed', 'invalid_signature')) AS broken,
        max(created) AS newest,
        (SELECT count(*) FROM compliance_scores) AS scores, (SELECT min(time) FROM object_changes) AS first,
        (SELECT max(time) FROM object_changes) AS last,
        (SELECT count(*) FROM certificate_signing_requests WHERE status = 'issued') AS issued
      FROM certificates`,
  );
  assert.equal(found?.certificates, made.certificates);
  for (const name of ["replaced", "revoked", "pending", "valid", "broken", "issued"]) {
    assert.ok(Number(found?.[name]) > 0, `None is ${name}: ${JSON.stringify(found)}`);
  }
  assert.equal(found?.scores, 90); // the first night comes before the first import
  assert.ok(
    Number(found?.first) < NOW - 89 * DAY_MS && Number(found?.last) <= NOW && Number(found?.newest) <= NOW,
  );

  const mixed = await database.all(
    sql`SELECT request_id FROM object_changes GROUP BY request_id
      HAVING count(DISTINCT time) > 1 OR count(DISTINCT username) > 1`,
  );
  assert.deepEqual(mixed, [], "a request has one user and one time");

  const states = await database.all<{ state: string }>(sql`SELECT DISTINCT state FROM endpoints`);
  assert.deepEqual(
    // An authority says which certificates are revoked.
    ENDPOINT_STATES.filter((state) => state !== "revoked" && !states.some((one) => one.state === state)),
    [],
    "endpoints are in every state",
  );
  const [scanned] = await database.all<Record<string, number>>(
    sql`SELECT (SELECT count(*) FROM endpoints WHERE addresses_differ = 1) AS differing,
        (SELECT count(*) FROM endpoints WHERE source = 'scan') AS found,
        (SELECT count(*) FROM scan_jobs WHERE last_result IS NOT NULL) AS jobs`,
  );
  assert.deepEqual(scanned, { differing: 1, found: 2, jobs: 1 });

  const counts: Record<string, number> = {};
  for (
    const { id, username } of await database.all<{ id: number; username: string }>(
      sql`SELECT id, username FROM users`,
    )
  ) {
    const actor = await actorOf(ctx, id);
    assert.ok(actor !== undefined);
    counts[username] = await countObjects({
      ctx: { ...ctx, actor },
      resource: certificates,
      filter: EVERYTHING,
    });
  }
  assert.deepEqual(Object.keys(counts).sort(), ["admin", "auditor", "harbor", "ines", "marek", "renewals"]);
  assert.equal(counts.auditor, made.certificates);
  assert.ok((counts.harbor as number) > 0 && (counts.harbor as number) < made.certificates / 2);
});

Deno.test("after a first start, the demo's password is the administrator's as well", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await firstAdmin({ ctx, password: "that of the first start" });
  assert.equal(await isFresh(ctx), true);
  const { token } = await fillDemo(ctx, { ...OPTIONS, every: 100 });
  assert.equal(token, undefined);
  const users = await database.all<{ username: string; password_hash: string }>(
    sql`SELECT username, password_hash FROM users WHERE username IN ('admin', 'ines') ORDER BY username`,
  );
  assert.deepEqual(users.map(({ username }) => username), ["admin", "ines"]);
  for (const { username, password_hash } of users) {
    assert.ok(await verifyPassword(OPTIONS.password, password_hash), username);
  }
});

Deno.test("a database whose only user is not the first start's administrator is not fresh", async () => {
  for (const change of [sql`username = 'petra'`, sql`is_superuser = 0`]) {
    await using database = await testDatabase();
    const ctx = testContext({ database });
    await firstAdmin({ ctx });
    await database.write((tx) => tx.run(sql`UPDATE users SET ${change}`));
    assert.equal(await isFresh(ctx), false);
  }
});
