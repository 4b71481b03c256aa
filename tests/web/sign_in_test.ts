/** Signing in and out on the pages. */

import assert from "node:assert/strict";
import { sessionCookieName } from "../../src/auth/mod.ts";
import { beginAttempt } from "../../src/auth/sign_in.ts";
import { SIGN_IN_FAILURES_PER_ACCOUNT, SIGN_IN_WINDOW_MS } from "../../src/base/limits.ts";
import { seedUser } from "../support/accounts.ts";
import { ORIGIN, type TestApp, testApp } from "../support/app.ts";
import { quickHash } from "../support/quick_hash.ts";
import { textOf } from "./imports/browser.ts";

const PASSWORD = "correct horse battery";
const OTHER = "staple battery horse";

/** Returns an application with the user `ann`, who has a password. */
async function withAnn(): Promise<TestApp> {
  const app = await testApp();
  await seedUser(app.ctx, "ann", { password_hash: quickHash(PASSWORD) });
  return app;
}

type Given = Readonly<Record<string, string>>;

async function send(
  { app }: TestApp,
  path: string,
  { fields, cookie = "", from = "192.0.2.1", headers = {}, origin = ORIGIN }: {
    fields?: Given;
    cookie?: string;
    from?: string;
    headers?: Given;
    origin?: string;
  } = {},
): Promise<{ status: number; html: string; location: string | null; cookies: string[]; headers: Headers }> {
  const response = await app.fetch(
    new Request(new URL(path, origin), {
      ...(fields === undefined ? {} : { method: "POST", body: new URLSearchParams(fields) }),
      headers: { cookie, ...headers },
    }),
    { remoteAddr: { hostname: from } },
  );
  return {
    status: response.status,
    html: await response.text(),
    location: response.headers.get("location"),
    cookies: response.headers.getSetCookie(),
    headers: response.headers,
  };
}

/** Signs in and returns the cookie of the session. */
async function signIn(app: TestApp, password = PASSWORD): Promise<string> {
  const { status, cookies } = await send(app, "/sign-in/", { fields: { username: "ann", password } });
  assert.equal(status, 303);
  return cookies.find((one) => one.startsWith(sessionCookieName(ORIGIN)))?.split(";")[0] as string;
}

/** Returns the token of the forms of a session. */
async function csrfOf(app: TestApp, cookie: string): Promise<string> {
  const { html } = await send(app, "/profile/", { cookie });
  return /name="csrf" value="([^"]*)"/.exec(html)?.[1] as string;
}

Deno.test("A user signs in with name and password, and gets a cookie that scripts and other sites cannot use", async () => {
  await using app = await withAnn();
  const fields = { username: "ann", password: PASSWORD, next: "/tags/?q=a" };
  const { status, location, cookies, html } = await send(app, "/sign-in/", { fields });
  assert.deepEqual([status, location, html], [303, "/tags/?q=a", ""]);
  assert.equal(cookies.length, 1);
  assert.match(cookies[0] as string, /; HttpOnly/);
  assert.match(cookies[0] as string, /; Secure/);
  assert.match(cookies[0] as string, /; SameSite=Lax/);
  assert.match(cookies[0] as string, /; Path=\//);
  const cookie = (cookies[0] as string).split(";")[0] as string;
  assert.match((await send(app, "/profile/", { cookie })).html, /<strong>ann<\/strong>/);
});

const WRONG: [what: string, username: string, password: string][] = [
  ["a wrong password", "ann", OTHER],
  ["an unknown name", "nobody", PASSWORD],
  ["a user without a password", "alice", ""],
  ["empty fields", "", ""],
  ["SQL as the name", "ann' OR '1'='1", PASSWORD],
];
for (const [what, username, password] of WRONG) {
  Deno.test(`With ${what} sign-in fails, and the response does not say which of the two is wrong`, async () => {
    await using app = await withAnn();
    const { status, html, cookies } = await send(app, "/sign-in/", { fields: { username, password } });
    assert.equal(status, 401);
    assert.deepEqual(cookies, []);
    assert.match(textOf(html), /Incorrect username or password\./);
    assert.doesNotMatch(html, new RegExp(`value="${PASSWORD}"|value="${OTHER}"`));
  });
}

Deno.test("After too many wrong passwords an account is blocked for that address for a while, and not for others", async () => {
  await using app = await withAnn();
  for (let time = 0; time < SIGN_IN_FAILURES_PER_ACCOUNT; time++) {
    beginAttempt({ database: app.database, now: app.clock.now() }, {
      username: "ann",
      address: "192.0.2.1",
    });
  }
  const fields = { username: "ann", password: PASSWORD };
  const { status, headers, html, cookies } = await send(app, "/sign-in/", { fields });
  assert.deepEqual([status, cookies], [429, []]);
  assert(Number(headers.get("retry-after")) > 0);
  assert.match(textOf(html), /Request was throttled\./);
  assert.equal((await send(app, "/sign-in/", { fields, from: "192.0.2.2" })).status, 303);
  app.clock.advance(SIGN_IN_WINDOW_MS);
  assert.equal((await send(app, "/sign-in/", { fields })).status, 303);
});

const ELSEWHERE = [
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example/",
  "\\\\evil.example",
  "/%09/evil.example\t",
  "javascript:alert(1)",
  " //evil.example",
  "/\n/evil.example",
  "evil.example",
];
Deno.test("Signing in never redirects to another site", async () => {
  await using app = await withAnn();
  for (const next of ELSEWHERE) {
    const { html } = await send(app, `/sign-in/?next=${encodeURIComponent(next)}`);
    assert.match(html, /name="next" value="\/"/, next);
  }
  for (const next of ELSEWHERE.slice(0, 3)) {
    const { location } = await send(app, "/sign-in/", {
      fields: { username: "ann", password: PASSWORD, next },
    });
    assert.equal(location, "/", next);
  }
});

Deno.test("A form of another site cannot sign anyone in", async () => {
  await using app = await withAnn();
  const fields = { username: "ann", password: PASSWORD };
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
    const { status, cookies } = await send(app, "/sign-in/", { fields, headers });
    assert.deepEqual([status, cookies], [403, []]);
  }
});

