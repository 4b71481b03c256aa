/** Tables fit the screen, also on a phone. Breadcrumbs end with the parent page. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sql } from "drizzle-orm";
import type { Locator } from "playwright-core";
import { csvOf, metadata } from "../domain/certificates/import/support.ts";
import { seed } from "../support/seed.ts";
import { assertAccessible } from "./support/axe.ts";
import { FURTHER_WIDTHS, WIDTHS } from "./support/shots.ts";
import { storeCertificates } from "../support/stored.ts";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

const AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0";

walk("on a phone the tokens and sessions of a profile are visible without horizontal scrolling", {
  as: CHIEF,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, site, go }) => {
  const address = "2001:db8:85a3:8d3:1319:8a2e:370:7348";
  await site.service.database.write(async (tx) => {
    await tx.run(sql`UPDATE sessions SET user_agent = ${AGENT}, address = ${address}`);
    await tx.run(sql`UPDATE tokens SET description = 'nightly report of the data centre'
      WHERE user_id = (SELECT id FROM users WHERE username = ${CHIEF.username})`);
  });
  await go("/profile/");
  for (const name of ["API tokens", "Sessions"]) {
    const table = page.locator(`.table[aria-label="${name}"]`);
    const [content, seen] = await table.evaluate((one) => [one.scrollWidth, one.clientWidth] as const);
    assert.ok(content <= seen, `${name}: ${content} px in ${seen} px`);
  }
  for (const text of ["nightly report of the data centre", address]) {
    assert.equal(await page.getByText(text).filter({ visible: true }).count(), 1, text);
  }
});

for (const width of [WIDTHS.phone, FURTHER_WIDTHS.narrowest]) {
  walk(
    `on a phone the rows of a table are cards: each invalid value with its error (${width} px)`,
    { as: CHIEF, viewport: { width, height: 844 } },
    async ({ page, go }) => {
      const rows = [metadata(1), metadata(2, { algorithm: "dsa", valid_to: "" })];
      await go("/certificates/add/");
      await page.getByLabel("Files", { exact: true })
        .setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from(csvOf(rows)) });
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByText("1 has errors").waitFor();
      const [good, bad] = await page.locator(".preview tbody tr").all();
      assert.ok(good !== undefined && bad !== undefined);
      assert.deepEqual((await good.innerText()).split(/\s+/).sort(), ["1", "new", "row-1.example"]);
      assert.ok((await good.boundingBox())!.height < 50, "a good row is one line");
      assert.match(
        (await bad.innerText()).replaceAll(/\s+/g, " "),
        /^2 error .*Valid to: empty This field is required\..*Algorithm: dsa Invalid algorithm "dsa"\./,
      );
      const [content, seen] = await page.locator(".preview").evaluate((
        one,
      ) => [one.scrollWidth, one.clientWidth]);
      assert.ok(Number(content) <= Number(seen), `${content} px in ${seen} px`);
      await assertAccessible(page, "a preview on a phone");
      await page.getByRole("button", { name: "Correct errors" }).click();
      await page.getByLabel("Algorithm").waitFor();
    },
  );
}

walk("the bar of a list on a phone has texts of at least 14 px, and buttons in two lines below the search", {
  as: CHIEF,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, go }) => {
  for (const path of ["/certificates/", "/endpoints/", "/csrs/", "/assignments/"]) {
    await go(path);
    for (const width of [WIDTHS.phone, FURTHER_WIDTHS.narrowest]) {
      await page.setViewportSize({ width, height: 844 });
      const buttons = await page.locator(".list-bar > details > summary, .list-bar > .choice a").evaluateAll(
        (all) =>
          all.filter((one) => one.checkVisibility()).map((one) => {
            const { top, bottom } = one.getBoundingClientRect();
            return { size: Number.parseFloat(getComputedStyle(one).fontSize), middle: (top + bottom) / 2 };
          }),
      );
      assert.ok(buttons.length >= 2 && buttons.every(({ size }) => size >= 14), `${path} at ${width} px`);
      const lines = new Set(buttons.map(({ middle }) => Math.round(middle / 20)));
      assert.ok(lines.size <= 2, `${path} at ${width} px: ${lines.size} lines`);
    }
  }
});

walk("on a phone, a row of a list has what matters in lines under its name, and nothing usual", {
  as: CHIEF,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, site, go }) => {
  await storeCertificates(site.service, [
    metadata(1, { common_name: "bad.example" }),
    metadata(2, { common_name: "good.example" }),
    metadata(3, { common_name: "gone.example", status: "revoked" }),
  ]);
  await site.service.database.write(async (tx) => {
    for (const [name, chain] of [["bad", "invalid_signature"], ["good", "valid"], ["gone", "incomplete"]]) {
      await tx.run(
        sql`UPDATE certificates SET chain_status = ${chain} WHERE common_name = ${`${name}.example`}`,
      );
    }
  });
  const EXPECTED: Readonly<Record<string, readonly (readonly [row: string, lines: RegExp])[]>> = {
    "/certificates/?show=all&limit=0": [
      ["bad.example", /^bad\.example \d{4}-\d\d-\d\d in \d+ days invalid signature$/],
      ["good.example", /^good\.example \d{4}-\d\d-\d\d in \d+ days$/],
      ["gone.example", /^gone\.example \d{4}-\d\d-\d\d in \d+ days revoked$/],
    ],
    "/checks/?result=fail": [["Long keys", /critical .*Long keys .*Network team$/]],
    "/tenants/": [["Acme", /^Acme .*\d+ \d+/]],
    "/users/": [[CHIEF.username, /^\S+ .*superuser no$/]],
  };
  for (const [path, rows] of Object.entries(EXPECTED)) {
    await go(path);
    for (const [name, lines] of rows) {
      const row = page.locator("#rows tr", { hasText: name }).first();
      assert.match((await row.innerText()).replaceAll(/\s+/g, " ").trim(), lines);
    }
    const [content, seen] = await page.locator(".table").evaluate((
      one,
    ) => [one.scrollWidth, one.clientWidth]);
    assert.ok(Number(content) <= Number(seen), `${path}: ${content} px in ${seen} px`);
    await assertAccessible(page, `${path} on a phone`);
  }
});

walk("a list of endpoints shows when certificates expire, down to the width of a tablet", {
  as: CHIEF,
}, async ({ page, site, go }) => {
  await site.service.database.write((tx) => tx.run(sql`UPDATE endpoints SET certificate_id = 1`));
  await go("/endpoints/");
  const head = page.locator("th", { hasText: "Expires" });
  for (const width of [WIDTHS.wide, FURTHER_WIDTHS.tablet, 840, 800, 768]) {
    await page.setViewportSize({ width, height: 900 });
    assert.ok(await head.isVisible(), `${width} px`);
    const { right } = await head.evaluate((one) => one.getBoundingClientRect().toJSON());
    assert.ok(Number(right) <= width, `${width} px: it ends at ${right}`);
  }
});

walk("breadcrumbs have separators between them, and none after the last", {
  as: CHIEF,
}, async ({ page, go }) => {
  await go("/certificates/1/edit/");
  const separators = await page.locator(".crumbs li").evaluateAll((items) =>
    items.map((item) =>
      ["::before", "::after"].map((part) => getComputedStyle(item, part).content.includes("/"))
    )
  );
  assert.deepEqual(separators, [[false, false], [true, false]]);
});

for (const width of [WIDTHS.wide, 1024]) {
  walk(
    `the actions on selected rows are one line above the head of the table, and a menu has the others (${width} px)`,
    {
      as: CHIEF,
      viewport: { width, height: 768 },
    },
    async ({ page, go }) => {
      await go("/certificates/?limit=2");
      await page.locator("[data-select-list]").waitFor({ state: "attached" });
      await page.locator("tbody input[type=checkbox]").first().check();
      await page.locator(".selection > strong", { hasText: "1 selected" }).waitFor();
      const bar = await page.locator(".selection").boundingBox();
      const head = await page.locator(".table thead").first().boundingBox();
      assert.ok(bar !== null && head !== null);
      assert.ok(
        bar.y + bar.height <= head.y + 1,
        `The bar ends at ${bar.y + bar.height}, the head is at ${head.y}`,
      );
      const tops = await page.locator("#bulk-actions :is(button, select, summary)").filter({ visible: true })
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
      assert.equal(new Set(tops).size, 1, `Controls at ${tops}`);
      const more = page.getByRole("button", { name: "Validate chains" });
      assert.equal(await more.isVisible(), false);
      await page.locator("#bulk-actions summary").click();
      await more.waitFor();
      await page.keyboard.press("Escape");
      await more.waitFor({ state: "hidden" });
    },
  );
}

walk("on a phone the actions on selected rows are at the lower edge, all of them behind one button", {
  as: CHIEF,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, go }) => {
  await go("/certificates/");
  await page.locator("tbody input[type=checkbox]").first().check();
  await page.locator(".selection > strong", { hasText: "1 selected" }).waitFor();
  const bar = await page.locator(".selection").boundingBox();
  assert.equal(Math.round((bar?.y ?? 0) + (bar?.height ?? 0)), 844);
  await page.getByRole("button", { name: "Actions", exact: true }).click();
  for (
    const name of ["Set", "Edit…", "Assign…", "Validate chains", "Check compliance", "Export", "Delete…"]
  ) {
    await page.locator("#bulk-actions").getByRole("button", { name, exact: true }).waitFor();
  }
  await page.locator("#bulk-actions").getByRole("heading", { name: "1 selected" }).waitFor();
  await page.locator("#bulk-actions").getByRole("button", { name: "Close" }).click();
  assert.equal(await page.locator("#bulk-actions").isVisible(), false);
});

walk("on a phone a list has one column, and host names in one line", {
  as: CHIEF,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, go }) => {
  for (const path of ["/certificates/", "/endpoints/", "/devices/"]) {
    await go(path);
    await page.locator("td.first > a.object").first().waitFor();
    const lines = await page.locator("td.first > a.object").evaluateAll((links) =>
      links.filter(({ textContent }) => /^[\w.:-]{1,36}$/.test(textContent ?? "")).map((
        link,
      ) => [
        link.textContent,
        link.getBoundingClientRect().height / parseFloat(getComputedStyle(link).lineHeight),
      ])
    );
    assert.ok(lines.length > 0, path);
    assert.deepEqual(lines.filter(([, height]) => Number(height) > 1.6), [], path);
  }
});

walk("the change log gives most space to changes", {
  as: CHIEF,
}, async ({ page, go }) => {
  await go(`/webhooks/${seed.webhooks.inventory}/`);
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("status").getByText("Webhook enabled.").waitFor();
  await go("/changes/");
  for (const width of [WIDTHS.wide, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    const widthOf = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.width ?? 0;
    const whole = await widthOf(page.locator("main table"));
    const shareOf = async (name: string): Promise<number> =>
      await widthOf(page.locator("th", { hasText: name })) / whole;
    const share = await shareOf("Changes");
    assert.ok(share > 0.34, `${share} at ${width} px`);
    assert.ok(await shareOf("User") < 0.2, `User at ${width} px`);
  }
});

walk("on a phone the tabs of a place scroll to the current one", {
  as: CHIEF,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, go }) => {
  await go("/cluster-types/");
  const tab = page.getByRole("navigation", { name: "Systems" }).locator("[aria-current]");
  assert.equal(await tab.innerText(), "Cluster types");
  const { x = 0, width = 0 } = await tab.boundingBox() ?? {};
  assert.ok(width > 0 && x >= 0 && x + width <= WIDTHS.phone, `The tab ends at ${x + width} px`);
});

walk("the form that edits several objects has two columns on a wide screen, and its buttons stay visible", {
  as: CHIEF,
  viewport: { width: WIDTHS.wide, height: 500 },
}, async ({ page, go }) => {
  await go("/certificates/");
  const boxes = page.locator("main input[name=ids]");
  for (const at of [0, 1]) await boxes.nth(at).check();
  // It is in a menu if there are many actions.
  const edit = page.locator('main button[formaction$="/bulk-edit/"]');
  await edit.evaluate((button: HTMLElement) => button.click());
  await page.getByRole("heading", { name: "Edit 2 certificates" }).waitFor();
  const tops = await Promise.all(
    ["Tenant", "Status"].map(async (label) =>
      (await page.getByLabel(label, { exact: true }).boundingBox())?.y
    ),
  );
  assert.equal(tops[0], tops[1]);
  const save = page.getByRole("button", { name: "Save 2 certificates" });
  const { y = 0, height = 0 } = await save.boundingBox() ?? {};
  assert.ok(height > 0 && y + height <= 500, `The button ends at ${y + height} px`);
  await assertAccessible(page, "the form that edits several certificates");
});
