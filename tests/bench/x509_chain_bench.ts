/**
 * Measures the chain validation of a leaf and two CAs, compared with its three signature checks alone (goal: at least
 * half their speed). Run with `deno bench tests/bench/x509_chain_bench.ts`.
 */

import { validateChain, verifySignature } from "../../src/x509/chain/mod.ts";
import type { Certificate } from "../../src/x509/mod.ts";
import { type KeyKind, TEST_NOW, TestCa } from "../support/test_ca/mod.ts";

for (const key of ["p256", "rsa2048", "ed25519"] as const satisfies readonly KeyKind[]) {
  const root = await TestCa.root({ key });
  const ca = await root.intermediate({ key });
  const leaf = await ca.issue({ cn: "www.acme.example", key });
  const pairs: [Certificate, Certificate][] = [
    [leaf.certificate, ca.certificate],
    [ca.certificate, root.certificate],
    [root.certificate, root.certificate],
  ];
  const group = `leaf + 2, ${key}`;
  Deno.bench({
    name: `three signature checks alone (${key})`,
    group,
    baseline: true,
    async fn(): Promise<void> {
      for (const [child, issuer] of pairs) {
        await verifySignature({
          algorithm: child.signatureAlgorithm,
          key: issuer.publicKey,
          data: child.tbs,
          signature: child.signature,
        });
      }
    },
  });
  const request = { anchors: [], at: TEST_NOW };
  const pool = [ca.der, root.der];
  Deno.bench({
    name: `validateChain from DER (${key})`,
    group,
    fn: async () => void await validateChain({ ...request, leaf: leaf.der, pool }),
  });
  const read = { leaf: leaf.certificate, pool: [ca.certificate, root.certificate] };
  Deno.bench({
    name: `validateChain of read certificates (${key})`,
    group,
    fn: async () => void await validateChain({ ...request, ...read }),
  });
}
