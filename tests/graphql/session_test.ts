/** A signed-in browser uses GraphQL with its session. */

import assert from "node:assert/strict";
import { sessionCookieName } from "../../src/auth/mod.ts";
import { sha256Hex } from "../../src/base/bytes.ts";
import { insertRows } from "../../src/db/mod.ts";
import { sessions } from "../../src/db/schema/mod.ts";
import { readerOf } from "../support/actors.ts";
import { ORIGIN, type TestApp, testApp } from "../support/app.ts";
import { sql } from "drizzle-orm";

const HOUR = 3_600_000;
const NAME = sessionCookieName(ORIGIN);
const SECRET = "s".repeat(40);

/** Starts a session of the user that `readerOf("acme")` has created; returns the headers to use it. */
async function signedIn(app: TestApp): Promise<(headers: Record<string, string>) => Promise<Response>> {
  await app.as(readerOf("acme"));
  const [user] = await app.database.all<{ id: number }>(sql`SELECT max(id) AS id FROM users`);
  const now = app.clock.now();
  await app.database.write((tx) =>
    tx.run(insertRows(sessions, [{
      user_id: user?.id ?? 0,
      secret_hash: sha256Hex(SECRET),
      csrf: "c",
      created: now,
      expires: now + HOUR,
      last_seen: now,
    }]))
  );
  const nobody = await app.as("nobody");
  return (headers) =>
    nobody("/graphql/", {
      method: "POST",
      headers,
      body: { query: "{ certificate_list { tenant { slug } } }" },
    });
}

Deno.test("in GraphQL a web session sees what its user may view, until it ends", async () => {
  await using app = await testApp();
  const ask = await signedIn(app);
  const cookie = `theme=dark; ${NAME}=${SECRET}`;
  const answer = await ask({ cookie });
  assert.equal(answer.status, 200);
  const { data } = await answer.json();
  assert.ok(data.certificate_list.length > 0);
  for (const { tenant } of data.certificate_list) assert.ok(tenant === null || tenant.slug === "acme");
  app.clock.advance(HOUR);
  assert.equal((await ask({ cookie })).status, 401);
});

Deno.test("an invalid session is ignored, and a token takes precedence over a session", async () => {
  await using app = await testApp();
  const ask = await signedIn(app);
  assert.equal((await ask({ cookie: `${NAME}=wrong` })).status, 401);
  assert.equal(
    (await ask({ cookie: `${NAME}=${SECRET}`, authorization: "Token wrong" })).status,
    401,
  );
});

Deno.test("over https a session's cookie without its prefix is ignored", async () => {
  await using app = await testApp();
  const ask = await signedIn(app);
  assert.equal((await ask({ cookie: `certmgr_session=${SECRET}` })).status, 401);
});

Deno.test("REST does not accept the cookie of a session", async () => {
  await using app = await testApp();
  await signedIn(app);
  const nobody = await app.as("nobody");
  const headers = { cookie: `${NAME}=${SECRET}` };
  assert.equal((await nobody("/api/tenancy/tenants/", { headers })).status, 401);
});
