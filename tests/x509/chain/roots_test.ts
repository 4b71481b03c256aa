/** Roots of a chain: their own signatures, roots to which no path leads, and roots with another key. */

import assert from "node:assert/strict";
import { chainInputFromPem, validateChain, verifySignature } from "../../../src/x509/chain/mod.ts";
import { derWriter, newKey, TestCa } from "../../support/test_ca/mod.ts";
import { assertResult, codes, pure, validate } from "./support.ts";
import vectors from "./root_vectors.json" with { type: "json" };

const { oid, sequence } = derWriter;
const MD2 = sequence(oid("1.2.840.113549.1.1.2"), derWriter.nothing());

pure(
  "a root of the chain whose own signature cannot be checked ends a path",
  async () => {
    const signedWithMd2 = {
      innerAlgorithm: MD2,
      outerAlgorithm: MD2,
      key: "rsa2048",
    } as const;
    const root = await TestCa.root(signedWithMd2);
    const ca = await root.intermediate();
    const leaf = await ca.issue({ cn: "a.example" });
    const result = await validate({ leaf, pool: [ca, root] });
    assertResult(result, "valid");
    assert.deepEqual([result.complete, result.anchor], [true, "bundle"]);
    assertResult(await validate({ leaf, pool: [ca] }), "valid");
  },
);

pure(
  "a root of the chain whose own signature is wrong does not end a path",
  async () => {
    const root = await TestCa.root({ brokenSignature: true });
    const leaf = await root.issue({ cn: "a.example" });
    assertResult(await validate({ leaf, pool: [root] }), "invalid_signature", [
      "bad_signature",
    ]);
  },
);

pure(
  "a leaf and an intermediate that are signed with MD2 cannot be checked",
  async () => {
    const root = await TestCa.root({ key: "rsa2048" });
    const leaf = await root.issue({
      cn: "a.example",
      innerAlgorithm: MD2,
      outerAlgorithm: MD2,
    });
    assertResult(await validate({ leaf, pool: [root] }), "invalid_signature", [
      "unsupported_algorithm",
    ]);
    const own = await TestCa.selfSigned({
      cn: "a.example",
      key: "rsa2048",
      innerAlgorithm: MD2,
      outerAlgorithm: MD2,
    });
    assert.equal((await validate({ leaf: own })).isValid, false);
  },
);

pure(
  "a path below a missing issuer is incomplete if the chain has a root to which no path leads",
  async () => {
    const missing = await TestCa.root({ cn: "Missing" });
    const ca = await missing.intermediate({ cn: "CA" });
    const leaf = await ca.issue({ cn: "a.example" });
    const other = await TestCa.root({ cn: "Other" });
    const below = await other.intermediate({ cn: "Other CA" });
    const md2 = {
      cn: "Old",
      innerAlgorithm: MD2,
      outerAlgorithm: MD2,
      key: "rsa2048",
    } as const;
    for (const unrelated of [other, await TestCa.root(md2)]) {
      assertResult(
        await validate({ leaf, pool: [ca, unrelated] }),
        "incomplete",
        ["issuer_missing"],
      );
      const anchors = [{
        certificate: unrelated.certificate,
        kind: "tracked_ca" as const,
      }];
      assertResult(
        await validate({ leaf, pool: [ca, unrelated], anchors }),
        "incomplete",
        ["issuer_missing"],
      );
      assertResult(await validate({ leaf, pool: [ca], anchors }), "valid");
    }
    assertResult(await validate({ leaf, pool: [ca, below] }), "valid");
    assertResult(await validate({ leaf, pool: [ca, other, missing] }), "valid");
    const selfIssued = await TestCa.root({
      cn: "Broken",
      brokenSignature: true,
    });
    assertResult(await validate({ leaf, pool: [ca, selfIssued] }), "valid");
  },
);

pure(
  "a root in the chain with the name of an issuer, but another key, is a warning",
  async () => {
    const root = await TestCa.root({ cn: "Root" });
    const leaf = await root.issue({ cn: "a.example" });
    const namesake = await TestCa.root({
      cn: "Root",
      key: await newKey("p256"),
    });
    const anchors = [{
      certificate: root.certificate,
      kind: "tracked_ca" as const,
    }];
    const result = await validate({ leaf, pool: [namesake], anchors });
    assertResult(result, "valid");
    assert.deepEqual(codes(result.warnings), ["wrong_root"]);
    assert.match(
      result.warnings[0]!,
      /Certificate 1 is not signed by the key of the root of this name/,
    );
    const renewed = await TestCa.root({ cn: "Root", key: root.key, serial: 7 });
    for (const pool of [[root], [renewed], [root, renewed]]) {
      assert.deepEqual((await validate({ leaf, pool, anchors })).warnings, []);
    }
  },
);

for (const [name, { pem, status, errors }] of Object.entries(vectors)) {
  pure(`OpenSSL's chain with ${name} is ${status}`, async () => {
    const result = await validateChain({
      ...chainInputFromPem(pem, ""),
      anchors: [],
      at: Date.UTC(2026, 10, 28),
    });
    assertResult(result, status, errors);
  });
}

pure("degenerate DSA keys verify nothing", async () => {
  const prime = (bits: number): bigint => (1n << BigInt(bits - 1)) + 1n;
  const q = prime(160);
  const p = q * (1n << 864n) + 1n;
  const cases: Record<
    string,
    readonly [p: bigint, q: bigint, g: bigint, y: bigint]
  > = {
    "a short p": [q * (1n << 800n) + 1n, q, 5n, 7n],
    "a q of another size": [prime(180) * (1n << 850n) + 1n, prime(180), 5n, 7n],
    "a q that does not divide p - 1": [p + 2n, q, 5n, 7n],
    "the generator 0": [p, q, 0n, 7n],
    "the generator 1": [p, q, 1n, 7n],
    "the generator -1": [p, q, p - 1n, 7n],
    "the generator p + 1": [p, q, p + 1n, 7n],
    "the public number 1": [p, q, 5n, 1n],
    "the public number -1": [p, q, 5n, p - 1n],
    "a public number above p": [p, q, 5n, p + 5n],
  };
  for (const [title, [p, q, g, y]] of Object.entries(cases)) {
    const parameters = sequence(
      derWriter.integer(p),
      derWriter.integer(q),
      derWriter.integer(g),
    );
    const result = await verifySignature({
      algorithm: {
        oid: "2.16.840.1.101.3.4.3.2",
        name: "DSA",
        der: new Uint8Array(),
      },
      key: {
        algorithm: "unknown",
        name: "DSA",
        oid: "1.2.840.10040.4.1",
        spki: new Uint8Array(),
        parameters,
        bits: derWriter.integer(y),
      },
      data: new Uint8Array(20),
      signature: sequence(derWriter.integer(1), derWriter.integer(1)),
    });
    assert(
      result.kind === "bad" && result.reason.includes("proves nothing"),
      `${title}: ${JSON.stringify(result)}`,
    );
  }
});
