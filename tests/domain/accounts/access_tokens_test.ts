/** Access tokens of a real OpenID Connect provider in API requests, and tokens that must be refused. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { requestOf, type TestApp } from "../../support/app.ts";
import { CALLBACK, signIn, withProvider } from "./oidc_app.ts";
import { accessTokenOf, API, CLIENT_ID, rewritten, type TestProvider } from "./oidc_server.ts";

/** Requests the caller's account and returns status and body. */
// deno-lint-ignore no-explicit-any -- what a test looks at is what it says
async function whoAmI({ app }: TestApp, token: string): Promise<{ status: number; body: any }> {
  const response = await app.fetch(
    requestOf("/api/users/users/?username=dora", { headers: { authorization: `Bearer ${token}` } }),
    { remoteAddr: { hostname: "192.0.2.1" } },
  );
  return { status: response.status, body: await response.json() };
}

/** Runs a test in which the user Dora has signed in on the pages and a program has an access token of hers. */
async function withToken(
  test: (given: { app: TestApp; provider: TestProvider; token: string }) => Promise<void>,
): Promise<void> {
  await withProvider(async (app, provider) => {
    await signIn(app, "17");
    await test({ app, provider, token: await accessTokenOf(provider, "17", CALLBACK) });
  }, { apiAudience: API });
}

Deno.test("an access token identifies the same user as on the pages, in REST and GraphQL, without another request to the provider", async () => {
  await withToken(async ({ app, provider, token }) => {
    const { status, body } = await whoAmI(app, token);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.count, body.results[0].username], [1, "dora"]);
    const graphql = await app.app.fetch(requestOf("/graphql/", {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: { query: "{ __typename }" },
    }));
    assert.equal(graphql.status, 200);
    const asked = provider.asked.length;
    provider.down = true;
    for (let time = 0; time < 5; time++) assert.equal((await whoAmI(app, token)).status, 200);
    assert.equal(provider.asked.length, asked);
  });
});

Deno.test("a user who has not signed in on the pages has no account at the API", async () => {
  await withProvider(async (app, provider) => {
    const { status, body } = await whoAmI(app, await accessTokenOf(provider, "17", CALLBACK));
    assert.equal(status, 401);
    assert.match(body.detail, /No user has signed in here/);
  }, { apiAudience: API });
});

Deno.test("without an audience in the settings no access token is accepted", async () => {
  await withProvider(async (app, provider) => {
    await signIn(app, "17");
    assert.equal((await whoAmI(app, await accessTokenOf(provider, "17", CALLBACK))).status, 401);
  });
});

interface Change {
  readonly header?: object;
  readonly claims?: object;
}

const NOW = (): number => Math.floor(Date.now() / 1000);
for (
  const [title, change, status] of [
    ["nothing changed", {}, 200],
    ["the type JWT, as older providers have", { header: { typ: "JWT" } }, 200],
    ["several audiences", { claims: { aud: ["other", API] } }, 200],
    ["another issuer", { claims: { iss: "https://evil.example" } }, 401],
    ["another audience", { claims: { aud: "other" } }, 401],
    ["the client as audience, as ID tokens have", { claims: { aud: CLIENT_ID } }, 401],
    ["a nonce, as ID tokens have", { claims: { nonce: "x" } }, 401],
    ["the type of a logout token", { header: { typ: "logout+jwt" } }, 401],
    ["the kind ID of Keycloak", { claims: { typ: "ID" } }, 401],
    ["no subject", { claims: { sub: undefined } }, 401],
    ["a subject that is a number", { claims: { sub: 17 } }, 401],
    ["a subject that is a list", { claims: { sub: ["17"] } }, 401],
    ["an expiry that is a text", { claims: { exp: "2000000000" } }, 401],
    ["groups that are an object", { claims: { groups: { "it-security": true } } }, 401],
    ["groups that are null, as if they were missing", { claims: { groups: null } }, 200],
    ["a kind that is no text", { claims: { typ: ["Bearer"] } }, 401],
    ["no expiry", { claims: { exp: undefined } }, 401],
    ["an expiry 10 seconds ago", () => ({ claims: { exp: NOW() - 10 } }), 200],
    ["an expiry 100 seconds ago", () => ({ claims: { exp: NOW() - 100 } }), 401],
    ["a start in 100 seconds", () => ({ claims: { nbf: NOW() + 100 } }), 401],
    ["none of the groups", { claims: { groups: ["others"] } }, 401],
    ["one of the groups", { claims: { groups: ["it-security"] } }, 200],
    ["an unknown critical header", { header: { crit: ["x"], x: 1 } }, 401],
  ] as readonly (readonly [string, Change | (() => Change), number])[]
) {
  Deno.test(`a request with a genuine access token, ${title}, answers ${status}`, async () => {
    await withToken(async ({ app, provider, token }) => {
      // The clock of the service has advanced while the provider answered.
      app.clock.advance(Date.now() - app.clock.now());
      // The time is read here, because on a busy machine the earlier tests take longer than the tolerance.
      const changed = await provider.signed(token, typeof change === "function" ? change() : change);
      assert.equal((await whoAmI(app, changed)).status, status);
    });
  });
}

