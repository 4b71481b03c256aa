/** Second factors on the pages, without scripts: authenticator apps, recovery codes, and the setting that requires one. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { SIGN_IN_FAILURES_PER_ACCOUNT, SIGN_IN_WINDOW_MS } from "../../src/base/limits.ts";
import { RECOVERY_CODES } from "../../src/domain/accounts/second_factors/factors.ts";
import { seedToken } from "../support/accounts.ts";
import { ORIGIN, requestOf, type TestApp } from "../support/app.ts";
import { addUser, auditOf, codeAt, PASSWORD, setUpApp, Visitor, withAnn } from "./second_factor_support.ts";

const SECURITY = "/profile/security/";
const STEP = "/sign-in/second-step/";
/** A page that shows whether a browser is signed in. */
const INSIDE = "/profile/";

/** Returns an application in which Ann has set up an authenticator app one step ago. */
async function annWithApp(): Promise<{ app: TestApp; secret: string; codes: string[]; here: Visitor }> {
  const app = await withAnn();
  const here = new Visitor(app);
  await here.enter("ann");
  const made = await setUpApp(app, here);
  app.clock.advance(30_000);
  return { app, here, ...made };
}

async function isIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get(INSIDE)).status === 200;
}

Deno.test("with an app, the password alone does not sign in; the code does, and leads to the requested page", async () => {
  const { app, secret } = await annWithApp();
  await using _ = app;
  const visitor = new Visitor(app);
  const first = await visitor.post("/sign-in/", { username: "ann", password: PASSWORD, next: "/tags/?q=a" });
  assert.deepEqual([first.status, first.location], [303, `${STEP}?next=%2Ftags%2F%3Fq%3Da`]);
  assert.equal(await isIn(visitor), false);
  assert.match((await visitor.get(first.location)).html, /name="next" value="\/tags\/\?q=a"/);
  const second = await visitor.post(STEP, { code: codeAt(app, secret), next: "/tags/?q=a" });
  assert.deepEqual([second.status, second.location], [303, "/tags/?q=a"]);
  assert.equal(await isIn(visitor), true);
  assert.deepEqual(await auditOf(app), [
    "sign_in: password",
    "second_factor_added: authenticator app",
    "recovery_codes_created",
    "sign_in: password and authenticator app",
  ]);
});

Deno.test("a code works once, also for two browsers at the same time, and not two steps early or late", async () => {
  const { app, secret } = await annWithApp();
  await using _ = app;
  const [one, other] = [new Visitor(app), new Visitor(app)];
  for (const visitor of [one, other]) await visitor.enter("ann");
  for (const steps of [-2, 2]) {
    assert.equal((await one.post(STEP, { code: codeAt(app, secret, steps) })).status, 401, `${steps}`);
  }
  const code = codeAt(app, secret, 1);
  const both = await Promise.all([one, other].map((visitor) => visitor.post(STEP, { code })));
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 401]);
  const third = new Visitor(app);
  await third.enter("ann");
  assert.equal((await third.post(STEP, { code })).status, 401);
  // Nor does the code of an earlier step work.
  assert.equal((await third.post(STEP, { code: codeAt(app, secret) })).status, 401);
  app.clock.advance(60_000);
  assert.equal((await third.post(STEP, { code: codeAt(app, secret, -1) })).status, 401);
  assert.equal((await third.post(STEP, { code: codeAt(app, secret) })).status, 303);
});

Deno.test("a recovery code signs in once, also in upper case and without hyphens; no other user can use it", async () => {
  const { app, codes } = await annWithApp();
  await using _ = app;
  assert.equal(codes.length, RECOVERY_CODES);
  assert.equal(new Set(codes).size, RECOVERY_CODES);
  await addUser(app, "ben");
  const ben = new Visitor(app);
  await ben.enter("ben");
  await setUpApp(app, ben);
  const stranger = new Visitor(app);
  await stranger.enter("ben");
  assert.equal((await stranger.post(STEP, { code: codes[0] as string })).status, 401);
  for (const code of [codes[0] as string, (codes[1] as string).toUpperCase().replaceAll("-", "")]) {
    for (const status of [303, 401]) {
      const visitor = new Visitor(app);
      await visitor.enter("ann");
      assert.equal((await visitor.post(STEP, { code })).status, status);
    }
  }
  const events = await auditOf(app);
  assert.equal(events.filter((one) => one === "recovery_code_used").length, 2);
  assert.equal(events.filter((one) => one === "sign_in: password and recovery code").length, 2);
  assert.equal(events.filter((one) => one === "sign_in_failed: second factor, wrong code").length, 2);
});

