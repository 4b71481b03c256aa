/** The two pages of imports, in the browser. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { csvOf, metadata } from "../domain/certificates/import/support.ts";
import { CHAIN, pki } from "../support/pki.ts";
import { assertAccessible } from "./support/axe.ts";
import { WAYS } from "./support/interaction.ts";
import { shots } from "./support/shots.ts";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

/** Returns a file to choose. */
function file(
  name: string,
  content: string | Uint8Array,
): { name: string; mimeType: string; buffer: Buffer } {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(content as Uint8Array) };
}

/** Checks a state of a page that has no separate address. */
async function look(page: Page, name: string): Promise<void> {
  await shots(page, name);
  await assertAccessible(page, name);
}

/** Returns the elements that are wider than their visible part, on a phone and on a wide screen. */
async function overflowIn(page: Page, selector: string): Promise<string[]> {
  const before = page.viewportSize();
  const wide: string[] = [];
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const found = await page.locator(selector).evaluateAll((all) =>
      all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((one) => one.className)
    );
    wide.push(...found.map((name) => `${name} at ${width}`));
  }
  if (before !== null) await page.setViewportSize(before);
  return wide;
}

for (const scripts of [true, false]) {
  const how = scripts ? "with scripts" : "without scripts";

  walk(`the certificates of a pasted bundle are shown, and each block is stored (${how})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go }) => {
    assert.equal(await go("/certificates/"), 200);
    await page.getByRole("button", { name: "Add certificates" }).click();
    await page.getByLabel("or paste text").fill(`${pki.fresh.pem}${CHAIN}`);
    await page.getByLabel("Tenant").selectOption({ label: "Acme Corp" });
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("summary").getByText("Acme Root CA").waitFor();
    if (scripts) await look(page, "import-found");
    await page.getByRole("button", { name: "Import 3 certificates" })
      .click();
    await page.getByRole("status").getByText("3 certificates imported.").waitFor();
    await page.getByRole("link").filter({ hasText: "fresh.acme.example" }).first().click();
    assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /^fresh\.acme\.example/);
  });

  walk(`a certificate that renews another one and a new one are stored together (${how})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, go }) => {
    const names = { cn: "www.acme.example", sans: ["www.acme.example", "alt.www.acme.example"] };
    const successor = await pki.issuing.issue({ ...names, serial: 171, notAfter: "2028-06-30T00:00:00Z" });
    await go("/certificates/add/");
    await page.getByLabel("or paste text").fill(`${successor.pem}${pki.fresh.pem}`);
    await page.getByRole("button", { name: "Preview" }).click();
    const separately = page.getByLabel("Import it separately");
    await separately.waitFor();
    if (scripts) {
      await look(page, "import-renewal");
      await separately.check();
      await page.getByRole("button", { name: "Import 2 certificates" }).waitFor();
      await page.getByLabel("Renew www.acme.example with it").check();
      await page.getByText("will renew", { exact: true }).waitFor();
    }
    await page.getByRole("button", { name: scripts ? "Renew 1, import 1" : "Renew and import" }).click();
    await page.getByRole("status").getByText("1 certificate renewed; 1 imported.").waitFor();
    await page.getByRole("link", { name: "www.acme.example" }).first().waitFor();
  });

  walk(
    `a file of certificates is chosen and stored (${how})`,
    { as: CHIEF, scripts },
    async ({ page, go }) => {
      await go("/certificates/add/");
      await page.getByLabel("Files", { exact: true }).setInputFiles(file("other.cer", pki.other.der));
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("button", { name: "Import certificate" }).click();
      await page.waitForURL(/\/certificates\/\d+\/$/);
      assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /^other\.acme\.example/);
    },
  );

  walk(
    `a table with errors is previewed, fixed and imported (${how})`,
    { as: CHIEF, scripts },
    async ({ page, go }) => {
      const rows = [metadata(1), metadata(2, { algorithm: "dsa" }), metadata(3, { valid_to: "1/12/2026" })];
      await go("/certificates/add/");
      await page.getByLabel("Files", { exact: true }).setInputFiles(file("rows.csv", csvOf(rows)));
      await page.getByRole("button", { name: "Preview" }).click();
      const bad = page.locator('td[aria-invalid="true"]');
      await bad.first().waitFor();
      assert.deepEqual(await bad.locator("bdi").allInnerTexts(), ["dsa", "1/12/2026"]);
      if (scripts) await look(page, "bulk-import-errors");
      await page.getByRole("link", { name: /^Errors only/ }).click();
      await page.waitForURL(/only=errors/);
      assert.equal(await page.locator(".preview tbody tr").count(), 2);
      assert.equal(await page.getByRole("button", { name: /^Import \d/ }).count(), 0);
      assert.deepEqual(await overflowIn(page, ".corrections"), [], "the errors need no scrolling");
      if (scripts) await look(page, "bulk-import-corrections");
      await page.getByRole("button", { name: "Edit table" }).click();
      const area = page.getByLabel("Or paste text", { exact: true });
      await area.fill((await area.inputValue()).replace("dsa", "rsa").replace("1/12/2026", "2026-12-31"));
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByText("3 can be imported").waitFor();
      await page.reload();
      await page.getByRole("button", { name: "Import 3 certificates" }).click();
      await page.getByRole("status").getByText("3 certificates imported.").waitFor();
      if (scripts) await look(page, "bulk-import-done");
      await page.getByRole("link", { name: "View the certificate of row 2" }).click();
      assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /^row-2\.example/);
    },
  );
}

