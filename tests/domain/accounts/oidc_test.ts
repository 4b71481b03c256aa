/** Sign-in at a real OpenID Connect provider, and sign-ins that must be refused. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testContext } from "../../support/context.ts";
import { requestOf, type TestApp, testApp } from "../../support/app.ts";
import { cookieOf, get, signIn, withProvider } from "./oidc_app.ts";
import { rewritten, signInAtProvider } from "./oidc_server.ts";

async function userRow(
  { database }: TestApp,
  username: string,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.all(
    sql`SELECT is_active, is_superuser, email, (SELECT group_concat(g.name) FROM user_groups JOIN groups AS g
        ON g.id = group_id WHERE user_id = users.id) AS groups FROM users WHERE username = ${username}`,
  );
  return row;
}

async function audit({ database }: TestApp): Promise<string[]> {
  const rows = await database.all<{ event: string }>(
    sql`SELECT event FROM audit_events WHERE id > 2 ORDER BY id`,
  );
  return rows.map(({ event }) => event);
}

Deno.test("the first sign-in creates the user with the mapped group, and starts a session", async () => {
  await withProvider(async (app) => {
    const answer = await signIn(app, "17");
    assert.equal(answer.status, 303, await answer.clone().text());
    assert.equal(answer.headers.get("location"), "/certificates/");
    const session = cookieOf(answer, /certmgr_session=/);
    assert.equal((await get(app, "/profile/", session)).status, 200);
    assert.deepEqual(await userRow(app, "dora"), {
      is_active: 1,
      is_superuser: 0,
      email: "dora@acme.example",
      groups: "Operators",
    });
    assert.deepEqual(await audit(app), ["user_provisioned", "sign_in"]);
  });
});

Deno.test("groups, superuser and access follow the provider's groups at each sign-in", async () => {
  await withProvider(async (app, provider) => {
    const user = { name: "dora", groups: ["it-security", "admins"] as readonly string[] };
    provider.users.set("17", user);
    assert.equal((await signIn(app, "17")).status, 303);
    assert.deepEqual([(await userRow(app, "dora"))?.is_superuser, (await userRow(app, "dora"))?.groups], [
      1,
      "Operators",
    ]);
    user.groups = ["it-security"];
    const second = await signIn(app, "17");
    assert.equal(second.status, 303);
    assert.equal((await userRow(app, "dora"))?.is_superuser, 0);
    user.groups = ["others"];
    const refused = await signIn(app, "17");
    assert.equal(refused.status, 401);
    assert.match(await refused.text(), /not in any of the groups/);
    assert.deepEqual([(await userRow(app, "dora"))?.is_active, (await userRow(app, "dora"))?.groups], [
      0,
      null,
    ]);
    const session = cookieOf(second, /certmgr_session=/);
    assert.equal((await get(app, "/profile/", session)).status, 303);
    user.groups = ["it-security"];
    assert.equal((await signIn(app, "17")).status, 303);
    assert.equal((await userRow(app, "dora"))?.is_active, 1);
  });
});

Deno.test("a name chosen at the provider does not become a user who exists here", async () => {
  await withProvider(async (app, provider) => {
    provider.users.set("18", { name: "alice", groups: ["it-security"] });
    const answer = await signIn(app, "18");
    assert.equal(answer.status, 401);
    assert.match(await answer.text(), /belongs to a user/);
  });
});

Deno.test("if users are not created, only known ones sign in", async () => {
  await withProvider(async (app, provider) => {
    assert.equal((await signIn(app, "17")).status, 401);
    assert.equal(await userRow(app, "dora"), undefined);
    provider.users.set("18", { name: "alice", groups: ["it-security"] });
    assert.equal((await signIn(app, "18")).status, 303);
  }, { createUsers: false });
});

for (const [verified, status] of [[true, 303], [false, 401]] as const) {
  Deno.test(`a sign-in with the ${verified ? "verified" : "unverified"} e-mail address of a known user answers ${status}`, async () => {
    await withProvider(async (app, provider) => {
      await app.database.write((tx) =>
        tx.run(sql`UPDATE users SET username = 'alice@acme.example' WHERE username = 'alice'`)
      );
      const claims = {
        preferred_username: "not a username",
        email: "alice@acme.example",
        email_verified: verified,
      };
      provider.users.set("18", { name: "alice", groups: ["it-security"], claims });
      assert.equal((await signIn(app, "18")).status, status);
    }, { createUsers: false });
  });
}

for (
  const [title, falsify] of [
    ["another issuer", (token) => rewritten(token, { claims: { iss: "https://evil.example" } })],
    ["another audience", (token) => rewritten(token, { claims: { aud: "other" } })],
    ["another nonce", (token) => rewritten(token, { claims: { nonce: "other" } })],
    ["another subject and the old signature", (token) => rewritten(token, { claims: { sub: "1" } })],
    ["the algorithm none", (token) => rewritten(token, { header: { alg: "none" }, signature: "" })],
    ["a signature of zeros", (token) => rewritten(token, { signature: "A".repeat(342) })],
    ["an expiry in the past", (token) => rewritten(token, { claims: { exp: 1_000_000_000 } })],
  ] as const satisfies readonly (readonly [string, (token: string) => string])[]
) {
  Deno.test(`an ID token with ${title} is refused`, async () => {
    await withProvider(async (app, provider) => {
      provider.falsify = falsify;
      const answer = await signIn(app, "17");
      assert.equal(answer.status, 401);
      assert.equal(cookieOf(answer, /certmgr_session=/), "");
      assert.equal(await userRow(app, "dora"), undefined);
      assert.deepEqual(await audit(app), ["sign_in_failed"]);
    });
  });
}

Deno.test("the first sign-in after a rotation of keys succeeds, and the one after it", async () => {
  await withProvider(async (app, provider) => {
    for (let time = 0; time < 3; time++) {
      assert.equal((await signIn(app, "17")).status, 303, `rotation ${time}`);
      await provider.rotate();
    }
  });
});

Deno.test("an ID token signed by a key that the provider no longer has is refused", async () => {
  await withProvider(async (app, provider) => {
    let old = "";
    provider.falsify = (token) => old = token;
    await signIn(app, "17");
    await provider.rotate();
    provider.falsify = (token) => {
      const nonce =
        JSON.parse(atob((token.split(".")[1] as string).replaceAll("-", "+").replaceAll("_", "/"))).nonce;
      return rewritten(old, { claims: { nonce } });
    };
    assert.equal((await signIn(app, "17")).status, 401);
  });
});

for (const [seconds, status] of [[-10, 303], [-60, 401]] as const) {
  Deno.test(`an ID token that expired ${-seconds} seconds ago answers ${status}: clocks may differ by 30`, async () => {
    await withProvider(async (app, provider) => {
      provider.falsify = (token) =>
        provider.signed(token, { claims: { exp: Math.floor(Date.now() / 1000) + seconds } });
      assert.equal((await signIn(app, "17")).status, status);
    });
  });
}

Deno.test("another state, another browser and a changed flow are refused", async () => {
  await withProvider(async (app) => {
    const wrongState = await signIn(app, "17", (url, flow) => {
      url.searchParams.set("state", "other");
      return { url, flow };
    });
    assert.equal(wrongState.status, 401);
    assert.equal((await signIn(app, "17", (url) => ({ url, flow: "" }))).status, 401);
    assert.equal(
      (await signIn(app, "17", (url, flow) => ({ url, flow: `${flow.slice(0, -9)}${flow.slice(-8)}` })))
        .status,
      401,
    );
    assert.equal(await userRow(app, "dora"), undefined);
  });
});

Deno.test("a sign-in is completed once: a second response of the provider is refused", async () => {
  await withProvider(async (app) => {
    const begun = await get(app, "/sign-in/begin/oidc/");
    const address = begun.headers.get("location") as string;
    const flow = cookieOf(begun, /certmgr_sign_in=/);
    // The provider returns a different code each time, for the same state and nonce.
    const answers = [await signInAtProvider(address, "17"), await signInAtProvider(address, "17")];
    const statuses: number[] = [];
    for (const answer of answers) {
      const { pathname, search } = new URL(answer);
      statuses.push((await get(app, pathname + search, flow)).status);
    }
    assert.deepEqual(statuses, [303, 401]);
  });
});

Deno.test("names that are not texts are left out, and long ones are cut between characters", async () => {
  await withProvider(async (app, provider) => {
    const claims = { given_name: `a${"\u{1F600}".repeat(100)}`, family_name: { first: "Dora" } };
    provider.users.set("17", { name: "dora", groups: ["it-security"], claims });
    // The library sends only the claims of the scope, so this one is added to the signed token.
    provider.falsify = (token) => provider.signed(token, { claims });
    assert.equal((await signIn(app, "17")).status, 303);
    const [row] = await app.database.all<{ first_name: string; last_name: string }>(
      sql`SELECT first_name, last_name FROM users WHERE username = 'dora'`,
    );
    assert.deepEqual(row, { first_name: `a${"\u{1F600}".repeat(74)}`, last_name: "" });
  });
});

Deno.test("an unavailable provider is reported on a page, and local sign-in still works", async () => {
  await withProvider(async (app, provider) => {
    provider.down = true;
    const answer = await get(app, "/sign-in/begin/oidc/");
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /cannot be reached/);
    assert.match(await (await get(app, "/sign-in/")).text(), /name="password"/);
  });
});

Deno.test("if passwords are not accepted, the page has no form and no password signs in", async () => {
  await using app = await testApp({
    settings: { signIn: { ...testContext({ database: undefined as never }).settings.signIn, local: false } },
  });
  assert.doesNotMatch(await (await get(app, "/sign-in/")).text(), /name="password"/);
  const form = new FormData();
  form.set("username", "alice");
  form.set("password", "correct horse battery");
  const answer = await app.app.fetch(requestOf("/sign-in/", { method: "POST", body: form }), {
    remoteAddr: { hostname: "192.0.2.1" },
  });
  assert.equal(answer.status, 403);
});

for (
  const [title, from, header, status] of [
    ["from a trusted proxy starts a session", "10.0.0.1", "alice", 303],
    ["from another address is ignored", "192.0.2.9", "alice", 303],
    ["of an unknown user is refused", "10.0.0.1", "nobody-here", 403],
  ] as const
) {
  Deno.test(`a user header ${title}`, async () => {
    await using app = await testApp({
      trustedProxies: ["10.0.0.1"],
      settings: { signIn: { providers: [], local: true, trustedUserHeader: "x-remote-user" } },
    });
    const answer = await app.app.fetch(requestOf("/profile/", { headers: { "x-remote-user": header } }), {
      remoteAddr: { hostname: from },
    });
    assert.equal(answer.status, status);
    const started = cookieOf(answer, /certmgr_session=/) !== "";
    assert.equal(started, from === "10.0.0.1" && status === 303);
  });
}