Deno.test("new recovery codes replace the old ones, and need the password", async () => {
  const { app, here, codes } = await annWithApp();
  await using _ = app;
  assert.equal((await here.post(`${SECURITY}recovery-codes/`, { current: "wrong" })).status, 400);
  const answer = await here.post(`${SECURITY}recovery-codes/`, { current: PASSWORD });
  const fresh = /aria-label="Recovery codes"[^>]*>([^<]+)</.exec(answer.html)?.[1]?.split("\n") ?? [];
  assert.equal(fresh.length, RECOVERY_CODES);
  const visitor = new Visitor(app);
  await visitor.enter("ann");
  assert.equal((await visitor.post(STEP, { code: codes[0] as string })).status, 401);
  assert.equal((await visitor.post(STEP, { code: fresh[0] as string })).status, 303);
});

Deno.test("after ten wrong codes even the right one is refused, until the window ends", async () => {
  const { app, secret, codes } = await annWithApp();
  await using _ = app;
  const visitor = new Visitor(app);
  await visitor.enter("ann");
  for (let time = 0; time < SIGN_IN_FAILURES_PER_ACCOUNT - 1; time++) {
    assert.equal((await visitor.post(STEP, { code: "000000" })).status, 401);
  }
  assert.equal((await visitor.post(STEP, { code: codeAt(app, secret) })).status, 303);
  await visitor.enter("ann");
  for (let time = 0; time < SIGN_IN_FAILURES_PER_ACCOUNT; time++) {
    assert.equal((await visitor.post(STEP, { code: "000000" })).status, 401);
  }
  app.clock.advance(30_000);
  for (const code of [codeAt(app, secret), codes[0] as string]) {
    const refused = await visitor.post(STEP, { code });
    assert.equal(refused.status, 429);
    assert.match(refused.html, /Too many wrong codes\. Try again in \d+ seconds\./);
  }
  app.clock.advance(SIGN_IN_WINDOW_MS);
  await visitor.enter("ann");
  assert.equal((await visitor.post(STEP, { code: codeAt(app, secret) })).status, 303);
});

Deno.test("the first factor signs out all other browsers; a setup by another user or with a wrong code adds nothing", async () => {
  await using app = await withAnn();
  await addUser(app, "ben");
  const [here, elsewhere, ben] = [new Visitor(app), new Visitor(app), new Visitor(app)];
  await here.enter("ann");
  await elsewhere.enter("ann");
  await ben.enter("ben");
  assert.equal((await here.post(`${SECURITY}app/`, { current: "wrong horse battery" })).status, 400);
  const shown = await here.post(`${SECURITY}app/`, { current: PASSWORD });
  const setup = /name="setup" value="([^"]+)"/.exec(shown.html)?.[1] as string;
  const secret = (/aria-label="Key"[^>]*>([A-Z2-7 ]+)</.exec(shown.html)?.[1] as string).replaceAll(" ", "");
  assert.match(shown.html, /<img class="qr" src="data:image\/svg\+xml/);
  const wrong = await here.post(`${SECURITY}app/`, { setup, code: "12345" });
  assert.equal(wrong.status, 400);
  assert.match(wrong.html, /Wrong code\./);
  assert.match(wrong.html, /name="setup"/);
  const code = codeAt(app, secret);
  await ben.post(`${SECURITY}app/`, { setup, code });
  assert.equal(await isIn(elsewhere), true);
  assert.deepEqual(await auditOf(app, "ben"), ["sign_in: password"]);
  assert.equal((await here.post(`${SECURITY}app/`, { setup, code })).status, 200);
  assert.deepEqual([await isIn(here), await isIn(elsewhere)], [true, false]);
  // The same form again.
  assert.equal((await here.post(`${SECURITY}app/`, { setup, code })).status, 303);
  assert.match((await here.get(SECURITY)).html, /Remove it first/);
  app.clock.advance(600_001);
  await ben.post(`${SECURITY}app/`, { setup, code });
  assert.match((await ben.get(SECURITY)).html, /This setup has expired/);
});

Deno.test("an app is removed with the password, and its codes with it", async () => {
  const { app, here, secret, codes } = await annWithApp();
  await using _ = app;
  assert.equal((await here.post(`${SECURITY}app/remove/`, { current: "wrong" })).status, 400);
  const waiting = new Visitor(app);
  await waiting.enter("ann");
  assert.equal((await here.post(`${SECURITY}app/remove/`, { current: PASSWORD })).status, 303);
  for (const code of [codeAt(app, secret), codes[0] as string]) {
    assert.equal((await waiting.post(STEP, { code })).status, 401);
  }
  const visitor = new Visitor(app);
  await visitor.enter("ann");
  assert.equal(await isIn(visitor), true);
  assert.ok((await auditOf(app)).includes("second_factor_removed: authenticator app"));
});

Deno.test("the second step of a sign-in is refused after ten minutes and after a change of the password", async () => {
  const { app, here, secret } = await annWithApp();
  await using _ = app;
  const [late, changed] = [new Visitor(app), new Visitor(app)];
  await changed.enter("ann");
  const other = "staple battery horse";
  await here.post("/profile/password/", { current: PASSWORD, password: other, again: other });
  assert.equal((await changed.post(STEP, { code: codeAt(app, secret) })).location, "/sign-in/");
  await late.enter("ann", other);
  app.clock.advance(600_000);
  assert.equal((await late.post(STEP, { code: codeAt(app, secret) })).location, "/sign-in/");
  assert.equal((await new Visitor(app).get(STEP)).location, "/sign-in/");
});