/** Maximum number of actions between opening the form and the imported certificates. */
const MAX_ACTIONS = 19;

/**
 * Returns a spreadsheet's export: other headings, several names in one cell, and ten mistakes in headings and cells, and one cell that a
 * list may lack.
 */
function spreadsheet(): string {
  const wrong: Readonly<Record<number, Record<string, unknown>>> = {
    4: { algorithm: "dsa" },
    11: { valid_to: "1/12/2026" },
    19: { common_name: "" },
    27: { key_size: "2k" },
    33: { valid_from: "yesterday" },
    41: { serial_number: "" },
    58: { status: "on" },
    66: { fingerprint_sha256: "abc" },
    79: { tenant: "Nobody" },
  };
  const rows = Array.from({ length: 80 }, (_, index) =>
    metadata(index + 1, {
      sans: `row-${index + 1}.example, www.row-${index + 1}.example`,
      status: "Active",
      tenant: "Acme Corp",
      colour: "blue",
      ...wrong[index + 1],
    }));
  const headings: Readonly<Record<string, string>> = {
    common_name: "Domain Name",
    serial_number: "Serial No.",
    issuer: "Signed with",
    valid_from: "Not Before",
    valid_to: "Expiry Date",
    fingerprint_sha256: "SHA-256 fingerprint",
    sans: "Alternative Names",
    colour: "Colour",
  };
  const [head = "", ...lines] = csvOf(rows).split("\n");
  const named = head.trim().replaceAll('"', "").split(",").map((name) => headings[name] ?? name);
  return [named.join(","), ...lines].join("\n");
}

