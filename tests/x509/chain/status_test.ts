import assert from "node:assert/strict";
import { validateChain } from "../../../src/x509/chain/mod.ts";
import { TEST_NOW, TestCa } from "../../support/test_ca/mod.ts";
import { assertVerdict, judge, pure } from "./support.ts";

const DAY = 86_400_000;

pure("A leaf with its intermediate and root is valid and complete", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const verdict = await judge({ leaf, pool: [ca, root] });
  assertVerdict(verdict, "valid");
  assert.deepEqual(
    { depth: verdict.depth, complete: verdict.complete, anchor: verdict.anchor },
    { depth: 3, complete: true, anchor: "bundle" },
  );
  assert.deepEqual(
    verdict.path.map((
      { certificate, isLeaf, isSelfSigned },
    ) => [certificate.subject.text, isLeaf, isSelfSigned]),
    [["CN=www.acme.example", true, false], ["CN=Test Intermediate", false, false], [
      "CN=Test Root",
      false,
      true,
    ]],
  );
  assert.deepEqual(verdict.warnings, []);
});

pure("A chain in the wrong order, with extras and duplicates, is valid", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const stranger = await TestCa.root({ cn: "Stranger" });
  const verdict = await judge({ leaf, pool: [root, stranger, leaf, ca, root, ca] });
  assertVerdict(verdict, "valid");
  assert.equal(verdict.depth, 3);
});

pure("A chain without its root is valid and not complete", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const verdict = await judge({ leaf, pool: [ca] });
  assertVerdict(verdict, "valid");
  assert.deepEqual([verdict.complete, verdict.anchor, verdict.depth], [false, "none", 2]);
});

pure("A chain without its root is incomplete when the root is required", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  assertVerdict(await judge({ leaf, pool: [ca], requireRoot: true }), "incomplete", ["issuer_missing"]);
  assertVerdict(await judge({ leaf, pool: [ca, root], requireRoot: true }), "valid");
});

pure("A leaf and a root without the intermediate are incomplete", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "www.acme.example" });
  const verdict = await judge({ leaf, pool: [root] });
  assertVerdict(verdict, "incomplete", ["issuer_missing"]);
  assert.match(
    verdict.errors[0]!,
    /^issuer_missing: Certificate 1 names .* CN=Test Intermediate \(RFC 5280 §6\.1\)$/,
  );
  assert.equal(verdict.depth, 1);
});

pure("A self-signed certificate is self_signed and counts as valid", async () => {
  const leaf = await TestCa.selfSigned({ cn: "self.example" });
  const verdict = await judge({ leaf });
  assertVerdict(verdict, "self_signed");
  assert.deepEqual([verdict.depth, verdict.path[0]?.isSelfSigned, verdict.anchor], [1, true, "none"]);
  assertVerdict(await judge({ leaf, pool: [leaf, await TestCa.root()] }), "self_signed");
});

pure("A self-signed certificate out of date is expired or not_yet_valid", async () => {
  const leaf = await TestCa.selfSigned({ cn: "self.example" });
  const { notBefore, notAfter } = leaf.certificate.validity;
  assertVerdict(await judge({ leaf, at: notAfter + 1000 }), "expired", ["expired"]);
  assertVerdict(await judge({ leaf, at: notBefore - 1000 }), "not_yet_valid", ["not_yet_valid"]);
});

pure(
  "A certificate whose issuer is its own name but whose signer is another key is not self_signed",
  async () => {
    const signer = await TestCa.root({ cn: "Same Name" });
    const leaf = await signer.issue({ cn: "Same Name" });
    assertVerdict(await judge({ leaf }), "no_chain", ["issuer_missing"]);
    assertVerdict(await judge({ leaf, pool: [await TestCa.root()] }), "incomplete", ["issuer_missing"]);
    const verdict = await judge({ leaf, pool: [signer] });
    assertVerdict(verdict, "valid");
    assert.equal(verdict.path[0]?.isSelfSigned, false);
  },
);

