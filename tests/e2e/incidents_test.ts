/** An incident in the browser: from the authority's file to the end report, with probes of real servers. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { DAY_MS, formatDatetime } from "../../src/base/clock.ts";
import { keepIncidents } from "../../src/domain/incidents/mod.ts";
import { smtpSender } from "../../src/mail/smtp.ts";
import { mailServer } from "../domain/notices/mail_server.ts";
import { runAndSend } from "../domain/notices/run_and_send.ts";
import { granted } from "../support/actors.ts";
import { callJson } from "../support/call_json.ts";
import { COUNT, hostOf, incidentWorld, OWNERS, probingLocally, TENANTS } from "../support/incident_world.ts";
import type { TestCertificate } from "../support/test_ca/mod.ts";
import { closeBrowser } from "./support/chromium.ts";
import { CHIEF, openSite } from "./support/site.ts";
import { visit } from "./support/walk.ts";

Deno.test.afterAll(closeBrowser);

/** Number of certificates of an import that can be renewed with it. */
const RENEWED_AT_ONCE = 60;

/** Returns a file to choose. */
function file(name: string, content: string): { name: string; mimeType: string; buffer: Buffer } {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) };
}

/** Returns the numbers of the tiles of an incident. */
async function tilesOf(page: Page): Promise<Record<string, number>> {
  const texts = await page.locator("main .tile").evaluateAll((all) =>
    all.map((tile) =>
      [tile.querySelector(".tile-title"), tile.querySelector("strong")].map((one) => one?.textContent ?? "")
    )
  );
  return Object.fromEntries(
    texts.map(([title = "", count = ""]) => [title, Number(count.replaceAll(",", ""))]),
  );
}

