/** From the first start to the first renewal, on a service that is started as by an operator. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { DAY_MS, systemClock } from "../../src/base/clock.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { firstWalk } from "./support/walk.ts";

const now = systemClock.now();
const NAME = "shop.acme.example";
/** The trusted roots of a Debian system. */
const SYSTEM_BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

const root = await TestCa.root({ subject: "C=US, O=Acme Corp, CN=Acme Root CA" });
const issuing = await root.intermediate({ subject: "C=US, O=Acme Corp, CN=Acme Issuing CA" });

/** Returns a server's certificate with its chain, with the lines that `openssl s_client -showcerts` adds. */
async function bundle(days: number): Promise<string> {
  const leaf = await issuing.issue({ cn: NAME, notBefore: now - DAY_MS, notAfter: now + days * DAY_MS });
  const chain = [["shop.acme.example", leaf], ["Acme Issuing CA", issuing], ["Acme Root CA", root]] as const;
  return chain.map(([name, { pem }], index) => ` ${index} s:CN = ${name}\n${pem}`).join("");
}

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}

/** Returns the names in the picture of a chain, from the leaf up. */
async function linksOf(page: Page): Promise<string[]> {
  const names = page.locator("ol.chain > li strong");
  // A click does not wait for the next page, nor a locator for the end of its list.
  await names.first().waitFor();
  await page.waitForLoadState("domcontentloaded");
  return names.allInnerTexts();
}

for (const scripts of [true, false]) {
  const how = scripts ? "with scripts" : "without scripts";

  firstWalk(
    `the first administrator signs in, imports a bundle, finds its certificate, sees its chain and renews it (${how})`,
    { scripts },
    async ({ page, go, password }) => {
      await go("/");
      await signIn(page, password);
      await page.getByRole("heading", { name: "Invite people" }).waitFor();
      await page.getByRole("button", { name: "Add certificates" }).click();
      await page.getByLabel("or paste text").fill(await bundle(20));
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByText("3 can be imported").waitFor();
      await page.getByRole("button", { name: "Import 3 certificates" })
        .click();
      await page.getByRole("status").getByText("3 certificates imported.").waitFor();

      await page.getByRole("searchbox", { name: "Search everything" }).fill("shop.acme");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: NAME }).click();
      assert.deepEqual(await linksOf(page), [NAME, "Acme Issuing CA", "Acme Root CA"]);
      await page.getByRole("button", { name: "Validate chain" }).click();
      await page.getByText("Last validated").waitFor();
      const old = page.url();

      await page.getByRole("button", { name: "Renew" }).first().click();
      await page.getByLabel("PEM").fill(await bundle(80));
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("columnheader", { name: "Current certificate" }).waitFor();
      await page.getByRole("button", { name: "Renew" }).click();
      await page.getByRole("status").getByText("Certificate renewed.").waitFor();
      await page.waitForLoadState("domcontentloaded");
      assert.notEqual(page.url(), old);
      assert.deepEqual(await linksOf(page), [NAME, "Acme Issuing CA", "Acme Root CA"]);
      await page.goto(old);
      assert.match(await page.locator("main").innerText(), /replaced/);
    },
  );
}

firstWalk(
  "the bundle of a whole system is imported as a file, and its roots are trusted",
  {},
  async ({ page, go, password }) => {
    await go("/");
    await signIn(page, password);
    await go("/certificates/add/");
    await page.getByLabel("Files", { exact: true }).setInputFiles(SYSTEM_BUNDLE);
    await page.getByRole("button", { name: "Preview" }).click();
    const store = page.getByRole("button", { name: /^Import \d+ certificates$/ }).first();
    const count = Number(/\d+/.exec(await store.innerText())?.[0]);
    assert.ok(count > 50, `${count} certificates`);
    await store.click();
    await page.getByRole("status").getByText(`${count} certificates imported.`).waitFor();

    await go("/certificates/?q=ISRG+Root+X1");
    await page.getByRole("link", { name: "ISRG Root X1" }).click();
    assert.deepEqual(await linksOf(page), ["ISRG Root X1"]);
    assert.match(await page.locator("ol.chain").innerText(), /Self-signed/);
  },
);
