/** Long parsing and searching yields often enough that a service stays responsive. */

import assert from "node:assert/strict";
import { encodePem, readCertificates, readingCertificates, searchingKey } from "../../src/x509/mod.ts";
import { validateChain } from "../../src/x509/chain/mod.ts";
import { newKey, pkcs7, TEST_NOW, TestCa } from "../support/test_ca/mod.ts";

/** Returns how often the work yields, and its result. */
function counted<Result>(work: Generator<void, Result>): { yields: number; result: Result } {
  for (let yields = 0;; yields++) {
    const step = work.next();
    if (step.done === true) return { yields, result: step.value };
  }
}

Deno.test("parsing yields before every certificate, and has the same result", async () => {
  const root = await TestCa.root({ key: "p256" });
  const key = await newKey("p256");
  const ders: Uint8Array[] = [];
  for (let index = 0; index < 20; index++) ders.push((await root.issue({ cn: `${index}.example`, key })).der);
  const all = pkcs7(ders);
  for (const input of [all, encodePem(all, "PKCS7"), ders.map((der) => encodePem(der)).join("")]) {
    const { yields, result } = counted(readingCertificates(input));
    assert(yields >= 20, `${yields} yields`);
    assert.deepEqual(result, readCertificates(input));
  }
});

Deno.test("searching for keys yields at least once in 64 KiB of each layer", () => {
  for (
    const unit of ["A", "MDAw", "30", "%30", "-----BEGIN PRIVATE XKEY", "kty d:", "Maintained by the team, "]
  ) {
    const text = unit.repeat(1024 * 1024 / unit.length);
    for (const input of [text, new TextEncoder().encode(text)]) {
      const { yields, result } = counted(searchingKey(input));
      assert.equal(result, false);
      assert(yields >= 15, `${unit}: ${yields} yields`);
    }
  }
});

Deno.test("searching for keys yields after each decoding of a short text", () => {
  const { yields, result } = counted(searchingKey("MAAwADAA".repeat(7_000)));
  assert.equal(result, false);
  // Base64 has four alignments, base32 more.
  assert(yields > 4, `${yields} yields`);
});

Deno.test("a key is detected wherever the search pauses", async () => {
  const { pkcs8, privateKeyPem } = await newKey("p256");
  for (const key of [privateKeyPem, pkcs8.toBase64(), pkcs8.toHex(), btoa(pkcs8.toBase64())]) {
    for (const filling of ["x", ".", " ", "0"]) {
      for (let before = 64 * 1024 - 2 * key.length; before < 64 * 1024 + 40; before += 37) {
        const text = filling.repeat(before) + key + filling.repeat(200);
        assert.equal(counted(searchingKey(text)).result, true, `${before} of "${filling}" in front`);
      }
    }
  }
});

Deno.test("validation pauses before every certificate of a chain and every signature", async () => {
  const absent = await TestCa.root({ cn: "Twin", key: "p256" });
  const twins: Uint8Array[] = [];
  for (let index = 0; index < 20; index++) {
    twins.push((await absent.issue({ subject: "Twin", key: await newKey("p256"), ca: true })).der);
  }
  const leaf = await absent.issue({ cn: "a.example", without: ["authorityKeyIdentifier"] });
  let pauses = 0;
  const pause = (): void => void pauses++;
  await validateChain({ leaf: leaf.der, pool: twins, anchors: [], at: TEST_NOW, pause });
  assert(pauses >= 40, `${pauses} pauses`);
});