for (const { way, scripts, interaction: interactionOn } of WAYS) {
  walk(
    `a spreadsheet of 80 rows with 10 mistakes is corrected and imported in at most ${MAX_ACTIONS} actions (${way})`,
    { as: CHIEF, scripts },
    async ({ page, go }) => {
      const interaction = interactionOn(page);
      let actions = 0;
      const act = async (action: Promise<unknown>): Promise<void> => {
        actions++;
        await action;
      };
      await go("/certificates/add/");
      await act(
        interaction.attach(
          page.getByLabel("Files", { exact: true }),
          file("certificates.csv", spreadsheet()),
        ),
      );
      await act(interaction.press(page.getByRole("button", { name: "Preview" })));
      await act(interaction.choose(page.getByLabel("Read Signed with as"), "Issuer"));
      if (scripts) await look(page, "bulk-import-columns");
      await act(interaction.press(page.getByRole("button", { name: "Apply columns" })));
      await page.getByText("72 can be imported").waitFor();
      const wrong = page.locator("td[aria-invalid]").first();
      const colour = (): Promise<string> => wrong.evaluate((cell) => getComputedStyle(cell).backgroundColor);
      const before = await colour();
      await wrong.hover();
      assert.equal(await colour(), before, "a wrong cell stays marked under the pointer");
      await act(interaction.press(page.getByRole("button", { name: "Correct errors" })));
      await page.waitForURL(/only=errors/);
      const corrections: readonly (readonly [label: string, value: string])[] = [
        ["Algorithm in row 4", "rsa"],
        ["Valid to in row 11", "2026-12-31"],
        ["Common name in row 19", "row-19.example"],
        ["Key size in row 27", "2048"],
        ["Valid from in row 33", "2026-01-01"],
        ["Status in row 58", "active"],
        ["SHA-256 fingerprint in row 66", "cd".repeat(32)],
      ];
      for (const [label, value] of corrections) {
        await act(interaction.fill(page.getByLabel(label, { exact: true }), value));
      }
      await act(
        interaction.choose(page.getByLabel("Tenant in row 79", { exact: true }), "Acme Corp"),
      );
      await act(interaction.press(page.getByRole("button", { name: "Save and check" })));
      await page.getByText("80 can be imported").waitFor();
      await act(interaction.press(page.getByRole("button", { name: "Import 80 certificates" })));
      await page.getByRole("status").getByText("80 certificates imported.").waitFor();
      assert(actions <= MAX_ACTIONS, `${actions} actions`);
      await page.getByRole("button", { name: "Show imported" }).click();
      await page.waitForURL(/id__gte=\d+&id__lte=\d+/);
      await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
      assert.match(await page.locator("main").innerText(), /\b80\b/);
    },
  );
}

const KEYS: readonly (readonly [what: string, name: string, content: string | Uint8Array])[] = [
  ["PEM", "key.pem", pki.fresh.key.privateKeyPem],
  ["DER", "key.der", pki.fresh.key.pkcs8],
];
for (const path of ["/certificates/add/"]) {
  walk(
    `a private key is refused in the browser, and nothing is sent (${path})`,
    { as: CHIEF },
    async ({ page, go }) => {
      await go(path);
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") sent.push(request.url());
      });
      const message = page.getByRole("alert").getByText("Private key detected. Nothing was sent");
      const area = page.locator("textarea").first();
      const button = page.locator("[data-guard] button[type=submit]");
      await area.fill(`${pki.fresh.pem}${pki.fresh.key.privateKeyPem}`);
      await button.click();
      await message.waitFor();
      const line = pki.fresh.pem.trimEnd().split("\n").length + 1;
      assert.match(await message.innerText(), new RegExp(`It begins in line ${line}\\.`));
      await area.fill("");
      await area.blur();
      await message.waitFor({ state: "hidden" });
      for (const [what, name, content] of KEYS) {
        const input = page.getByLabel("Files", { exact: true });
        await input.setInputFiles(file(name, content));
        await message.waitFor();
        assert.equal(await input.inputValue(), "", `${what} is not kept chosen`);
        await area.fill("x");
        await area.blur();
        await message.waitFor({ state: "hidden" });
        await area.fill("");
      }
      assert.deepEqual(sent, []);
    },
  );
}

walk("a file that is larger than the limit is not sent", {
  as: CHIEF,
  app: { settings: { importFileMaxBytes: 2_000_000 } },
}, async ({ page, go }) => {
  await go("/certificates/add/");
  await page.getByLabel("Files", { exact: true }).setInputFiles(file("rows.csv", "x".repeat(2_000_001)));
  const message = page.getByRole("alert").getByText(/^The file is 1.91 MB; the limit is 1.91 MB/);
  await message.waitFor();
  // The file is no longer chosen, and an empty form would be a less helpful error.
  await page.getByRole("button", { name: "Preview" }).click();
  await message.waitFor();
  assert.match(page.url(), /\/certificates\/add\/$/);
  assert.equal(await page.getByText("Paste certificates or choose").count(), 0);
  const text = page.getByLabel("Or paste text");
  await text.fill("x");
  await text.blur();
  await message.waitFor({ state: "hidden" });
});