for (
  const [rule, seed, led] of [
    ["superusers", { is_superuser: true }, true],
    ["superusers", {}, false],
    ["all", {}, true],
    ["none", { is_superuser: true }, false],
  ] as const
) {
  const who = "is_superuser" in seed ? "a superuser" : "another user";
  Deno.test(`where second factors are required for ${rule}, ${who} ${led ? "must" : "need not"} add one first`, async () => {
    const signIn = { providers: [], local: true, requireSecondFactor: rule };
    await using app = await withAnn({ settings: { signIn } }, seed);
    const visitor = new Visitor(app);
    await visitor.enter("ann");
    for (const path of ["/", "/profile/"]) {
      const { status, location } = await visitor.get(path);
      assert.deepEqual([status, location], led ? [303, SECURITY] : [200, ""], path);
    }
    const created = await visitor.post("/profile/tokens/", {
      description: "x",
      write_enabled: "true",
    });
    assert.equal(created.location, led ? SECURITY : "");
    const graphql = await app.app.fetch(
      new Request(`${ORIGIN}/graphql/?query={__typename}`, {
        headers: { cookie: visitor.cookie, accept: "application/json" },
      }),
    );
    assert.equal(graphql.status, led ? 401 : 200);
    const provision = await app.app.fetch(requestOf("/api/users/tokens/provision/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "ann", password: PASSWORD }),
    }));
    assert.equal(provision.status, led ? 403 : 201);
    assert.equal((await visitor.get(SECURITY)).html.includes("needs a second factor"), led);
    await setUpApp(app, visitor);
    assert.equal((await visitor.get(INSIDE)).status, 200);
    // When it is removed, the user can do nothing else again.
    await visitor.post(`${SECURITY}app/remove/`, { current: PASSWORD });
    assert.equal((await visitor.get(INSIDE)).status, led ? 303 : 200);
  });
}

Deno.test("API tokens need no second factor; for an account with one, a password cannot create a token", async () => {
  const { app } = await annWithApp();
  await using _ = app;
  const [{ id = 0 } = {}] = await app.database.all<{ id: number }>(
    sql`SELECT id FROM users WHERE username = 'ann'`,
  );
  const { key } = await seedToken(app.ctx, { user: id });
  const own = await app.app.fetch(
    requestOf("/api/users/users/", { headers: { authorization: `Token ${key}` } }),
  );
  assert.equal(own.status, 200);
  assert.equal((await own.json()).results[0].has_second_factor, true);
  const provision = await app.app.fetch(requestOf("/api/users/tokens/provision/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "ann", password: PASSWORD }),
  }));
  assert.equal(provision.status, 403);
  assert.match((await provision.json()).detail, /needs a second factor/);
});

Deno.test("a user without a password has no second factor here", async () => {
  await using app = await withAnn();
  const visitor = new Visitor(app);
  await visitor.enter("ann");
  await app.database.write((tx) => tx.run(sql`UPDATE users SET password_hash = NULL WHERE username = 'ann'`));
  assert.match((await visitor.get(SECURITY)).html, /You do not sign in with a password here/);
  const refused = await visitor.post(`${SECURITY}app/`, { current: "" });
  assert.equal(refused.status, 400);
  assert.match(refused.html, /managed elsewhere/);
});

Deno.test("a superuser resets the factors of another user, which signs that user out, but not their own", async () => {
  const { app, here } = await annWithApp();
  await using _ = app;
  const chief = await addUser(app, "chief", { is_superuser: true });
  const [{ id = 0 } = {}] = await app.database.all<{ id: number }>(
    sql`SELECT id FROM users WHERE username = 'ann'`,
  );
  const admin = new Visitor(app);
  await admin.enter("chief");
  await setUpApp(app, admin);
  assert.match((await admin.get(`/users/${id}/`)).html, /Reset second factor/);
  assert.doesNotMatch((await admin.get(`/users/${chief}/`)).html, /Reset second factor/);
  await admin.post(`/users/${chief}/reset-second-factor/`, {});
  assert.equal(
    (await auditOf(app, "chief")).filter((one) => one.startsWith("second_factor_reset")).length,
    0,
  );
  await admin.post(`/users/${id}/reset-second-factor/`, {});
  assert.equal(await isIn(here), false);
  assert.deepEqual((await auditOf(app)).slice(-1), ["second_factor_reset: by chief"]);
  const visitor = new Visitor(app);
  await visitor.enter("ann");
  assert.equal(await isIn(visitor), true);
  const [event] = await app.database.all(
    sql`SELECT address, user_agent FROM audit_events WHERE event = 'second_factor_reset'`,
  );
  assert.deepEqual({ ...event as object }, { address: "192.0.2.1", user_agent: "Test/1" });
});
