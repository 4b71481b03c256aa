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
  "a slug follows the name until the user types another one; a color is picked or typed",
  { as: CHIEF },
  async ({
    page,
    go,
  }) => {
    await go("/tags/new/");
    const [name, slug] = [page.getByLabel("Name"), page.getByLabel("Slug")];
    await name.fill("Überwachung & Alarm (EU)");
    assert.equal(await slug.inputValue(), "uberwachung-alarm-eu");
    await slug.fill("alarm");
    await name.fill("Alarm");
    assert.equal(await slug.inputValue(), "alarm");
    await slug.fill("");
    await name.fill("Alarms 24/7");
    assert.equal(await slug.inputValue(), "alarms-24-7");

    const [digits, picker] = [page.getByLabel("Color", { exact: true }), page.getByLabel("Pick: Color")];
    assert.equal(await picker.inputValue(), "#9e9e9e");
    await digits.fill("ff8000");
    assert.equal(await picker.inputValue(), "#ff8000");
    await picker.fill("#0080ff");
    assert.equal(await digits.inputValue(), "0080ff");
    await assertAccessible(page, "the form of a tag");
    await shots(page, "tag-form");
    await page.getByRole("button", { name: "Create tag" }).click();
    await page.getByRole("status").getByText("Tag created.").waitFor();
    const text = await page.locator("main").innerText();
    assert.match(text, /alarms-24-7/);
    assert.match(text, /0080ff/);
  },
);

walk(
  "without scripts an empty slug is derived from the name",
  { as: CHIEF, scripts: false },
  async ({ page, go }) => {
    await go("/tenants/new/");
    assert.equal(await page.getByLabel("Pick").count(), 0);
    await page.getByLabel("Name").fill("Café du Nord");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Tenant created.").waitFor();
    assert.match(await page.locator("main").innerText(), /cafe-du-nord/);
  },
);

walk("fields that are read from a certificate are locked; the rest is saved, and the PEM stays as it is", {
  as: CHIEF,
}, async ({ page, go, site }) => {
  const root = await TestCa.root();
  const { pem } = await root.issue({ subject: [["CN", "locked.example"]], sans: ["locked.example"] });
  const ctx = await contextOf(site.service.ctx, await site.userOf(CHIEF));
  const made = await importPem({ ctx, input: { pem_content: pem } });
  assert.ok(!isImportReport(made));
  await go(`/certificates/${made.id}/`);
  await page.getByRole("button", { name: "Edit" }).click();
  const locked = page.getByRole("region", { name: "Read from the certificate" });
  await locked.getByText("locked.example").first().waitFor();
  for (
    const label of [
      "Common name",
      "Serial number",
      "Certificate (PEM)",
      "Valid to",
      "Subject alternative names",
    ]
  ) {
    assert.equal(await page.getByLabel(label, { exact: true }).count(), 0, label);
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
        JOIN certificate_texts ON certificate_id = certificates.id WHERE common_name = 'locked.example'`,
  );
  assert.match(row?.serial ?? "", /^[0-9A-F:]+$/);
  assert.equal(readPemText(row?.pem ?? null).trim(), pem.trim());
  assert.equal(row?.matches, 1);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("link", { name: "edit them and the PEM text" }).click();
  assert.equal(await page.getByLabel("Common name").inputValue(), "locked.example");
  assert.match(await page.getByLabel("Certificate (PEM)").inputValue(), /BEGIN CERTIFICATE/);
});

walk("without a PEM nothing is locked", { as: CHIEF }, async ({ page, go, site }) => {
  const [id] = await storeCertificates(site.service, [metadata(1)]);
  await go(`/certificates/${id}/edit/`);
  assert.equal(await page.getByLabel("Serial number").count(), 1);
  assert.equal(await page.getByText("Read from the certificate").count(), 0);
});

walk(
  "one button chooses all types of a group, or none, and a wrong form leads to its fields",
  { as: CHIEF },
  async ({ page, go }) => {
    await go("/webhooks/new/");
    const endpoints = page.getByRole("group", { name: "Endpoints", exact: false }).last();
    await endpoints.getByRole("button", { name: "All: Endpoints" }).click();
    assert.deepEqual(
      await endpoints.getByRole("checkbox").evaluateAll((boxes) =>
        boxes.map((box) => (box as HTMLInputElement).checked)
      ),
      [true, true],
    );
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
    assert.equal(await page.getByText("Your session had ended").count(), 0);
    await assertAccessible(page, "the form of a permission");
  },
);

walk(
  "a subscription asks for thresholds and recipients only where they have an effect",
  { as: CHIEF },
  async ({
    page,
    go,
  }) => {
    await go("/subscriptions/new/");
    const [thresholds, recipients] = ["Thresholds", "Recipients"].map((name) =>
      page.getByRole("group", { name, exact: true })
    );
    assert.deepEqual([await thresholds?.isVisible(), await recipients?.isVisible()], [false, false]);
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

walk("without scripts, thresholds and recipients are always visible", { as: CHIEF, scripts: false }, async ({
  page,
  go,
}) => {
  await go("/subscriptions/new/");
  for (const name of ["Thresholds", "Recipients"]) {
    assert.equal(await page.getByRole("group", { name, exact: true }).isVisible(), true);
  }
});
