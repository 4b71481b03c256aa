/** Two providers, one of them hostile: it never gets a code of the other one, and nobody signs in by it. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { OidcProvider } from "../../../src/auth/mod.ts";
import { ORIGIN, type TestApp, testApp } from "../../support/app.ts";
import { CALLBACK, cookieOf, get, settingsFor } from "./oidc_app.ts";
import { signInAtProvider, type TestProvider, testProvider } from "./oidc_server.ts";

const PARTNER_CALLBACK = `${ORIGIN}/sign-in/oidc/partner/callback`;

interface Two {
  readonly app: TestApp;
  readonly honest: TestProvider;
  readonly hostile: TestProvider;
}

/** Runs a test with the honest provider `oidc`, and `partner`, which is hostile. */
async function withTwo(test: (two: Two) => Promise<void>): Promise<void> {
  await using honest = await testProvider(CALLBACK);
  await using hostile = await testProvider(PARTNER_CALLBACK);
  const open: Partial<OidcProvider> = { groups: [], superuserGroups: [] };
  const providers = [
    ...settingsFor(honest, open).providers,
    ...settingsFor(hostile, { ...open, id: "partner", name: "Partner login" }).providers,
  ];
  const real = Date.now();
  await using app = await testApp({ settings: { signIn: { local: true, providers } } });
  app.clock.advance(real - app.clock.now());
  honest.users.set("17", { name: "dora", groups: [] });
  hostile.users.set("4", { name: "paul", groups: [] });
  await test({ app, honest, hostile });
}

async function begin(app: TestApp, id: string): Promise<{ to: URL; flow: string }> {
  const begun = await get(app, `/sign-in/begin/${id}/`);
  return { to: new URL(begun.headers.get("location") as string), flow: cookieOf(begun, /certmgr_sign_in=/) };
}

/** Follows a provider's redirect with the cookie of a browser. */
async function arrive(app: TestApp, back: string, flow: string): Promise<Response> {
  const { pathname, search } = new URL(back);
  return await get(app, pathname + search, flow);
}

/** Tokens are exchanged at the path `/token`. */
function exchanges({ asked }: TestProvider): number {
  return asked.filter((path) => path === "/token").length;
}

Deno.test("each of two providers has its callback, and signs its users in", async () => {
  await withTwo(async ({ app, honest, hostile }) => {
    for (
      const [id, login, callback] of [["oidc", "17", CALLBACK], ["partner", "4", PARTNER_CALLBACK]] as const
    ) {
      const { to, flow } = await begin(app, id);
      assert.equal(to.searchParams.get("redirect_uri"), callback);
      assert.equal((await arrive(app, await signInAtProvider(to.href, login), flow)).status, 303);
    }
    assert.deepEqual([exchanges(honest), exchanges(hostile)], [1, 1]);
  });
});

Deno.test("a hostile provider that sends the browser to the honest one gets no code", async () => {
  await withTwo(async ({ app, honest, hostile }) => {
    const { to, flow } = await begin(app, "partner");
    // What the hostile provider answers to the browser: the honest provider's page, with the values of its own flow.
    const mixed = new URL(`${honest.issuer}/auth${to.search}`);
    mixed.searchParams.set("redirect_uri", CALLBACK);
    const back = await signInAtProvider(mixed.href, "17");
    const answer = await arrive(app, back, flow);
    assert.equal(answer.status, 401);
    assert.match(await answer.text(), /Partner login failed: another provider responded/);
    assert.deepEqual([exchanges(honest), exchanges(hostile)], [0, 0]);
    const [row] = await app.database.all(sql`SELECT count(*) AS n FROM user_identities`);
    assert.deepEqual(row, { n: 0 });
  });
});

for (
  const [what, change] of [
    ["the code of the honest provider at the callback of the hostile one", (url: URL) => {
      url.pathname = new URL(PARTNER_CALLBACK).pathname;
    }],
    ["an unknown provider's callback", (url: URL) => {
      url.pathname = "/sign-in/oidc/other/callback";
    }],
    ["another issuer in the response", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
    [
      "no issuer in the response, although the provider announces it",
      (url: URL) => url.searchParams.delete("iss"),
    ],
  ] as const
) {
  Deno.test(`${what} is refused before the code is sent anywhere`, async () => {
    await withTwo(async ({ app, honest, hostile }) => {
      const { to, flow } = await begin(app, "oidc");
      const back = new URL(await signInAtProvider(to.href, "17"));
      assert.equal(back.searchParams.get("iss"), honest.issuer);
      change(back);
      assert.equal((await arrive(app, back.href, flow)).status, 401);
      assert.deepEqual([exchanges(honest), exchanges(hostile)], [0, 0]);
    });
  });
}

Deno.test("the only provider keeps the short callback, whatever its id is", async () => {
  await using provider = await testProvider(CALLBACK);
  const { providers } = settingsFor(provider, { id: "partner" });
  await using app = await testApp({ settings: { signIn: { local: true, providers } } });
  const { to } = await begin(app, "partner");
  assert.equal(to.searchParams.get("redirect_uri"), CALLBACK);
});
