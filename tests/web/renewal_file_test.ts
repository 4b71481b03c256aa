/** The file of a successor: each format, its order, and what is refused. */

import assert from "node:assert/strict";
import { encodePem } from "../../src/x509/mod.ts";
import { successorPem } from "../../src/domain/certificates/renewal/successor_file.ts";
import { testApp } from "../support/app.ts";
import { pki } from "../support/pki.ts";
import { refusal } from "../support/refusals.ts";
import { seed } from "../support/seed.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const PATH = `/certificates/${seed.certificates.acmeWeb}/renew/`;
const successor = await pki.issuing.issue({
  cn: "www.acme.example",
  serial: 0x0b0201,
  sans: ["www.acme.example"],
  notAfter: "2027-10-31T23:59:59Z",
});

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("the certificate that has issued none of the others comes first, in any order of the input", async () => {
  const expected = [successor.der, pki.issuing.der, pki.root.der].map((der) => encodePem(der));
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2]]) {
    const given = order.map((index) => expected[index]).join("");
    const pem = await successorPem(bytesOf(given));
    assert.ok(pem.startsWith(expected[0] as string), String(order));
    for (const one of expected) assert.ok(pem.includes(one), String(order));
  }
  assert.equal(await successorPem(successor.der), encodePem(successor.der));
  assert.equal(await successorPem(pki.root.der), encodePem(pki.root.der));
});

Deno.test("a file without a certificate, with several or with a private key is refused at the file", async () => {
  for (
    const [content, message] of [
      [new Uint8Array(), /no certificate|Unable to read/],
      [bytesOf("hello"), /no certificate|Unable to read/],
      [bytesOf(pki.fresh.pem + pki.other.pem), /2 certificates to choose from/],
      [bytesOf(successor.pem + successor.key.privateKeyPem), /private key/i],
      [successor.key.pkcs8, /private key|Unable to read|no certificate/i],
    ] as const
  ) {
    const error = await refusal(successorPem(content));
    assert.equal(error.code, "invalid");
    assert.match(JSON.stringify(error.public), message);
    assert.deepEqual(Object.keys(error.public), ["file"]);
  }
});

Deno.test("a chosen file is compared, and stored on confirmation; text and file together are refused", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const file = new File([successor.der as Uint8Array<ArrayBuffer>], "successor.cer");
  const shown = await browser.post(PATH, { file });
  assert.match(textOf(shown.html), /Confirm renewal/);
  const both = await browser.post(PATH, { file, pem_content: successor.pem });
  assert.equal(both.status, 400);
  assert.match(textOf(both.html), /Paste text or choose a file, not both/);
  const wrong = await browser.post(PATH, { file: new File(["hello"], "hello.txt") });
  assert.equal(wrong.status, 400);
  const done = await browser.post(PATH, { pem_content: successor.pem, confirmed: "yes" });
  assert.equal(done.status, 303);
});
