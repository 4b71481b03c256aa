/** Other requests run while a hostile or large import is parsed. */

import assert from "node:assert/strict";
import { MAX_MEMBERS } from "../../../../src/base/limits.ts";
import { testApp } from "../../../support/app.ts";
import { PATHS } from "../../../support/paths.ts";
import { countPauses } from "../../../support/pauses.ts";
import { encodePem } from "../../../../src/x509/mod.ts";
import { newKey, pkcs7, TestCa } from "../../../support/test_ca/mod.ts";

const root = await TestCa.root({ key: "p256" });
const key = await newKey("p256");
const ders: Uint8Array[] = [];
for (let index = 0; index < MAX_MEMBERS; index++) {
  ders.push((await root.issue({ cn: `host-${index}.example`, key })).der);
}

function file(content: Uint8Array | string): FormData {
  const form = new FormData();
  form.set("file", new File([content as BlobPart], "certificates.bin"));
  return form;
}

const row = {
  common_name: "a.example",
  serial_number: "01",
  issuer: "CN=A",
  valid_from: "2026-01-01",
  valid_to: "2027-01-01",
  fingerprint_sha256: "0".repeat(64),
  algorithm: "rsa",
};
const hostile = "A".repeat(50_000);

/** Imports with the least number of pauses in each. */
const CASES: readonly (readonly [title: string, least: number, path: string, body: () => unknown])[] = [
  [
    "a PKCS#7 file of 1,000 certificates",
    5_000,
    `${PATHS.certificates}import-file/`,
    () => file(pkcs7(ders)),
  ],
  ["a PEM text of 1,000 certificates", 5_000, `${PATHS.certificates}import/`, () => ({
    pem_content: ders.map((der) => encodePem(der)).join(""),
    split: true,
  })],
  [
    "a file of 1 MiB that is searched for keys",
    128,
    `${PATHS.certificates}import-file/`,
    () => file("A".repeat(2 ** 20)),
  ],
  ["a table of 2 MB", 180, `${PATHS.certificates}bulk-data-import/`, () => ({
    content: JSON.stringify(Array.from({ length: 40 }, () => ({ ...row, private_key_location: hostile }))),
  })],
  [
    "a chain text of 1 MiB",
    384,
    PATHS.certificates,
    () => ({ issuer_chain: "zM".repeat(2 ** 19), common_name: "a" }),
  ],
];

for (const [title, least, path, body] of CASES) {
  Deno.test(`other requests run while ${title} is imported`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const pauses = await countPauses(async () => {
      const response = await client(path, { method: "POST", body: body() });
      await response.text();
      assert(response.status < 500);
    });
    assert(pauses >= least, `${pauses} pauses`);
  });
}
