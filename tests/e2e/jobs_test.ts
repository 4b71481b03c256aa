/** Daily jobs, with the clicks that they take: by mouse, by keyboard, and without scripts. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Locator } from "playwright-core";
import { DAY_MS } from "../../src/base/clock.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { metadata } from "../support/stored.ts";
import { buildRequest, TEST_NOW, TestCa } from "../support/test_ca/mod.ts";
import { assertAccessible } from "./support/axe.ts";
import { type ChosenFile, type Interaction, WAYS } from "./support/interaction.ts";
import { shots } from "./support/shots.ts";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

const CN = "renewed.acme.example";
const ca = await TestCa.root({ subject: "O=Acme Corp, CN=Acme Issuing" });
const old = await ca.issue({ cn: CN, notBefore: TEST_NOW - 80 * DAY_MS, notAfter: TEST_NOW + 5 * DAY_MS });
const request = await buildRequest({ cn: CN, sans: [CN] });
const issued = await ca.issue({ cn: CN, key: request.key, notAfter: TEST_NOW + 300 * DAY_MS });

function file(name: string, pem: string): ChosenFile {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(pem) };
}

/** Counts clicks: pressed controls. Texts and files do not count. */
function counted(
  interaction: Interaction,
): { press: (control: Locator) => Promise<void>; clicks: () => number } {
  let clicks = 0;
  return {
    press: async (control) => {
      clicks++;
      await interaction.press(control);
    },
    clicks: () => clicks,
  };
}

for (const { way, scripts, interaction: interactionOn } of WAYS) {
  walk(`a certificate is renewed with a signing request in at most 5 clicks (${way})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go, site }) => {
    const [{ id }] = await make(site.service, PATHS.certificates, [
      { pem_content: old.pem, tenant: seed.tenants.acme, tags: [{ slug: "pci" }] },
    ]) as [{ id: number }];
    await make(site.service, PATHS.assignments, [
      { certificate: id, assigned_object_type: "dcim.device", assigned_object_id: seed.devices.edge },
    ]);
    const interaction = interactionOn(page);
    const { press, clicks } = counted(interaction);
    await go("/certificates/?expiry_status=expired&expiry_status=critical&expiry_status=warning");
    await press(page.locator(`main a[href="/certificates/${id}/"]`).first());
    await press(page.getByRole("link", { name: "Renew" }).first());
    await interaction.attach(page.getByLabel("Request file"), file("renewed.csr", request.pem));
    if (scripts) {
      await shots(page, "renew-ways");
      await assertAccessible(page, "the ways to renew a certificate");
    }
    await press(page.getByRole("button", { name: "Register request" }));
    await page.getByText("Signing request registered.").waitFor();
    const main = page.getByRole("main");
    for (const text of ["Acme Corp", "Acme Issuing", "pci"]) await main.getByText(text).first().waitFor();
    await interaction.attach(page.getByLabel("File", { exact: true }), file("renewed.pem", issued.pem));
    if (scripts) {
      await shots(page, "request-of-renewal");
      await assertAccessible(page, "the request of a renewal");
    }
    await press(page.getByRole("button", { name: "Compare" }));
    await page.getByText("and its signing request as issued").waitFor();
    await press(page.getByRole("button", { name: "Renew and move 1 assignment" }));
    await page.getByText(
      "Certificate renewed. 1 assignment moved to this certificate. 1 signing request issued.",
    )
      .waitFor();
    assert.ok(clicks() <= 5, `${clicks()} clicks`);
  });
}

for (const { way, scripts, interaction: interactionOn } of WAYS) {
  // Without scripts, each row is ticked by itself.
  if (!scripts) continue;
  walk(
    `the owners of the next ten certificates are notified in at most 4 clicks (${way})`,
    { as: CHIEF },
    async (
      { page, go, site },
    ) => {
      const made = await make(
        site.service,
        PATHS.certificates,
        Array.from(
          { length: 10 },
          (_, index) => metadata(0x7e110 + index, { valid_to: "2026-06-18T12:00:00Z" }),
        ),
      ) as { id: number }[];
      await make(
        site.service,
        PATHS.contactAssignments,
        made.map(({ id }, index) => ({
          object_type: "certmgr.certificate",
          object_id: id,
          contact: index < 8 ? seed.contacts.web : seed.contacts.network,
        })),
      );
      const interaction = interactionOn(page);
      const { press, clicks } = counted(interaction);
      await go("/");
      await press(page.locator('main a[href^="/certificates/?expiry_status=critical"]').first());
      await interaction.check(page.getByRole("checkbox", { name: "Select all rows" }));
      await press(page.getByRole("button", { name: "Tell owners…" }));
      await page.getByRole("heading", { name: /^Tell 1 owner about ([8-9]|1\d) certificates$/ }).waitFor();
      await page.getByRole("heading", { name: /^Cannot be notified: the owner has no e-mail address/ })
        .waitFor();
      await shots(page, "tell-owners");
      await assertAccessible(page, "the messages to owners");
      await press(page.getByRole("button", { name: "Send", exact: true }));
      await page.getByText(/^1 owner notified about \d+ certificates\.$/).waitFor();
      // With the box that was ticked.
      assert.ok(clicks() + 1 <= 4, `${clicks() + 1} clicks`);
    },
  );
}

for (const { way, scripts, interaction: interactionOn } of WAYS) {
  walk(`a certificate is found by a part of its serial number in at most 2 clicks (${way})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go, site }) => {
    const [{ id }] = await make(site.service, PATHS.certificates, [
      metadata(0x7e210, { common_name: "part.example", serial_number: "7A:11:5E:AF:00:D1:99" }),
    ]) as [{ id: number }];
    const interaction = interactionOn(page);
    const { press, clicks } = counted(interaction);
    await go("/");
    const field = page.getByRole("searchbox", { name: "Search everything" });
    if (scripts) {
      if (way === "with a mouse") await press(field);
      else await page.keyboard.press("/");
      await page.keyboard.insertText("5eaf00");
      const found = page.getByRole("dialog").getByRole("link", { name: /part\.example/ });
      await found.waitFor();
      if (way === "with a mouse") await press(found);
      else await page.keyboard.press("Enter");
    } else {
      await interaction.fill(field, "5e:af:00");
      await field.press("Enter");
      await press(page.getByRole("main").getByRole("link", { name: /part\.example/ }).first());
    }
    await page.waitForURL((url) => url.pathname === `/certificates/${id}/`);
    assert.ok(clicks() <= 2, `${clicks()} clicks`);
  });

  walk(`a user of one tenant is made in at most 3 clicks (${way})`, { as: CHIEF, scripts }, async (
    { page, go },
  ) => {
    const interaction = interactionOn(page);
    const { press, clicks } = counted(interaction);
    await go("/users/new/");
    await interaction.fill(page.getByLabel("Username"), "acme-reader");
    await interaction.fill(page.getByLabel("Password"), "reads what Acme has");
    await interaction.choose(page.getByLabel("Access", { exact: true }), "One tenant, read only");
    await interaction.choose(page.getByLabel("Tenant", { exact: true }), "Acme Corp");
    if (scripts) await page.getByRole("table", { name: "Effective permissions" }).waitFor();
    await press(page.getByRole("button", { name: "Create user" }));
    await page.getByText("User created.").waitFor();
    // With the two choices.
    assert.ok(clicks() + 2 <= 3, `${clicks() + 2} clicks`);
  });
}