Deno.test("a changed token, the algorithms none and HS256, and texts that are not tokens are refused", async () => {
  await withToken(async ({ app, provider, token }) => {
    const keys = await (await fetch(`${provider.issuer}/jwks`)).text();
    const hmac = rewritten(token, { header: { alg: "HS256" }, signature: "" });
    const sign = (key: string): string =>
      createHmac("sha256", key).update(hmac.slice(0, -1)).digest("base64url");
    const refused = [
      rewritten(token, { claims: { sub: "1" } }),
      rewritten(token, { header: { alg: "none" }, signature: "" }),
      rewritten(token, { header: { alg: "None" }, signature: "" }),
      hmac + sign(keys),
      hmac + sign(JSON.stringify(JSON.parse(keys).keys[0])),
      hmac + sign(JSON.parse(keys).keys[0].n),
      `${token}x`,
      token.slice(0, -5),
      "a.b.c",
      "..",
      `${token}.x`,
      `${token.split(".")[0]}.${"A".repeat(20_000)}.x`,
    ];
    for (const one of refused) assert.equal((await whoAmI(app, one)).status, 401, one.slice(0, 60));
    assert.equal((await whoAmI(app, token)).status, 200);
  });
});

Deno.test("the first token after a rotation of keys is accepted; keys are requested for unknown ids only now and then", async () => {
  await withToken(async ({ app, provider, token }) => {
    assert.equal((await whoAmI(app, token)).status, 200);
    await provider.rotate();
    const fresh = await provider.signed(token, {});
    assert.equal((await whoAmI(app, fresh)).status, 200);
    assert.equal((await whoAmI(app, token)).status, 401, "the old key is gone");
    const asked = provider.asked.length;
    for (let time = 0; time < 5; time++) {
      const unknown = rewritten(fresh, { header: { kid: `none-${time}` } });
      assert.equal((await whoAmI(app, unknown)).status, 401);
    }
    assert.equal(provider.asked.length, asked);
    app.clock.advance(10_000);
    await whoAmI(app, rewritten(fresh, { header: { kid: "none" } }));
    assert.deepEqual(provider.asked.slice(asked), ["/jwks"]);
  });
});

Deno.test("while a provider is down and its keys are unknown, requests get 503, and the keys are requested again", async () => {
  await withProvider(async (app, provider) => {
    await signIn(app, "17");
    const token = await accessTokenOf(provider, "17", CALLBACK);
    provider.down = true;
    const { status, body } = await whoAmI(app, token);
    assert.equal(status, 503);
    assert.match(body.detail, /Acme login/);
    provider.down = false;
    assert.equal((await whoAmI(app, token)).status, 200);
  }, { apiAudience: API });
});

Deno.test("a user who is deactivated, at the provider or here, or deleted, is refused at once", async () => {
  await withToken(async ({ app, provider, token }) => {
    assert.equal((await whoAmI(app, token)).status, 200);
    const user = provider.users.get("17") as { groups: readonly string[] };
    user.groups = ["others"];
    assert.equal((await signIn(app, "17")).status, 401);
    assert.deepEqual((await whoAmI(app, token)).body, { detail: "User inactive" });
    user.groups = ["it-security"];
    await signIn(app, "17");
    assert.equal((await whoAmI(app, token)).status, 200);
    const admin = await app.as("superuser");
    const [{ id = 0 } = {}] = await app.database.all<{ id: number }>(
      sql`SELECT id FROM users WHERE username = 'dora'`,
    );
    await admin(`/api/users/users/${id}/`, { method: "PATCH", body: { is_active: false } });
    assert.equal((await whoAmI(app, token)).status, 401);
    await admin(`/api/users/users/${id}/`, { method: "DELETE" });
    assert.equal((await whoAmI(app, token)).status, 401);
  });
});

Deno.test("a token of the service that an access token creates does not outlive it", async () => {
  await withToken(async ({ app, token }) => {
    const create = async (expires: string | null): Promise<number> => {
      const response = await app.app.fetch(requestOf("/api/users/tokens/", {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: { description: "program", expires },
      }));
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await create(null), 403);
    assert.equal(await create(new Date(app.clock.now() + 300_000).toISOString()), 201);
    assert.equal(await create(new Date(app.clock.now() + 900_000).toISOString()), 403);
  });
});

Deno.test("an access token creates nothing that outlives it: a calendar feed is refused", async () => {
  await withToken(async ({ app, token }) => {
    const response = await app.app.fetch(
      requestOf("/api/plugins/certmgr/calendar-feeds/", {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: { name: "For ever" },
      }),
      { remoteAddr: { hostname: "192.0.2.1" } },
    );
    assert.equal(response.status, 403);
    assert.match((await response.json()).detail, /^A token that expires or has allowed_ips may not create/);
  });
});
