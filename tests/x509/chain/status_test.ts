import assert from "node:assert/strict";
import { validateChain } from "../../../src/x509/chain/mod.ts";
import { TEST_NOW, TestCa } from "../../support/test_ca/mod.ts";
import { assertResult, pure, validate } from "./support.ts";

const DAY = 86_400_000;

pure("A leaf with its intermediate and root is valid and complete", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const result = await validate({ leaf, pool: [ca, root] });
  assertResult(result, "valid");
  assert.deepEqual(
    { depth: result.depth, complete: result.complete, anchor: result.anchor },
    { depth: 3, complete: true, anchor: "bundle" },
  );
  assert.deepEqual(
    result.path.map((
      { certificate, isLeaf, isSelfSigned },
    ) => [certificate.subject.text, isLeaf, isSelfSigned]),
    [["CN=www.acme.example", true, false], ["CN=Test Intermediate", false, false], [
      "CN=Test Root",
      false,
      true,
    ]],
  );
  assert.deepEqual(result.warnings, []);
});

pure("A chain in the wrong order, with extras and duplicates, is valid", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const stranger = await TestCa.root({ cn: "Stranger" });
  const result = await validate({ leaf, pool: [root, stranger, leaf, ca, root, ca] });
  assertResult(result, "valid");
  assert.equal(result.depth, 3);
});

pure("A chain without its root is valid and not complete", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const result = await validate({ leaf, pool: [ca] });
  assertResult(result, "valid");
  assert.deepEqual([result.complete, result.anchor, result.depth], [false, "none", 2]);
});

pure("A chain without its root is incomplete when the root is required", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  assertResult(await validate({ leaf, pool: [ca], requireRoot: true }), "incomplete", ["issuer_missing"]);
  assertResult(await validate({ leaf, pool: [ca, root], requireRoot: true }), "valid");
});

pure("A leaf and a root without the intermediate are incomplete", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const result = await validate({ leaf, pool: [root] });
  assertResult(result, "incomplete", ["issuer_missing"]);
  assert.match(
    result.errors[0]!,
    /^issuer_missing: Certificate 1 names .* CN=Test Intermediate \(RFC 5280 §6\.1\)$/,
  );
  assert.equal(result.depth, 1);
});

pure("A self-signed certificate is self_signed and counts as valid", async () => {
  const leaf = await TestCa.selfSigned({ cn: "self.example" });
  const result = await validate({ leaf });
  assertResult(result, "self_signed");
  assert.deepEqual([result.depth, result.path[0]?.isSelfSigned, result.anchor], [1, true, "none"]);
  assertResult(await validate({ leaf, pool: [leaf, await TestCa.root()] }), "self_signed");
});

pure("A self-signed certificate outside its validity is expired or not_yet_valid", async () => {
  const leaf = await TestCa.selfSigned({ cn: "self.example" });
  const { notBefore, notAfter } = leaf.certificate.validity;
  assertResult(await validate({ leaf, at: notAfter + 1000 }), "expired", ["expired"]);
  assertResult(await validate({ leaf, at: notBefore - 1000 }), "not_yet_valid", ["not_yet_valid"]);
});

pure(
  "A certificate whose issuer is its own name but whose signer is another key is not self_signed",
  async () => {
    const signer = await TestCa.root({ cn: "Same Name" });
    const leaf = await signer.issue({ cn: "Same Name" });
    assertResult(await validate({ leaf }), "no_chain", ["issuer_missing"]);
    assertResult(await validate({ leaf, pool: [await TestCa.root()] }), "incomplete", ["issuer_missing"]);
    const result = await validate({ leaf, pool: [signer] });
    assertResult(result, "valid");
    assert.equal(result.path[0]?.isSelfSigned, false);
  },
);

pure(
  "A self-signed certificate whose signature was tampered with is no_chain, and invalid_signature in a chain",
  async () => {
    const leaf = await TestCa.selfSigned({ cn: "self.example", brokenSignature: true });
    assertResult(await validate({ leaf }), "no_chain", ["bad_signature", "issuer_missing"]);
    const other = await TestCa.root();
    assertResult(await validate({ leaf, pool: [other] }), "invalid_signature", ["bad_signature"]);
  },
);

