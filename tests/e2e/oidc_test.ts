/** Sign-in at real OpenID Connect providers, in a browser. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import type { OidcProvider } from "../../src/auth/mod.ts";
import { settingsFor } from "../domain/accounts/oidc_app.ts";
import { type TestProvider, testProvider } from "../domain/accounts/oidc_server.ts";
import { assertAccessible } from "./support/axe.ts";
import { shots } from "./support/shots.ts";
import { browser } from "./support/chromium.ts";
import { CHIEF, openSite, PASSWORD, type Site } from "./support/site.ts";
import { type Walk, walk } from "./support/walk.ts";

const LOCAL: readonly string[] = ["127.0.0.1", "localhost"];

/** Registers a test with two providers: `oidc`, whose groups are mapped, and `partner`. */
function oidcWalk(
  name: string,
  fn: (walk: Walk & { readonly acme: TestProvider; readonly partner: TestProvider }) => Promise<void>,
): void {
  // The providers need the URL of the service, and the service needs theirs.
  const providers: OidcProvider[] = [];
  walk(name, { app: { settings: { signIn: { local: true, providers } } } }, async (walked) => {
    const { origin } = walked.site;
    await using acme = await testProvider(`${origin}/sign-in/oidc/callback`);
    await using partner = await testProvider(`${origin}/sign-in/oidc/partner/callback`);
    providers.push(
      ...settingsFor(acme).providers,
      ...settingsFor(partner, { id: "partner", name: "Partner login", groups: [] }).providers,
    );
    acme.users.set("17", { name: "dora", groups: ["it-security"] });
    partner.users.set("4", { name: "paul", groups: [] });
    await walked.site.service.database.write((tx) =>
      tx.run(
        sql`INSERT INTO groups (name, created, last_updated) VALUES ('Operators', 0, 0) ON CONFLICT DO NOTHING`,
      )
    );
    // The provider's own pages load a font from another host.
    await walked.context.route(
      (url) => !LOCAL.includes(url.hostname),
      (route) => route.fulfill({ body: "" }),
    );
    await fn({ ...walked, acme, partner });
  });
}

/** Signs in at the provider: its page asks for a name, and at the first time for consent. */
async function signInAt(page: Page, { issuer }: TestProvider, login: string): Promise<void> {
  await page.waitForURL((url) => url.href.startsWith(`${issuer}/interaction/`));
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("x");
  await page.locator("button[type=submit]").click();
  await page.locator("input[name=prompt][value=consent]").waitFor({ state: "attached" });
  await page.locator("button[type=submit]").click();
}

async function arrive(page: Page, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === path);
}

async function groupsOf({ service: { database } }: Site, username: string): Promise<unknown> {
  const [row] = await database.all(
    sql`SELECT is_active, (SELECT group_concat(g.name) FROM user_groups JOIN groups AS g ON g.id = group_id
      WHERE user_id = users.id) AS groups FROM users WHERE username = ${username}`,
  );
  return row === undefined ? undefined : { ...row };
}

oidcWalk(
  "a user signs in at the provider, has its groups, reaches the requested page, and signs out",
  async (
    { page, site, go, acme },
  ) => {
    await go("/sign-in/?next=/profile/");
    await assertAccessible(page, "sign-in with providers");
    await shots(page, "sign-in-providers");
    await page.getByRole("button", { name: "Acme login" }).click();
    await signInAt(page, acme, "17");
    await arrive(page, "/profile/");
    assert.match(await page.locator("main").innerText(), /Signed in as dora/);
    assert.deepEqual(await groupsOf(site, "dora"), { is_active: 1, groups: "Operators" });
    await go("/profile/security/");
    await page.getByText("You do not sign in with a password here.").waitFor();

    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await arrive(page, "/sign-in/");
    await go("/profile/");
    await arrive(page, "/sign-in/");
  },
);

