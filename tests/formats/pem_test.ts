import assert from "node:assert/strict";
import { type ExportRow, FORMATS } from "../../src/formats/mod.ts";
import { readCertificates, readPem } from "../../src/x509/mod.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { documentOf, HOSTILE_TEXTS } from "./support.ts";

const root = await TestCa.root({ cn: "Root", serial: 1 });
const issuing = await root.intermediate({ cn: "Issuing", serial: 2 });
const leaf = await issuing.issue({ cn: "www.example.com", serial: 3 });

const WITH_CHAIN = FORMATS.pem.fields({ chain: true });
const WITHOUT_CHAIN = FORMATS.pem.fields({ chain: false });

function row(values: ExportRow = {}): ExportRow {
  return {
    common_name: "www.example.com",
    serial_number: "03",
    valid_to: "2026-10-31T23:59:59",
    pem_content: leaf.pem,
    issuer_chain: "",
    ...values,
  };
}

function bundle(values: ExportRow, fields: readonly string[] = WITH_CHAIN): Promise<string> {
  return documentOf(FORMATS.pem, [row(values)], fields);
}

const HEAD = "# Common name: www.example.com\n# Serial number: 03\n# Expires: 2026-10-31\n";

const GOOD: readonly (readonly [title: string, values: ExportRow, document: string])[] = [
  ["a certificate follows comments", {}, `${HEAD}${leaf.pem}`],
  [
    "the chain has a separate comment",
    { issuer_chain: `${issuing.pem}${root.pem}` },
    `${HEAD}${leaf.pem}# Chain\n${issuing.pem}${root.pem}`,
  ],
  [
    "certificates that follow the first in its text are part of the chain, each once",
    { pem_content: `${leaf.pem}${issuing.pem}`, issuer_chain: `${leaf.pem}${issuing.pem}${root.pem}` },
    `${HEAD}${leaf.pem}# Chain\n${issuing.pem}${root.pem}`,
  ],
  [
    "a comment says that there is no PEM",
    { pem_content: "" },
    `${HEAD}# No PEM is stored for this certificate\n\n`,
  ],
  [
    "the chain of a certificate without PEM is written",
    { pem_content: "", issuer_chain: root.pem },
    `${HEAD}# No PEM is stored for this certificate\n# Chain\n${root.pem}`,
  ],
  [
    "a comment says that a stored text contains no certificate",
    { pem_content: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" },
    `${HEAD}# The stored PEM contains no readable certificate\n\n`,
  ],
  [
    "a comment says that parts of a chain are not certificates",
    { issuer_chain: `${issuing.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n` },
    `${HEAD}# Parts of the stored chain are not readable certificates\n${leaf.pem}# Chain\n${issuing.pem}`,
  ],
  [
    "a comment says that a chain contains no certificate",
    { issuer_chain: "see the wiki" },
    `${HEAD}# Parts of the stored chain are not readable certificates\n${leaf.pem}`,
  ],
];

for (const [title, values, document] of GOOD) {
  Deno.test(`PEM: ${title}`, async () => assert.equal(await bundle(values), document));
}

Deno.test("PEM: without chains there is no comment about a chain", async () => {
  assert.equal(await bundle({ issuer_chain: root.pem }, WITHOUT_CHAIN), `${HEAD}${leaf.pem}`);
});

Deno.test("PEM: an empty line separates certificates", async () => {
  const document = await documentOf(FORMATS.pem, [row(), row()], WITH_CHAIN);
  assert.equal(document, `${HEAD}${leaf.pem}\n${HEAD}${leaf.pem}`);
});

Deno.test("PEM: there is no comment after the last block", async () => {
  const none = row({ pem_content: "" });
  const document = await documentOf(FORMATS.pem, [row(), none, row(), none, none], WITH_CHAIN);
  const missing = `${HEAD}# No PEM is stored for this certificate\n\n`;
  const whole = `${HEAD}${leaf.pem}`;
  assert.equal(document, `${missing}${whole}\n${missing}${missing}${whole}`);
});

Deno.test("PEM: an export without rows is an empty text", async () => {
  assert.equal(await documentOf(FORMATS.pem, [], WITH_CHAIN), "");
});

const CRAFTED = [
  ...HOSTILE_TEXTS,
  "x\n-----BEGIN CERTIFICATE-----\n",
  "x-----BEGIN PRIVATE KEY-----AAAA-----END PRIVATE KEY-----",
  `x\r\n${root.pem}`,
  `x\u2028${root.pem}\u0085`,
  `-----BEGIN CERTIFICATE-----${"A".repeat(1_000)}`,
];

Deno.test("PEM: no name breaks out of its comment line or begins a block", async () => {
  for (const text of CRAFTED) {
    const document = await bundle({ common_name: text, serial_number: text, valid_to: text });
    const [first, second, third, ...rest] = document.split("\n");
    for (const line of [first, second, third]) {
      assert.match(line ?? "", /^# [^\p{Cc}\u2028\u2029]*$/u, JSON.stringify(text));
      assert(!line?.includes("---"), JSON.stringify(text));
      assert((line ?? "").length < 2_000, "A comment is short");
    }
    assert.equal(rest.join("\n"), leaf.pem, JSON.stringify(text));
    assert.equal(readCertificates(document).members.length, 1, JSON.stringify(text));
  }
});

Deno.test("PEM: only the certificates of a stored text are exported", async () => {
  const secret = "hunter2";
  const noisy = (pem: string): string =>
    `Bag Attributes: ${secret}\r\n${
      pem.replaceAll("\n", "\r\n")
    }${secret}\r\n-----BEGIN NOTE-----\r\nAAAA\r\n` +
    `-----END NOTE-----\r\n# ${secret}`;
  const document = await bundle({ pem_content: noisy(leaf.pem), issuer_chain: noisy(issuing.pem) });
  assert(!document.includes(secret) && !document.includes("NOTE") && !document.includes("\r"));
  assert.deepEqual(readPem(document).blocks.map(({ bytes }) => bytes), [leaf.der, issuing.der]);
});

Deno.test("PEM: octets after a certificate in its block are not written", async () => {
  const longer = `-----BEGIN CERTIFICATE-----\n${
    new Uint8Array([...leaf.der, 1, 2, 3]).toBase64()
  }\n-----END CERTIFICATE-----\n`;
  const document = await bundle({ pem_content: longer });
  const blocks = readPem(document).blocks.map(({ bytes }) => bytes);
  assert(blocks.every((bytes) => bytes.toHex() === leaf.der.toHex()), document);
});
