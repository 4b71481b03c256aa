/** Keys as people and programs write them in the cell of the algorithm. */

import assert from "node:assert/strict";
import { readKeyNotation } from "../../../../src/base/spellings/keys.ts";
import { normalizeCells } from "../../../../src/domain/certificates/import/data_row.ts";

const KEYS: readonly (readonly [text: string, algorithm?: string, size?: string])[] = [
  ["rsa", "rsa"],
  ["RSA 2048", "rsa", "2048"],
  [" RSA-4096 ", "rsa", "4096"],
  ["RSA2048", "rsa", "2048"],
  ["RSA (2048 bit)", "rsa", "2048"],
  ["RSA 3072 bits", "rsa", "3072"],
  ["ECDSA P-256", "ecdsa", "256"],
  ["ECDSA 256", "ecdsa", "256"],
  ["EC 256", "ecdsa", "256"],
  ["EC secp384r1", "ecdsa", "384"],
  ["ECC prime256v1", "ecdsa", "256"],
  ["ECDSA P521", "ecdsa", "521"],
  ["EC", "ecdsa"],
  ["Ed25519", "ed25519"],
  ["EdDSA", "ed25519"],
  ["Unknown", "unknown"],
  ["Ed25519 256"],
  ["RSA P-256"],
  ["RSA 2048 SHA-256"],
  ["DSA 2048"],
  ["RSA 99"],
  ["RSA 123456"],
  ["constructor"],
  [""],
  [`RSA 2048${" ".repeat(40)}`, "rsa", "2048"],
  [`RSA${" ".repeat(40)}2048`],
];
for (const [text, algorithm, size] of KEYS) {
  Deno.test(`The key ${JSON.stringify(text)} is ${algorithm ?? "not read"}${size === undefined ? "" : ` of ${size} bits`}`, () => {
    const expected = algorithm === undefined
      ? undefined
      : { algorithm, ...(size === undefined ? {} : { size }) };
    assert.deepEqual(readKeyNotation(text), expected);
  });
}

Deno.test("The size of a key fills its own cell, and a contradiction or another text stays as it was written", () => {
  const expected = { algorithm: "rsa", key_size: "2048" };
  assert.deepEqual(normalizeCells({ algorithm: "RSA 2048" }), expected);
  assert.deepEqual(normalizeCells({ algorithm: "RSA 2048", key_size: " " }), expected);
  assert.deepEqual(normalizeCells({ algorithm: "RSA 2048", key_size: "2048" }), expected);
  for (
    const given of [{ algorithm: "RSA 2048", key_size: "4096" }, { algorithm: "Rot 13", key_size: "2048" }]
  ) {
    assert.deepEqual(normalizeCells(given), given);
  }
  assert.deepEqual(normalizeCells({ status: "Revoked" }), { status: "revoked" });
  assert.deepEqual(normalizeCells({ status: "Gone" }), { status: "Gone" });
});