pure("A leaf without any chain is no_chain, even when it is expired too", async () => {
  const leaf = await (await TestCa.root()).issue({ cn: "www.acme.example" });
  assertResult(await validate({ leaf }), "no_chain", ["issuer_missing"]);
  assertResult(await validate({ leaf, at: TEST_NOW + 999 * DAY }), "no_chain", ["expired", "issuer_missing"]);
});

pure(
  "Expired members make a chain expired, future ones not_yet_valid, and expired takes precedence",
  async () => {
    const root = await TestCa.root();
    const expiredCa = await root.intermediate({ notAfter: TEST_NOW - DAY });
    const leaf = await expiredCa.issue({ cn: "a.example" });
    assertResult(await validate({ leaf, pool: [expiredCa, root] }), "expired", ["expired"]);
    assertResult(await validate({ leaf, pool: [expiredCa] }), "expired", ["expired"]);
    const early = await expiredCa.issue({ cn: "b.example", notBefore: TEST_NOW + DAY });
    const result = await validate({ leaf: early, pool: [expiredCa, root] });
    assertResult(result, "expired", ["not_yet_valid", "expired"]);
    const ca = await root.intermediate();
    const future = await ca.issue({ cn: "c.example", notBefore: TEST_NOW + DAY });
    assertResult(await validate({ leaf: future, pool: [ca, root] }), "not_yet_valid", ["not_yet_valid"]);
    const oldRoot = await TestCa.root({ notAfter: TEST_NOW - DAY });
    assertResult(
      await validate({ leaf: await oldRoot.issue({ cn: "d.example" }), pool: [oldRoot] }),
      "expired",
      [
        "expired",
      ],
    );
  },
);

pure("Validity is compared in whole seconds, both ends included", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example", notBefore: TEST_NOW, notAfter: TEST_NOW + DAY });
  for (
    const [offset, status] of [
      [0, "valid"],
      [-1, "not_yet_valid"],
      [999, "valid"],
      [DAY, "valid"],
      [DAY + 999, "valid"],
      [DAY + 1000, "expired"],
    ] as const
  ) {
    const result = await validate({ leaf, pool: [root], at: TEST_NOW + offset });
    assert.equal(result.status, status, `offset ${offset} ms`);
  }
});

pure("A leaf that cannot be read is a parse_error of depth 0", async () => {
  const request = { pool: [], anchors: [], at: TEST_NOW };
  const cut = (await TestCa.root()).der.subarray(0, 100);
  for (const leaf of [new Uint8Array(0), new Uint8Array(500), cut]) {
    const result = await validateChain({ ...request, leaf });
    assert.deepEqual([result.status, result.isValid, result.depth], ["parse_error", false, 0]);
    assert.equal(result.errors.length, 1);
  }
  const unreadable = [{ code: "no_pem", message: "No PEM block", line: 3, block: 1 }];
  const result = await validateChain({ ...request, leaf: { unreadable } });
  assert.deepEqual([result.status, result.errors], ["parse_error", [
    "no_pem: No PEM block (block 1, line 3)",
  ]]);
});

pure(
  "A chain without any readable certificate is a parse_error; one invalid certificate in it is a warning",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    const request = { leaf: leaf.der, anchors: [], at: TEST_NOW };
    const broken = root.der.subarray(0, 200);
    const nothing = await validateChain({ ...request, pool: [broken] });
    assert.deepEqual([nothing.status, nothing.depth], ["parse_error", 1]);
    const some = await validateChain({ ...request, pool: [broken, root.der] });
    assertResult(some, "valid");
    assert.equal(some.warnings.length, 1);
    const ownOnly = await validateChain({ ...request, pool: [leaf.der] });
    assertResult(ownOnly, "incomplete", ["issuer_missing"]);
  },
);

pure("Parsed certificates have the same result as their DER", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  const result = await validateChain({
    leaf: leaf.certificate,
    pool: [ca.certificate, root.certificate],
    anchors: [],
    at: TEST_NOW,
  });
  assert.deepEqual(
    { ...result, path: result.path.length },
    { ...await validate({ leaf, pool: [ca, root] }), path: 3 },
  );
});
