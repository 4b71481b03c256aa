/** Signing in by the form, and the first pages. */

import assert from "node:assert/strict";
import { CHIEF, PASSWORD } from "./support/site.ts";
import { walk } from "./support/walk.ts";

for (const scripts of [true, false]) {
  const how = scripts ? "with scripts" : "without scripts";

  walk(`users are asked to sign in, reach the requested page, and sign out (${how})`, {
    scripts,
  }, async ({ page, site, go }) => {
    await site.withPassword(CHIEF);
    assert.equal(await go("/profile/"), 200);
    assert.equal(new URL(page.url()).pathname, "/sign-in/");
    await page.getByLabel("Username").fill(CHIEF.username);
    await page.getByLabel("Password").fill("wrong horse battery");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("Incorrect username or password.").waitFor();

    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/profile/");
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Profile");
    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.waitForURL("**/sign-in/");
    await go("/profile/");
    assert.equal(new URL(page.url()).pathname, "/sign-in/");
  });
}
