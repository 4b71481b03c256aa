/** Forms show which of several certificates with the same name is chosen. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { browserOf } from "./imports/browser.ts";

/** Stores more certificates than a select lists; the first three have the same name. */
async function many(app: TestApp): Promise<readonly number[]> {
  return await storeCertificates(
    app,
    Array.from({ length: 103 }, (_, index) =>
      metadata(1_000 + index, {
        common_name: index < 3 ? "same.example" : `other-${index}.example`,
        status: ["active", "revoked", "replaced"][index] ?? "active",
      })),
  );
}

/** Returns the text below the certificate of a form; undefined without a place for it. */
function detailOf(html: string): string | undefined {
  assert.match(html, /<input id="f-certificate"[^>]* aria-describedby="f-certificate-detail /);
  return /<small class="detail" id="f-certificate-detail" aria-live="polite">([^<]*)<\/small>/.exec(html)
    ?.[1];
}

Deno.test("a form shows expiry, issuer and past status of the chosen certificate, also after an error", async () => {
  await using app = await testApp();
  const ids = await many(app);
  const browser = await browserOf(app);
  const expected = [/^Expires in \d+ days, issued by \S/, /^Revoked, expires in /, /^Replaced, expires in /];
  for (const [index, pattern] of expected.entries()) {
    const certificate = `same.example (#${ids[index]})`;
    const { html } = await browser.get(`/assignments/new/?certificate=${ids[index]}`);
    assert.match(detailOf(html) ?? "", pattern);
    const { status, html: again } = await browser.post("/assignments/new/", { certificate });
    assert.equal(status, 400);
    assert.equal(detailOf(again), detailOf(html));
    const { options } = JSON.parse((await browser.get("/suggest/certificates/?q=same")).html) as {
      options: { value: string; detail: string }[];
    };
    assert.equal(options.find(({ value }) => value === certificate)?.detail, detailOf(html));
  }
  assert.equal(detailOf((await browser.get("/assignments/new/")).html), "", "nothing is chosen");
});

Deno.test("a form shows nothing about a certificate that the user may not view", async () => {
  await using app = await testApp();
  const ids = await many(app);
  const browser = await browserOf(
    app,
    granted([
      { types: ["certmgr.certificate"], actions: ["view"], constraints: { status: "active" } },
      { types: ["certmgr.certificateassignment"], actions: ["view", "add"] },
    ]),
  );
  assert.equal(detailOf((await browser.get(`/assignments/new/?certificate=${ids[1]}`)).html), "");
  assert.match(
    detailOf((await browser.get(`/assignments/new/?certificate=${ids[0]}`)).html) ?? "",
    /^Expires in /,
  );
});
