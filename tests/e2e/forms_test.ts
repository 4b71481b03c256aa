/** Forms derive values where they can, and lose no typed values. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { pemTextSql, readPemText } from "../../src/domain/certificates/mod.ts";
import { importPem, isImportReport } from "../../src/domain/certificates/import/mod.ts";
import { contextOf } from "../support/context.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { assertAccessible } from "./support/axe.ts";
import { shots } from "./support/shots.ts";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

walk(
  "an empty slug is derived from the name",
  { as: CHIEF },
  async ({ page, go }) => {
    await go("/tenants/new/");
    await page.getByLabel("Name").fill("Café du Nord");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Tenant created.").waitFor();
    assert.match(await page.locator("main").innerText(), /cafe-du-nord/);
  },
);

walk("fields that are read from a certificate are folded; the rest is saved, and the PEM stays as it is", {
  as: CHIEF,
}, async ({ page, go, site }) => {
  const root = await TestCa.root();
  const { pem } = await root.issue({ subject: [["CN", "folded.example"]], sans: ["folded.example"] });
  const ctx = await contextOf(site.service.ctx, await site.userOf(CHIEF));
  const made = await importPem({ ctx, input: { pem_content: pem } });
  assert.ok(!isImportReport(made));
  await go(`/certificates/${made.id}/`);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Certificate (PEM)").waitFor();
  for (const label of ["Common name", "Serial number", "Valid to", "Subject alternative names"]) {
    assert.equal(await page.getByLabel(label, { exact: true }).isVisible(), false, label);
  }
  await assertAccessible(page, "the form of a certificate");
  await shots(page, "certificate-form");
  await page.getByLabel("Description").fill("In front of the shop");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Certificate saved.").waitFor();
  const [row] = await site.service.database.all<{ serial: string; pem: string; matches: number }>(
    sql`SELECT serial_number AS serial, ${
      pemTextSql("certificate_texts")
    } AS pem, pem_matches AS matches FROM certificates
        JOIN certificate_texts ON certificate_id = certificates.id WHERE common_name = 'folded.example'`,
  );
  assert.match(row?.serial ?? "", /^[0-9A-F:]+$/);
  assert.equal(readPemText(row?.pem ?? null).trim(), pem.trim());
  assert.equal(row?.matches, 1);
});

walk("without a PEM nothing is folded", { as: CHIEF }, async ({ page, go, site }) => {
  const [id] = await storeCertificates(site.service, [metadata(1)]);
  await go(`/certificates/${id}/edit/`);
  assert.equal(await page.getByLabel("Serial number").isVisible(), true);
});

walk(
  "one button chooses all types of a group, or none, and a wrong form leads to its fields",
  { as: CHIEF },
  async ({ page, go }) => {
    await go("/webhooks/new/");
    const endpoints = page.getByRole("group", { name: "Endpoints", exact: false }).last();
    await endpoints.getByRole("button", { name: "All: Endpoints" }).click();
    assert.ok(await endpoints.getByRole("checkbox").count() > 1);
    assert.equal(await endpoints.getByRole("checkbox", { checked: false }).count(), 0);
    await endpoints.getByRole("button", { name: "None: Endpoints" }).click();
    assert.equal(await endpoints.getByRole("checkbox", { checked: true }).count(), 0);
    await endpoints.getByRole("button", { name: "All: Endpoints" }).waitFor();
    await assertAccessible(page, "the form of a webhook");

    await page.getByLabel("Name").fill("Tickets");
    await page.getByLabel("Payload URL").fill("https://tickets.example/hook");
    await page.getByRole("button", { name: "Create webhook" }).click();
    const summary = page.getByRole("alert");
    await summary.getByText("Correct these 2 fields:").waitFor();
    // The summary of several errors has the focus, and is visible below the header.
    const focused = page.locator('[role="alert"]:focus');
    await focused.waitFor();
    assert.ok((await focused.boundingBox())!.y > 60);
    await assertAccessible(page, "the form of a webhook with errors");
    await summary.getByRole("link", { name: "Object types" }).click();
    const list = await page.locator("#f-object_types").boundingBox();
    assert.ok(list!.y > 50 && list!.y < 500, `The field is at ${list!.y}`);
  },
);

walk(
  "a filter that is added becomes a part of the constraints, which say what they match",
  { as: CHIEF },
  async ({ page, go }) => {
    await go("/permissions/new/?object_types=certmgr.certificate&actions=view");
    await page.getByLabel("Name").fill("Active ones");
    await page.getByLabel("Field 1").selectOption("status");
    // The values of the field are offered as soon as it is chosen.
    await page.getByRole("combobox", { name: "Value 1" }).selectOption("active");
    await page.getByText(/^Matches \d+ certificates? that you may view\.$/).waitFor();
    const text = page.locator("textarea[name=constraints]");
    const becomes = async (expected: unknown): Promise<void> => {
      const written = JSON.stringify(expected, null, 2);
      await page.waitForFunction(
        (value) =>
          (document.querySelector("textarea[name=constraints]") as HTMLTextAreaElement).value === value,
        written,
      );
    };
    await becomes({ status: "active" });
    assert.equal(await page.getByLabel("Name").inputValue(), "Active ones");
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByLabel("Field 2").selectOption("tenant");
    await page.getByLabel("Value 2").fill("acme");
    await page.getByLabel("Value 2").press("Tab");
    await becomes({ status: "active", tenant__slug: "acme" });
    await page.getByRole("button", { name: "Remove filter 1" }).click();
    await becomes({ tenant__slug: "acme" });
    await page.getByText("Advanced: as JSON").click();
    await text.fill('{"status": "pending"}');
    await text.press("Tab");
    await page.locator('select[name="constraints.value"] option[value=pending]:checked').waitFor({
      state: "attached",
    });
    await assertAccessible(page, "the form of a permission");
  },
);

walk(
  "a subscription takes usual and other thresholds, and recipients",
  { as: CHIEF },
  async ({
    page,
    go,
  }) => {
    await go("/subscriptions/new/");
    await page.getByLabel("A certificate reaches one").check();
    await page.getByLabel("90 days before").check();
    await page.getByLabel("Other thresholds").fill("45 days");
    await page.getByLabel("Channel").selectOption({ label: "Mail" });
    await page.getByLabel("Owners of the certificates").check();
    await page.getByLabel("Name").fill("Mine");
    await assertAccessible(page, "the form of a subscription");
    await page.getByRole("button", { name: "Create subscription", exact: true }).click();
    await page.getByRole("status").getByText("created").waitFor();
    const text = await page.locator("main").innerText();
    assert.match(text, /90 days before, 30 days before, .*45 days before/);
    assert.match(text, /owners of the certificates/);
  },
);