Deno.test({
  name: "an incident in the browser, from the authority's file to the end report",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t): Promise<void> {
    await using site = await openSite(probingLocally());
    const { service } = site;
    await using world = await incidentWorld(service);
    await using mail = await mailServer({});
    const chief = await service.as("superuser");
    const [channel] = await callJson(chief, "/api/plugins/certmgr/notification-channels/", "POST", [
      { name: "Mail to owners", kind: "email", settings: { from: "certs@acme.example" } },
    ]);
    await callJson(chief, "/api/plugins/certmgr/subscriptions/", "POST", {
      name: "Incidents",
      user: await site.userOf(CHIEF),
      channel: channel.id,
      events: ["incident_opened", "incident_reminder"],
      recipients: ["owner"],
      mode: "immediate",
    });
    const send = async (): Promise<number> => {
      const before = mail.received.length;
      await keepIncidents({ ctx: service.ctx });
      await runAndSend(service, { mail: smtpSender(mail.settings, { ca: mail.ca }) });
      return mail.received.length - before;
    };
    let path = "";
    await t.step("the authority's file selects the certificates, and the impact is shown", async () => {
      await visit(site, { as: CHIEF }, async ({ page, go }) => {
        await go("/incidents/new/?kind=ca_revocation");
        await page.getByLabel("Name").fill("Broken Intermediate");
        await page.getByLabel("Deadline").fill(formatDatetime(service.clock.now() + 5 * DAY_MS).slice(0, 16));
        const rows = world.leaves.map(({ certificate: { serial } }, n) =>
          `${n};${BigInt(`0x${serial.toHex()}`)};${hostOf(n)}`
        );
        const csv = `\ufeffCertificates to be revoked;;\r\n\r\nOrder;Serial Number;Name\r\n${
          rows.join("\r\n")
        }\r\n`;
        const chooser = page.getByLabel("or choose a file");
        await chooser.setInputFiles(file("rounded.csv", csv.replace(/;\d{20,};/, ";1,23457E+38;")));
        await page.getByRole("button", { name: "Show impact" }).click();
        await page.getByText(/A spreadsheet has rounded this number/).first().waitFor();
        await page.getByLabel("Serial numbers").fill("");
        await chooser.setInputFiles(file("revoked.csv", csv));
        await page.getByRole("button", { name: "Show impact" }).click();
        await page.getByRole("heading", { name: `${COUNT} certificates are affected` }).waitFor();
        const rowsOf = (name: string) => page.getByRole("table", { name }).locator("tbody tr");
        assert.deepEqual([await rowsOf("By tenant").count(), await rowsOf("By owner").count()], [
          TENANTS,
          OWNERS,
        ]);
        await page.getByRole("button", { name: "Create incident" }).click();
        await page.getByRole("status").getByText("Incident created.").waitFor();
        path = new URL(page.url()).pathname;
        assert.deepEqual(await tilesOf(page), {
          Affected: COUNT,
          Open: COUNT,
          Replaced: 0,
          Deployed: 0,
          Excluded: 0,
        });
      });
    });
    await t.step("each owner gets one message, once", async () => {
      assert.equal(await send(), OWNERS);
      const to = new Set(mail.received.flatMap(({ envelopeTo }) => envelopeTo));
      assert.deepEqual(to, new Set(Array.from({ length: OWNERS }, (_, n) => `owner-${n}@acme.example`)));
      assert.equal(await send(), 0);
    });
    const replaced = world.ids.flatMap((_, n) => n % 3 === 2 ? [] : [n]);
    const deployed = replaced.filter((n) => n % 2 === 0);
    const open = COUNT - replaced.length;
    const successors = new Map<number, TestCertificate>();
    for (const n of replaced) successors.set(n, await world.successor(n));
    await t.step("an import of a file replaces two thirds", async () => {
      service.clock.advance(DAY_MS / 2);
      await visit(site, { as: CHIEF }, async ({ page, go }) => {
        const pems = [...successors.values()].map(({ pem }) => pem);
        for (let from = 0; from < pems.length; from += RENEWED_AT_ONCE) {
          const some = pems.slice(from, from + RENEWED_AT_ONCE);
          await go("/certificates/add/");
          await page.getByLabel("Files", { exact: true }).setInputFiles(
            file("successors.pem", some.join("")),
          );
          await page.getByRole("button", { name: "Preview" }).click();
          await page.getByRole("button", { name: /^Renew / }).first().click();
          await page.getByRole("status").getByText(`${some.length} certificates renewed`).waitFor();
        }
        await go(path);
        assert.deepEqual(await tilesOf(page), {
          Affected: COUNT,
          Open: open,
          Replaced: replaced.length,
          Deployed: 0,
          Excluded: 0,
        });
      });
    });
    await t.step("probes find half of them deployed, and the rest is overdue", async () => {
      await world.serve(new Map([...successors].filter(([n]) => deployed.includes(n))));
      service.clock.advance(6 * DAY_MS);
      assert.ok(await send() > 0, "owners are reminded");
      await visit(site, { as: CHIEF }, async ({ page, go }) => {
        await go(path);
        assert.deepEqual(await tilesOf(page), {
          Affected: COUNT,
          Open: open,
          Replaced: replaced.length - deployed.length,
          Deployed: deployed.length,
          Excluded: 0,
        });
        await page.getByText(`${open} certificates are overdue.`).waitFor();
        await page.getByRole("button", { name: "Close" }).click();
        await page.getByRole("status").getByText("Closed.").waitFor();
        await page.getByRole("button", { name: "Report" }).click();
        // The rows arrive in parts.
        await page.waitForURL(/\/report\/$/);
        const table = page.getByRole("table", { name: "Certificates" }).locator("tbody tr");
        const rows = await table.evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll("td, th")].map((cell) => (cell.textContent ?? "").trim()))
        );
        assert.equal(rows.length, COUNT);
        const stateOf = (n: number): string =>
          deployed.includes(n) ? "deployed" : replaced.includes(n) ? "replaced" : "open";
        for (const n of world.ids.keys()) {
          const row = rows.find(([name]) => name === hostOf(n)) ?? [];
          assert.deepEqual(
            row.slice(1, 4),
            [stateOf(n), `Tenant ${n % TENANTS}`, `Owner ${n % OWNERS}`],
            hostOf(n),
          );
          assert.deepEqual([row[7] !== "", row[8] !== ""], [
            stateOf(n) !== "open",
            stateOf(n) === "deployed",
          ]);
        }
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "CSV" }).click(),
        ]);
        const lines = (await Deno.readTextFile(await download.path())).trim().split("\r\n");
        assert.deepEqual([lines.length, lines.filter((line) => line.includes(",deployed,")).length], [
          COUNT + 1,
          deployed.length,
        ]);
      });
    });
    for (const tenant of [0, 1]) {
      await t.step(`a user of tenant ${tenant} sees only their part`, async () => {
        const user = granted([
          { types: ["certmgr.incident"], actions: ["view"] },
          {
            types: ["certmgr.certificate"],
            actions: ["view"],
            constraints: { tenant__slug: `tenant-${tenant}` },
          },
        ], { username: `user-${tenant}` });
        const own = [...world.ids.keys()].filter((n) => n % TENANTS === tenant);
        await visit(site, { as: user }, async ({ page, go }) => {
          await go(path);
          const tiles = await tilesOf(page);
          assert.deepEqual([tiles.Affected, tiles.Deployed], [
            own.length,
            own.filter((n) => deployed.includes(n)).length,
          ]);
          await go(`${path}report/`);
          const names = await page.getByRole("table", { name: "Certificates" }).locator(
            "tbody tr > :first-child",
          )
            .allInnerTexts();
          assert.deepEqual(names.toSorted(), own.map(hostOf).toSorted());
          assert.equal(
            await page.getByText("Tenant ", { exact: false }).filter({ hasText: /Tenant \d/ }).count(),
            0,
          );
        });
      });
    }
  },
});
