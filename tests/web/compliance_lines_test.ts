/** The lines of the compliance report: what they count, next to bars that may count less. */

import assert from "node:assert/strict";
import { DAY_MS } from "../../src/base/clock.ts";
import { bulkCheckCertificates, storeDailyScore } from "../../src/domain/compliance/mod.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "./imports/browser.ts";

/** Returns the last value of each line, and the share of failures of its bar. */
function ends(html: string): (readonly [line: number, bar: number])[] {
  const [, card = ""] = /aria-labelledby="policies">(.*?)<\/section>/s.exec(html) ?? [];
  return [...card.matchAll(/share-count">([\d.]+) %.*?title="Failures of [^"]* to ([\d.]+) % on/gs)]
    .map(([, bar, line]) => [Number(line), Number(bar)] as const);
}

Deno.test("lines end with the value of their bars; otherwise the report says that filters do not limit them", async () => {
  await using app = await testApp();
  const input = { certificate_ids: Object.values(seed.certificates) };
  await bulkCheckCertificates({ ctx: app.ctx, input });
  await storeDailyScore(app);
  app.clock.advance(DAY_MS);
  await storeDailyScore(app);
  const browser = await browserOf(app);
  const [whole, part] = [
    (await browser.get("/compliance/")).html,
    (await browser.get(`/compliance/?certificate__tenant_id=${seed.tenants.globex}`)).html,
  ];
  assert.ok(ends(whole).length > 0 && ends(whole).every(([line, bar]) => line === bar), String(ends(whole)));
  assert.match(whole, />Lines: failures by day\.</);
  assert.doesNotMatch(whole, /without the filters/);
  assert.ok(ends(part).some(([line, bar]) => line !== bar), String(ends(part)));
  assert.match(part, />Lines: failures by day of all certificates in use, without the filters\.</);
  const [, trend = ""] = /aria-labelledby="trend">(.*?)<\/section>/s.exec(part) ?? [];
  assert.match(trend, />All certificates in use, without the filters\.</);
});
