import assert from "node:assert/strict";
import { indexAnchors, validateChain } from "../../src/x509/chain/mod.ts";
import { encodePem, holdsPrivateKey } from "../../src/x509/mod.ts";
import { publicRoots } from "../../src/x509/public_roots.ts";
import { pkcs7, TestCa } from "../support/test_ca/mod.ts";

Deno.test("The runtime's roots are read once, each as a public root", async () => {
  const { anchors, problem } = await publicRoots();
  assert.equal(problem, undefined);
  assert.ok(anchors.length > 100, `${anchors.length} roots`);
  assert.ok(
    anchors.every(({ kind, certificate }) => kind === "public_root" && certificate.subject.key !== ""),
  );
  assert.equal((await publicRoots()).anchors, anchors);
});

Deno.test("Every public root is self_signed when it is validated, and trusted", async () => {
  const { anchors } = await publicRoots();
  const index = indexAnchors(anchors);
  for (const { certificate } of anchors) {
    const result = await validateChain({
      leaf: certificate,
      pool: [],
      anchors: index,
      at: certificate.validity.notAfter,
    });
    assert.deepEqual(
      [result.status, result.anchor],
      ["self_signed", "public_root"],
      certificate.subject.text,
    );
  }
});

Deno.test("A public root is not an anchor for a certificate that it did not issue", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const { validity } = leaf.certificate;
  const { anchors } = await publicRoots();
  const result = await validateChain({ leaf: leaf.der, pool: [], anchors, at: validity.notBefore });
  assert.equal(result.status, "no_chain");
});

Deno.test("No public root is mistaken for a private key, in any form, alone or with all others", async () => {
  const ders = (await publicRoots()).anchors.map(({ certificate }) => certificate.der);
  for (const der of ders) {
    for (
      const input of [der, encodePem(der), der.toHex(), der.subarray(1).toBase64(), btoa(encodePem(der))]
    ) {
      assert.equal(holdsPrivateKey(input), false, encodePem(der));
    }
  }
  const all = pkcs7(ders);
  for (const input of [all, encodePem(all, "PKCS7"), ders.map((der) => encodePem(der)).join("")]) {
    assert.equal(holdsPrivateKey(input), false);
  }
});
