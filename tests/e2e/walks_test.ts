/** The main tasks of users, from the dashboard to the result: with a mouse, by keyboard alone, and without scripts. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { pki } from "../support/pki.ts";
import { seed } from "../support/seed.ts";
import type { TestCertificate } from "../support/test_ca/mod.ts";
import { type Interaction, WAYS } from "./support/interaction.ts";
import { CHIEF, PASSWORD } from "./support/site.ts";
import { visit, walk } from "./support/walk.ts";

/** Finds a certificate by the search in the header, and opens it. */
async function open(page: Page, interaction: Interaction, name: string): Promise<void> {
  await interaction.fill(page.getByRole("searchbox", { name: "Search everything" }).first(), name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Search" }).waitFor();
  await interaction.press(page.locator("section.found").getByRole("link", { name }).first());
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Returns a successor of `www.acme.example`. */
function successor(serial: number): Promise<TestCertificate> {
  return pki.issuing.issue({
    cn: "www.acme.example",
    serial,
    sans: ["www.acme.example", "alt.www.acme.example"],
    notAfter: "2027-10-31T23:59:59Z",
  });
}

/** Confirms the comparison, and finds the new certificate with the assignments of the old one. */
async function confirmRenewal(page: Page, interaction: Interaction): Promise<void> {
  await page.getByRole("heading", { level: 1, name: "Confirm renewal" }).waitFor();
  await interaction.press(page.getByRole("button", { name: "Renew" }));
  await page.getByRole("status").getByText("Certificate renewed.").waitFor();
  assert.match(await page.locator("main").innerText(), /It replaced www\.acme\.example/);
}

for (const { way, scripts, interaction: interactionOn } of WAYS) {
  walk(`the dashboard shows the certificates that expire next, with owner and object (${way})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go }) => {
    await go("/");
    const table = page.getByRole("group", { name: "Expires next" });
    const heads = await table.getByRole("columnheader").allInnerTexts();
    assert.deepEqual(heads, ["Common name", "Expires", "Assigned to", "Owner"]);
    const rows = await table.locator("tbody tr").evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? ""))
    );
    const whole = rows.find((cells) => cells.every((cell) => cell !== ""));
    assert.ok(whole, JSON.stringify(rows));
    const days = rows.map((cells) => /\d{4}-\d\d-\d\d/.exec(cells[1] ?? "")?.[0] ?? "");
    assert.ok(days.every((day) => day !== ""), JSON.stringify(days));
    const future = days.filter((day) => day >= "2026-06-15");
    assert.deepEqual(future, [...future].sort(), "Those that expire first are first");
  });

  // With a signing request: `jobs_test.ts`.
  for (const source of ["file", "paste"] as const) {
    walk(`a certificate is renewed: ${source} (${way})`, { as: CHIEF, scripts }, async ({ page, go }) => {
      const interaction = interactionOn(page);
      await go("/");
      await open(page, interaction, "www.acme.example");
      await interaction.press(page.locator("main .heading").getByRole("button", { name: "Renew" }));
      if (source === "file") {
        const { der } = await successor(0x0b0101);
        const buffer = Buffer.from(der);
        await interaction.attach(page.getByLabel("File", { exact: true }), {
          name: "successor.cer",
          mimeType: "application/octet-stream",
          buffer,
        });
      } else {
        await interaction.fill(
          page.getByLabel("or paste PEM"),
          (await successor(0x0b0102)).pem + pki.issuing.pem,
        );
      }
      await interaction.press(page.getByRole("button", { name: "Compare" }).last());
      await confirmRenewal(page, interaction);
    });
  }

  walk(`the pages show state, owner, object, chain, policies and history of one certificate (${way})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go }) => {
    const interaction = interactionOn(page);
    await go("/");
    await open(page, interaction, "www.acme.example");
    const certificate = page.url();
    await interaction.press(page.getByRole("button", { name: "Check compliance" }));
    await page.getByRole("status").getByText(/checks passed|No policy applies/).waitFor();
    await interaction.press(page.getByRole("button", { name: "Validate chain" }));
    await page.getByText("Last validated").waitFor();
    await page.waitForLoadState("domcontentloaded");
    const text = await page.locator("main").innerText();
    for (const part of [/Owner/, /Assigned to|Assign/, /Chain/, /Compliance|Checks/, /History|Change log/]) {
      assert.match(text, part);
    }
    assert.deepEqual(
      await page.locator("ol.chain > li strong").allInnerTexts(),
      ["www.acme.example", "Acme Issuing CA", "Acme Root CA"].slice(
        0,
        await page.locator("ol.chain > li strong").count(),
      ),
    );
    await interaction.press(page.locator("main a[href^='/changes/']").first());
    await page.waitForURL("**/changes/**");
    await page.goBack();
    assert.equal(page.url(), certificate);
  });

  walk(`a user for one tenant is created in one form, and sees only this tenant (${way})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go, site }) => {
    const interaction = interactionOn(page);
    await go("/users/");
    await interaction.press(page.getByRole("button", { name: "New user" }));
    await interaction.fill(page.getByLabel("Username"), "acme-only");
    await interaction.choose(page.getByLabel("Access", { exact: true }), "One tenant, read only");
    await interaction.choose(page.getByLabel("Tenant", { exact: true }), "Acme Corp");
    if (!scripts) await interaction.press(page.getByRole("button", { name: "Show permissions" }));
    await page.getByText("Tenant: 1").first().waitFor();
    await interaction.fill(page.getByLabel("Password"), PASSWORD);
    await interaction.press(page.getByRole("button", { name: "Create user" }));
    await page.getByRole("status").getByText("User created.").waitFor();

    await visit(site, { scripts }, async (theirs) => {
      const own = interactionOn(theirs.page);
      await theirs.go("/certificates/");
      await own.fill(theirs.page.getByLabel("Username"), "acme-only");
      await own.fill(theirs.page.getByLabel("Password"), PASSWORD);
      await own.press(theirs.page.getByRole("button", { name: "Sign in", exact: true }));
      await theirs.page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
      await theirs.page.waitForLoadState("domcontentloaded");
      const names = await theirs.page.locator("main td a.object").allInnerTexts();
      assert.ok(names.some((name) => name.includes("acme")), names.join());
      assert.deepEqual(names.filter((name) => /globex|shared/.test(name)), []);
      assert.equal(await theirs.go(`/certificates/${seed.certificates.globexWeb}/`), 404);
      assert.equal(await theirs.go("/users/"), 200);
      assert.deepEqual(
        (await theirs.page.locator("main td a.object").allInnerTexts()).filter((name) =>
          name !== "acme-only"
        ),
        [],
      );
    });
  });
}