Deno.test("Signing out ends the session, also in the database", async () => {
  await using app = await withAnn();
  const cookie = await signIn(app);
  const csrf = await csrfOf(app, cookie);
  const { status, location, cookies } = await send(app, "/sign-out/", { cookie, fields: { csrf } });
  assert.deepEqual([status, location], [303, "/sign-in/"]);
  assert.match(cookies.join(), new RegExp(`${sessionCookieName(ORIGIN)}=;.*Max-Age=0`));
  assert.equal((await send(app, "/profile/", { cookie })).status, 303);
});

Deno.test("A new password ends all other sessions and replaces the old one at sign-in", async () => {
  await using app = await withAnn();
  const [here, elsewhere] = [await signIn(app), await signIn(app)];
  const csrf = await csrfOf(app, here);
  const change = (fields: Given): ReturnType<typeof send> =>
    send(app, "/profile/password/", { cookie: here, fields: { csrf, ...fields } });
  const wrong = await change({ current: OTHER, password: OTHER, again: OTHER });
  assert.equal(wrong.status, 400);
  assert.match(wrong.html, /id="f-current-error"/);
  const unlike = await change({ current: PASSWORD, password: OTHER, again: PASSWORD });
  assert.equal(unlike.status, 400);
  assert.match(unlike.html, /id="f-again-error"/);
  assert.equal((await send(app, "/profile/", { cookie: elsewhere })).status, 200);
  assert.equal((await change({ current: PASSWORD, password: OTHER, again: OTHER })).status, 303);
  assert.equal((await send(app, "/profile/", { cookie: here })).status, 200);
  assert.equal((await send(app, "/profile/", { cookie: elsewhere })).status, 303);
  assert.equal(
    (await send(app, "/sign-in/", { fields: { username: "ann", password: PASSWORD } })).status,
    401,
  );
  await signIn(app, OTHER);
});

Deno.test("Users can end one or all of their other sessions, and no sessions of other users", async () => {
  await using app = await withAnn();
  const [here, other, third] = [await signIn(app), await signIn(app), await signIn(app)];
  const csrf = await csrfOf(app, here);
  const ends = [...(await send(app, "/profile/", { cookie: here })).html.matchAll(/sessions\/(\d+)\/end\//g)];
  assert.equal(ends.length, 2);
  const path = `/profile/sessions/${ends[0]?.[1]}/end/`;
  assert.equal((await send(app, path, { cookie: here, fields: { csrf } })).status, 303);
  const alive = await Promise.all(
    [other, third].map(async (cookie) => (await send(app, "/profile/", { cookie })).status),
  );
  assert.deepEqual(alive.sort(), [200, 303]);
  await send(app, "/profile/sessions/end-others/", { cookie: here, fields: { csrf } });
  for (const cookie of [other, third]) assert.equal((await send(app, "/profile/", { cookie })).status, 303);
  const absent = await send(app, "/profile/sessions/9999/end/", { cookie: here, fields: { csrf } });
  assert.equal(absent.status, 404);
});

Deno.test("Over https the session's cookie is bound to this host, and cookies with other names are ignored", async () => {
  await using app = await withAnn();
  const fields = { username: "ann", password: PASSWORD };
  const { cookies } = await send(app, "/sign-in/", { fields });
  const set = cookies.find((one) => one.includes("certmgr_session")) as string;
  const [pair, ...attributes] = set.split("; ") as [string, ...string[]];
  assert.match(pair, /^__Host-certmgr_session=.{40}/);
  assert(
    attributes.includes("Secure") && attributes.includes("HttpOnly") && attributes.includes("Path=/"),
    set,
  );
  assert(!/domain/i.test(set), set);
  assert.equal((await send(app, "/profile/", { cookie: pair })).status, 200);
  for (const name of ["certmgr_session", "__Secure-certmgr_session", "__host-certmgr_session"]) {
    const cookie = pair.replace("__Host-certmgr_session", name);
    assert.equal((await send(app, "/profile/", { cookie })).status, 303, name);
  }
  assert.equal((await send(app, "/profile/", { cookie: `certmgr_session=x; ${pair}` })).status, 200);
});

Deno.test("Over plain http the session's cookie has no prefix, which browsers would refuse", async () => {
  await using app = await withAnn();
  const origin = "http://127.0.0.1:8000";
  const fields = { username: "ann", password: PASSWORD };
  const { status, cookies } = await send(app, "/sign-in/", { fields, origin });
  assert.equal(status, 303);
  const set = cookies.find((one) => one.includes("certmgr_session")) as string;
  assert.match(set, /^certmgr_session=/);
  assert.doesNotMatch(set, /Secure/);
  const cookie = set.split(";")[0] as string;
  assert.equal((await send(app, "/profile/", { cookie, origin })).status, 200);
  assert.equal((await send(app, "/profile/", { cookie: `__Host-${cookie}`, origin })).status, 303);
  assert.equal((await send(app, "/profile/", { cookie })).status, 303, "the same cookie over https");
});