pure(
  "A self-signed certificate whose signature was tampered with is no_chain, and invalid_signature in a chain",
  async () => {
    const leaf = await TestCa.selfSigned({ cn: "self.example", brokenSignature: true });
    assertVerdict(await judge({ leaf }), "no_chain", ["bad_signature", "issuer_missing"]);
    const other = await TestCa.root();
    assertVerdict(await judge({ leaf, pool: [other] }), "invalid_signature", ["bad_signature"]);
  },
);

pure("A leaf without any chain is no_chain, even when it is expired too", async () => {
  const leaf = await (await TestCa.root()).issue({ cn: "www.acme.example" });
  assertVerdict(await judge({ leaf }), "no_chain", ["issuer_missing"]);
  assertVerdict(await judge({ leaf, at: TEST_NOW + 999 * DAY }), "no_chain", ["expired", "issuer_missing"]);
});

pure("Expired members make a chain expired, future ones not_yet_valid, and expired comes first", async () => {
  const root = await TestCa.root();
  const expiredCa = await root.intermediate({ notAfter: TEST_NOW - DAY });
  const leaf = await expiredCa.issue({ cn: "a.example" });
  assertVerdict(await judge({ leaf, pool: [expiredCa, root] }), "expired", ["expired"]);
  assertVerdict(await judge({ leaf, pool: [expiredCa] }), "expired", ["expired"]);
  const early = await expiredCa.issue({ cn: "b.example", notBefore: TEST_NOW + DAY });
  const verdict = await judge({ leaf: early, pool: [expiredCa, root] });
  assertVerdict(verdict, "expired", ["not_yet_valid", "expired"]);
  const ca = await root.intermediate();
  const future = await ca.issue({ cn: "c.example", notBefore: TEST_NOW + DAY });
  assertVerdict(await judge({ leaf: future, pool: [ca, root] }), "not_yet_valid", ["not_yet_valid"]);
  const oldRoot = await TestCa.root({ notAfter: TEST_NOW - DAY });
  assertVerdict(await judge({ leaf: await oldRoot.issue({ cn: "d.example" }), pool: [oldRoot] }), "expired", [
    "expired",
  ]);
});

pure("Validity is judged at whole seconds and both ends count", async () => {
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
    const verdict = await judge({ leaf, pool: [root], at: TEST_NOW + offset });
    assert.equal(verdict.status, status, `offset ${offset} ms`);
  }
});

pure("A leaf that cannot be read is a parse_error of depth 0", async () => {
  const request = { pool: [], anchors: [], at: TEST_NOW };
  const cut = (await TestCa.root()).der.subarray(0, 100);
  for (const leaf of [new Uint8Array(0), new Uint8Array(500), cut]) {
    const verdict = await validateChain({ ...request, leaf });
    assert.deepEqual([verdict.status, verdict.isValid, verdict.depth], ["parse_error", false, 0]);
    assert.equal(verdict.errors.length, 1);
  }
  const unreadable = [{ code: "no_pem", message: "No PEM block", line: 3, block: 1 }];
  const verdict = await validateChain({ ...request, leaf: { unreadable } });
  assert.deepEqual([verdict.status, verdict.errors], ["parse_error", [
    "no_pem: No PEM block (block 1, line 3)",
  ]]);
});

pure(
  "A chain of which nothing can be read is a parse_error; one bad certificate in it is a warning",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    const request = { leaf: leaf.der, anchors: [], at: TEST_NOW };
    const broken = root.der.subarray(0, 200);
    const nothing = await validateChain({ ...request, pool: [broken] });
    assert.deepEqual([nothing.status, nothing.depth], ["parse_error", 1]);
    const some = await validateChain({ ...request, pool: [broken, root.der] });
    assertVerdict(some, "valid");
    assert.equal(some.warnings.length, 1);
    const ownOnly = await validateChain({ ...request, pool: [leaf.der] });
    assertVerdict(ownOnly, "incomplete", ["issuer_missing"]);
  },
);

pure("Certificates that are read already give the same verdict as their DER", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  const verdict = await validateChain({
    leaf: leaf.certificate,
    pool: [ca.certificate, root.certificate],
    anchors: [],
    at: TEST_NOW,
  });
  assert.deepEqual(
    { ...verdict, path: verdict.path.length },
    { ...await judge({ leaf, pool: [ca, root] }), path: 3 },
  );
});
