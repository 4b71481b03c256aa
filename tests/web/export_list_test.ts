/** The export of a list: all matching rows, in the order of the list, with chosen columns. */

import assert from "node:assert/strict";
import { EXPORT_FIELDS } from "../../src/domain/certificates/export/mod.ts";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

const EXPORT = "/certificates/export/?format=csv";

function cells(csv: string): string[][] {
  return csv.trimEnd().split("\r\n").map((line) => line.split(","));
}

Deno.test("Export of a list: more certificates than the API exports, in the order of the list", async () => {
  await using app = await testApp({ settings: { maxExportSize: 2 } });
  const browser = await browserOf(app);
  const ask = async (ordering: string): Promise<string[]> => {
    const { status, html } = await browser.get(`${EXPORT}&fields=id,valid_to&ordering=${ordering}`);
    assert.equal(status, 200);
    return cells(html).slice(1).map(([id = ""]) => id);
  };
  const all = await ask("id");
  assert(all.length > 2, `${all.length} certificates`);
  assert.deepEqual(await ask(""), all);
  assert.deepEqual(await ask("-id"), all.toReversed());
  const byExpiry = await browser.get(`${EXPORT}&fields=valid_to&ordering=valid_to`);
  const dates = cells(byExpiry.html).slice(1).map(([date = ""]) => date);
  assert.deepEqual(dates, dates.toSorted());
  assert.equal((await browser.get(`${EXPORT}&ordering=colour`)).status, 400);
});

Deno.test("Export of a list: the form offers the usual columns, those of the list and all of them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get(
    "/certificates/?columns=common_name&columns=algorithm&ordering=valid_to",
  );
  assert.match(html, /<input type="hidden" name="ordering" value="valid_to"/);
  const shown = /<option value="([^"]*)">Columns of this list/.exec(html)?.[1] ?? "";
  assert.deepEqual(shown.split(",").toSorted(), ["algorithm", "common_name"]);
  const listed = await browser.get(`${EXPORT}&fields=${shown}`);
  assert.deepEqual(cells(listed.html)[0]?.toSorted(), ["algorithm", "common_name"]);
  const whole = cells((await browser.get(`${EXPORT}&fields=all&common_name=none`)).html)[0] ?? [];
  assert.deepEqual(whole, EXPORT_FIELDS.filter((name) => !["pem_content", "issuer_chain"].includes(name)));
});

Deno.test("Export of a list: an order does not show certificates that the caller may not view", async () => {
  await using app = await testApp();
  const grants = [{ types: ["certmgr.certificate"], actions: ["view"], constraints: { status: "active" } }];
  const browser = await browserOf(app, granted(grants, { username: "active-only" }));
  const { html } = await browser.get(`${EXPORT}&fields=status&ordering=-valid_to`);
  const statuses = cells(html).slice(1).map(([status]) => status);
  assert(statuses.length > 0);
  assert.deepEqual([...new Set(statuses)], ["active"]);
});
