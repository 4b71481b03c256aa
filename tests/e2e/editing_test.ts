/** Editing: unsaved edits, two people at the same time, and the focus. */

import assert from "node:assert/strict";
import { seed } from "../support/seed.ts";
import { assertAccessible } from "./support/axe.ts";
import { shots } from "./support/shots.ts";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

const TENANT = `/tenants/${seed.tenants.acme}/edit/`;

walk(
  "leaving an edited form needs a confirmation; leaving an unchanged or saved one does not",
  { as: CHIEF },
  async ({
    page,
    go,
  }) => {
    const questions: string[] = [];
    page.on("dialog", async (dialog) => {
      questions.push(dialog.type());
      await dialog.dismiss();
    });
    await go(TENANT);
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.waitForURL(/\/tenants\/\d+\/$/);
    assert.deepEqual(questions, []);
    await go(TENANT);
    await page.getByLabel("Description").fill("Changed");
    const asked = page.waitForEvent("dialog");
    await page.getByRole("link", { name: "Cancel" }).click({ noWaitAfter: true });
    assert.equal((await asked).type(), "beforeunload");
    assert.equal(await page.getByLabel("Description").inputValue(), "Changed");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Tenant saved.").waitFor();
    assert.deepEqual(questions, ["beforeunload"]);
  },
);

walk(
  "when two people edit an object, the second one sees both versions of each field, with names, and decides",
  {
    as: CHIEF,
  },
  async ({
    page,
    context,
    go,
  }) => {
    await go(`/certificates/${seed.certificates.shared}/edit/`);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByLabel("Tenant").selectOption(String(seed.tenants.globex));
    await other.getByLabel("Description").fill("Theirs");
    await other.getByRole("button", { name: "Save" }).click();
    await other.getByRole("status").getByText("Certificate saved.").waitFor();

    await page.getByLabel("Tenant").selectOption(String(seed.tenants.acme));
    await page.getByLabel("Description").fill("Mine");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("chief changed this certificate after you opened the form.")
      .waitFor();
    const rows = await page.getByRole("table", { name: "Both versions" }).getByRole("row").allInnerTexts();
    assert.deepEqual(rows.map((row) => row.split(/\t|\n/).map((cell) => cell.trim()).filter(Boolean)), [
      ["Field", "Your version", "Saved by someone else"],
      ["Tenant", "Acme Corp", "Globex Corp"],
      ["Description", "Mine", "Theirs"],
    ]);
    await assertAccessible(page, "a conflict");
    await shots(page, "conflict");
    await page.getByRole("button", { name: "Save my version" }).click();
    await page.getByRole("status").getByText("Certificate saved.").waitFor();
    const text = await page.locator("main").innerText();
    assert.match(text, /Mine/);
    assert.match(text, /Acme Corp/);
  },
);

walk("after an action the focus is on its message, after a refusal on the summary with a link to the field", {
  as: CHIEF,
}, async ({
  page,
  go,
}) => {
  await go("/tenants/new/");
  await page.getByLabel("Name").fill("Vandelay");
  await page.getByLabel("Slug").fill("not a slug");
  await page.keyboard.press("Enter");
  await page.locator("#f-slug-error").waitFor();
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /Correct this field:/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).name), "slug");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("vandelay");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Tenant created.").waitFor();
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /Tenant created\./);
  // The next Tab stop is after the message.
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.closest("main") !== null), true);
});
