/** The page that shows a renewal before it is done. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { pki } from "../support/pki.ts";
import { seed } from "../support/seed.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const PATH = `/certificates/${seed.certificates.acmeWeb}/renew/`;

async function successor(sans: string[]): Promise<string> {
  const notAfter = "2027-10-31T23:59:59Z";
  return (await pki.issuing.issue({ cn: "www.acme.example", serial: 0x0b0002, sans, notAfter })).pem;
}

Deno.test("a successor that lacks names of the old certificate is shown with them, and stored on confirmation", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const whole = await browser.post(PATH, {
    pem_content: await successor(["www.acme.example", "*.www.acme.example"]),
  });
  assert.match(textOf(whole.html), /Confirm renewal/);
  assert.doesNotMatch(textOf(whole.html), /does not cover/);
  const less = await browser.post(PATH, { pem_content: await successor(["www.acme.example"]) });
  assert.match(textOf(less.html), /Names the new certificate does not cover: alt\.www\.acme\.example/);
  const done = await browser.post(PATH, {
    pem_content: await successor(["www.acme.example"]),
    confirmed: "yes",
  });
  assert.equal(done.status, 303);
});
