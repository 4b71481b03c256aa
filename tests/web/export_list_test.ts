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
    "/certificates/?columns=common_name&columns=algorithm",
  );
  const shown = /<option value="([^"]*)">Columns of this list/.exec(html)?.[1] ?? "";
  assert.deepEqual(shown.split(",").toSorted(), ["algorithm", "common_name", "key_size"]);
  const listed = await browser.get(`${EXPORT}&fields=${shown}`);
  assert.deepEqual(cells(listed.html)[0]?.toSorted(), ["algorithm", "common_name", "key_size"]);
  const whole = cells((await browser.get(`${EXPORT}&fields=all&common_name=none`)).html)[0] ?? [];
  assert.deepEqual(whole, EXPORT_FIELDS.filter((name) => !["pem_content", "issuer_chain"].includes(name)));
});

for (
  const query of [
    "",
    "group_by=owner",
    "group_by=tenant&ordering=-valid_to",
    "group_by=month&q=acme",
    "show=all&columns=issuer&limit=1&offset=1",
    "status=active&status=expired",
    "tenant=acme&key_size__lt=3072",
  ]
) {
  Deno.test(`Export of a list: the form of /certificates/?${query} exports as many rows as the list has`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const { html } = await browser.get(`/certificates/?${query}`);
    const [, form = ""] = /action="\/certificates\/export\/">(.*?)<\/form>/s.exec(html) ?? [];
    const [, all = "1"] = /All (\d+) certificates of this list, by ID/.exec(form) ?? [];
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
      .map(([, name = "", value = ""]) => [name, value]);
    const params = new URLSearchParams([...hidden, ["format", "csv"], ["fields", "id"]]);
    const { status, html: csv } = await browser.get(`/certificates/export/?${params}`);
    assert.equal(status, 200, csv);
    const ids = cells(csv).slice(1).map(([id]) => Number(id));
    assert.equal(ids.length, Number(all));
    assert.deepEqual(ids, ids.toSorted((a, b) => a - b));
  });
}
