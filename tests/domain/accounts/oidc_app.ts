/** Runs the application with a real OpenID Connect provider. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { OidcProvider, SignInSettings } from "../../../src/auth/mod.ts";
import { ORIGIN, requestOf, type TestApp, testApp } from "../../support/app.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  signInAtProvider,
  type TestProvider,
  testProvider,
} from "./oidc_server.ts";

export const CALLBACK = `${ORIGIN}/sign-in/oidc/callback`;

/** Returns settings with only this provider. */
export function settingsFor({ issuer }: TestProvider, more: Partial<OidcProvider> = {}): SignInSettings {
  return {
    local: true,
    providers: [{
      id: "oidc",
      name: "Acme login",
      issuer,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      scopes: "openid profile email groups",
      groupsClaim: "groups",
      groups: [["it-security", "Operators"]],
      superuserGroups: ["admins"],
      createUsers: true,
      ...more,
    }],
  };
}

/** Gets a page with a cookie. */
export async function get(app: TestApp, path: string, cookie = ""): Promise<Response> {
  return await app.app.fetch(requestOf(path, { headers: { cookie } }), {
    remoteAddr: { hostname: "192.0.2.1" },
  });
}

/** Returns the cookie that a response sets, as the browser sends it back. */
export function cookieOf(response: Response, name: RegExp): string {
  return response.headers.getSetCookie().map((one) => one.split(";")[0] as string).find((one) =>
    name.test(one)
  ) ?? "";
}

/** Signs in and returns the last response. `tamper` changes the URL to which the browser is redirected. */
export async function signIn(
  app: TestApp,
  login: string,
  tamper: (url: URL, flow: string) => { url: URL; flow: string } = (url, flow) => ({ url, flow }),
): Promise<Response> {
  const begun = await get(app, "/sign-in/begin/oidc/?next=/certificates/");
  assert.equal(begun.status, 303, await begun.clone().text());
  const back = await signInAtProvider(begun.headers.get("location") as string, login);
  assert.ok(back.startsWith(CALLBACK), back);
  const { url, flow } = tamper(new URL(back), cookieOf(begun, /certmgr_sign_in=/));
  return await get(app, url.pathname + url.search, flow);
}

/** Runs a test with the user `dora` at the provider, who is in a mapped group. */
export async function withProvider(
  test: (app: TestApp, provider: TestProvider) => Promise<void>,
  more: Partial<OidcProvider> = {},
): Promise<void> {
  await using provider = await testProvider(CALLBACK);
  const real = Date.now();
  await using app = await testApp({ settings: { signIn: settingsFor(provider, more) } });
  app.clock.advance(real - app.clock.now());
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO groups (name, created, last_updated) VALUES ('Operators', 0, 0) ON CONFLICT DO NOTHING`,
    )
  );
  provider.users.set("17", { name: "dora", groups: ["it-security"] });
  await test(app, provider);
}
