import { openSite, CHIEF } from "./support/site.ts";
import { visit } from "./support/walk.ts";
import { shots } from "./support/shots.ts";
import { closeBrowser } from "./support/chromium.ts";
import { demoDatabase } from "./support/demo.ts";
import { assertAccessible } from "./support/axe.ts";
import { pki, CHAIN } from "../support/pki.ts";
import { csvOf, metadata } from "../features/import/support.ts";
const site = await openSite({ database: await demoDatabase() } as never);
const only = Deno.args;
const want = (n: string) => only.length === 0 || only.includes(n);
async function snap(page: any, name: string) {
  const html = await page.content();
  console.log(name, html.length, "bytes; scroll", await page.evaluate(() => document.documentElement.scrollWidth + "/" + document.documentElement.clientWidth));
  await shots(page, name);
  try { await assertAccessible(page, name); } catch (e) { console.log((e as Error).message.slice(0, 1500)); }
}
await visit(site, { as: CHIEF, viewport: { width: 1440, height: 900 } }, async ({ page, go }) => {
  if (want("single")) {
    console.log(await go("/certificates/import/"));
    await snap(page, "single-form");
    await page.getByLabel("Certificates as text").fill(`${pki.fresh.pem}${CHAIN}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${pki.fresh.pem}`);
    await page.getByRole("button", { name: "See what is in it" }).click();
    await page.waitForSelector(".found");
    await snap(page, "single-found");
    await go("/certificates/import/");
    await page.getByLabel("Certificates as text").fill(pki.fresh.key.privateKeyPem);
    await page.getByRole("button", { name: "See what is in it" }).click();
    await page.waitForSelector("[data-guard-message]:not([hidden])");
    await snap(page, "single-key");
  }
  if (want("bulk")) {
    await go("/certificates/bulk-import/");
    await snap(page, "bulk-form");
    const rows = Array.from({ length: 30 }, (_, i) => metadata(i, i % 4 === 1 ? { algorithm: "dsa", valid_to: "31.12.2026" } : i === 2 ? { common_name: "<script>alert(1)</script>\u202egnp.exe", private_key_location: "x".repeat(5000) } : i===6 ? { serial_number: metadata(3).serial_number } : { sans: "a.example;b.example", private_key_location: "" }));
    await page.getByLabel("A table as text").fill(csvOf(rows));
    await page.getByRole("button", { name: "Check and preview" }).click();
    await page.waitForSelector(".preview");
    await snap(page, "bulk-errors");
    await page.locator(".preview tbody th a").nth(2).click();
    await page.waitForSelector(".cells");
    await snap(page, "bulk-row");
    await go("/certificates/bulk-import/");
    await snap(page, "bulk-form-previews");
    await page.getByLabel("A table as text").fill(csvOf(Array.from({ length: 100 }, (_, i) => metadata(i, {sans: "a.example;b.example", status: "active", tenant: "", private_key_location: "vault/pki/x"}))));
    await page.getByRole("button", { name: "Check and preview" }).click();
    await page.waitForSelector(".preview");
    await snap(page, "bulk-good");
    await page.getByRole("button", { name: /^Import 100/ }).click();
    await page.waitForSelector("text=Bulk import done");
    await snap(page, "bulk-done");
  }
}).catch((e) => console.log(e));
await closeBrowser();
Deno.exit(0);
