/** The export of a list: all matching rows, with chosen columns. */

import assert from "node:assert/strict";
import { EXPORT_FIELDS } from "../../src/domain/certificates/export/fields.ts";
import { testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

const EXPORT = "/certificates/export/?format=csv";

function cells(csv: string): string[][] {
  return csv.trimEnd().split("\r\n").map((line) => line.split(","));
}

Deno.test("Export of a list: more certificates than the API exports", async () => {
  await using app = await testApp({ settings: { maxExportSize: 2 } });
  const browser = await browserOf(app);
  const { status, html } = await browser.get(`${EXPORT}&fields=id&ordering=valid_to`);
  assert.equal(status, 200);
  assert(cells(html).length > 3);
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
