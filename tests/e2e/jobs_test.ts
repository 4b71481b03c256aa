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
      await page.getByText(/1 owner notified about \d+ certificates\./).waitFor();
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

const LIST = [
  "Zertifikat;Aussteller;Ablaufdatum;Verantwortlich;Server",
  "shop.list.example;DigiCert;15.03.2027;ops@list.example;",
  "mail.list.example;Sectigo;01.02.2027;ops@list.example;mail-list-1",
  "wiki.list.example;;31.12.2026;;",
  "wiki.list.example;;31.12.2026;;",
  "Summe;4;;;",
].join("\n");

for (const { way, scripts, interaction: interactionOn } of WAYS) {
  walk(
    `a list without numbers is imported with four mistakes, and completed, in at most 10 clicks (${way})`,
    {
      as: CHIEF,
      scripts,
    },
    async ({ page, go }) => {
      const interaction = interactionOn(page);
      const { press, clicks } = counted(interaction);
      await go("/certificates/add/");
      await interaction.attach(page.getByLabel("Files", { exact: true }), {
        name: "liste.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(LIST),
      });
      await press(page.getByRole("button", { name: "Preview" }));
      await page.getByText(/known from this list only/).waitFor();
      /** Presses a control that the next page does not have. */
      const leave = async (control: Locator): Promise<void> => {
        await press(control);
        await control.waitFor({ state: "detached" });
      };
      await leave(page.getByRole("button", { name: "Correct errors" }));
      if (scripts) {
        await shots(page, "list-corrections");
        await assertAccessible(page, "the corrections of a list");
      }
      await leave(page.getByRole("button", { name: "Create contact ops@list.example" }).first());
      await leave(page.getByRole("button", { name: "Create device mail-list-1" }));
      await leave(page.getByRole("button", { name: "Leave out this row" }));
      await page.getByText("All rows are valid.").waitFor();
      await leave(page.getByRole("button", { name: "Import 3 certificates" }));
      await leave(page.getByRole("link", { name: "View the certificate of row 3" }));
      await leave(page.getByRole("link", { name: /^Upload its certificate/ }).first());
      const wiki = await ca.issue({ cn: "wiki.list.example", notAfter: "2026-12-31T23:59:59Z" });
      await interaction.attach(page.getByLabel("Files", { exact: true }), file("wiki.pem", wiki.pem));
      await press(page.getByRole("button", { name: "Preview" }));
      await press(page.getByRole("button", { name: "Import certificate" }));
      await page.getByText("1 certificate completed.").waitFor();
      assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "wiki.list.example");
      assert.ok(clicks() <= 10, `${clicks()} clicks`);
    },
  );

  walk(`an auditor's file has weak keys of a tenant with owner and lifetime, in at most 3 clicks (${way})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go, site }) => {
    await make(site.service, PATHS.certificates, [
      metadata(0x7e310, { common_name: "weak.audit.example", key_size: 1024, tenant: seed.tenants.acme }),
    ]);
    const interaction = interactionOn(page);
    const { press, clicks } = counted(interaction);
    const columns = ["valid_to", "owner", "algorithm", "signature_algorithm", "lifetime_days"];
    await go(`/certificates/?tenant_id=${seed.tenants.acme}&weak_key=true&columns=${columns.join(",")}`);
    await press(page.locator("summary", { hasText: "Export" }));
    await interaction.choose(page.getByLabel("Columns", { exact: true }), "Columns of this list");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      press(page.locator("details.menu[open] button", { hasText: "Export" })),
    ]);
    const path = await download.path();
    const [head, ...rows] = (await Deno.readTextFile(path)).split(/\r?\n/);
    assert.equal(
      head,
      "common_name,valid_to,owner,algorithm,key_size,signature_algorithm,lifetime_days",
    );
    assert.ok(rows.some((row) => /^weak\.audit\.example,.*,rsa,1024,/.test(row)), rows.join("\n"));
    assert.ok(clicks() + 1 <= 3, `${clicks() + 1} clicks`);
  });

  walk(`the owners of an incident are notified from its page in at most 2 clicks (${way})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go, site }) => {
    const [{ id }] = await make(site.service, PATHS.certificates, [
      metadata(0x7e410, { common_name: "recall.example" }),
    ]) as [{ id: number }];
    await make(site.service, PATHS.contactAssignments, [
      { object_type: "certmgr.certificate", object_id: id, contact: seed.contacts.web },
    ]);
    const [incident] = await make(site.service, "/api/plugins/certmgr/incidents/", [
      { name: "Recall", kind: "other", deadline: "2026-12-04T00:00:00Z", criteria: { filter: `id=${id}` } },
    ]) as [{ id: number }];
    const { press, clicks } = counted(interactionOn(page));
    await go(`/incidents/${incident.id}/`);
    await press(page.getByRole("button", { name: "Tell owner…" }));
    await page.getByText(/must be replaced by 4 Dec 2026 \(Recall\)/).first().waitFor();
    await press(page.getByRole("button", { name: "Send", exact: true }));
    await page.getByText("1 owner notified about 1 certificate.").waitFor();
    assert.ok(clicks() <= 2, `${clicks()} clicks`);
  });
}