oidcWalk(
  "a user who loses the group is refused with the reason, is signed out everywhere, and signs in again when it returns",
  async (
    { page, context, site, go, acme },
  ) => {
    const user = { name: "dora", groups: ["it-security"] as readonly string[] };
    acme.users.set("17", user);
    await go("/sign-in/");
    await page.getByRole("button", { name: "Acme login" }).click();
    await signInAt(page, acme, "17");
    await arrive(page, "/");
    user.groups = ["others"];
    const other = await context.newPage();
    await other.goto("/sign-in/begin/oidc/");
    await other.getByRole("alert").getByText("You are not in any of the groups that may use this service.")
      .waitFor();
    await assertAccessible(other, "refused sign-in");
    await shots(other, "sign-in-refused");
    assert.deepEqual(await groupsOf(site, "dora"), { is_active: 0, groups: null });
    await go("/profile/");
    await arrive(page, "/sign-in/");
    user.groups = ["it-security"];
    await page.getByRole("button", { name: "Acme login" }).click();
    await arrive(page, "/profile/");
    assert.deepEqual(await groupsOf(site, "dora"), { is_active: 1, groups: "Operators" });
  },
);

oidcWalk("users of several providers are different users; another provider's response is refused", async (
  { page, site, go, acme, partner },
) => {
  partner.users.set("17", { name: "dora", groups: [] });
  await go("/sign-in/?next=/profile/");
  await page.getByRole("button", { name: "Partner login" }).click();
  await signInAt(page, partner, "4");
  await arrive(page, "/profile/");
  assert.match(await page.locator("main").innerText(), /Signed in as paul/);
  await page.context().clearCookies();
  await go("/sign-in/?next=/profile/");
  await page.getByRole("button", { name: "Acme login" }).click();
  await signInAt(page, acme, "17");
  await arrive(page, "/profile/");
  // The same id and name at another provider is another user.
  await page.context().clearCookies();
  await go("/sign-in/?next=/profile/");
  await page.getByRole("button", { name: "Partner login" }).click();
  await signInAt(page, partner, "17");
  await page.getByRole("alert").getByText('The username "dora" belongs to a user').waitFor();
  const rows = await site.service.database.all<{ issuer: string; subject: string }>(
    sql`SELECT issuer, subject FROM user_identities ORDER BY id`,
  );
  assert.deepEqual(rows.map(({ issuer, subject }) => [issuer, subject]), [[partner.issuer, "4"], [
    acme.issuer,
    "17",
  ]]);
});

oidcWalk("after a rotation of keys the next sign-in succeeds", async ({ page, go, acme }) => {
  for (let time = 0; time < 2; time++) {
    await page.context().clearCookies();
    await go("/sign-in/?next=/profile/");
    await page.getByRole("button", { name: "Acme login" }).click();
    await signInAt(page, acme, "17");
    await arrive(page, "/profile/");
    await acme.rotate();
  }
});

Deno.test({
  name: "an unavailable provider is reported on a page with a link to the sign-in with a password",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(): Promise<void> {
    const providers: OidcProvider[] = [];
    await using site = await openSite({ settings: { signIn: { local: true, providers } } });
    await using acme = await testProvider(`${site.origin}/sign-in/oidc/callback`);
    providers.push(...settingsFor(acme).providers);
    acme.down = true;
    await site.withPassword(CHIEF);
    const context = await (await browser()).newContext({ baseURL: site.origin });
    const page = await context.newPage();
    await page.goto("/sign-in/?next=/profile/");
    await page.getByRole("button", { name: "Acme login" }).click();
    await page.getByRole("alert").getByText("The provider Acme login cannot be reached. Try again later.")
      .waitFor();
    await assertAccessible(page, "provider down");
    await shots(page, "provider-down");
    await page.getByRole("button", { name: "Back to sign-in" }).click();
    await page.getByLabel("Username").fill(CHIEF.username);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL((url) => url.pathname === "/");
    await context.close();
  },
});
