import assert from "node:assert/strict";
import { newKey, TEST_NOW, TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { assertResult, pure, validate } from "./support.ts";

const DAY = 86_400_000;
const EXPIRED = { notAfter: TEST_NOW - DAY };

function serials(path: readonly { certificate: { serial: Uint8Array } }[]): string[] {
  return path.map(({ certificate }) => certificate.serial.toHex());
}

pure("A cross-signed intermediate with one expired path is valid over the other", async () => {
  const oldRoot = await TestCa.root({ cn: "Old Root", ...EXPIRED });
  const newRoot = await TestCa.root({ cn: "New Root" });
  const ca = await newRoot.intermediate({ cn: "Shared CA" });
  const byOldRoot = await oldRoot.crossSign(ca);
  const leaf = await ca.issue({ cn: "a.example" });
  const result = await validate({ leaf, pool: [byOldRoot, oldRoot, ca, newRoot] });
  assertResult(result, "valid");
  assert.deepEqual(serials(result.path), serials([leaf, ca, newRoot]));
  const missing = await validate({ leaf, pool: [byOldRoot, oldRoot, ca] });
  assertResult(missing, "valid");
  assert.equal(missing.complete, false);
});

pure("A dead end two steps up is abandoned for another path", async () => {
  const root = await TestCa.root({ cn: "Root" });
  const high = await root.intermediate({ cn: "High" });
  const low = await high.intermediate({ cn: "Low" });
  const leaf = await low.issue({ cn: "a.example" });
  const stranger = await TestCa.root({ cn: "Stranger" });
  const forbidding = await stranger.crossSign(high, { nameConstraints: { permitted: ["other.example"] } });
  for (const pool of [[forbidding, stranger, high, low, root], [root, low, high, stranger, forbidding]]) {
    const result = await validate({ leaf, pool });
    assertResult(result, "valid");
    assert.deepEqual(serials(result.path), serials([leaf, low, high, root]));
  }
});

pure("Certificates that certify each other in a circle are incomplete", async () => {
  const a = await TestCa.root({ cn: "A" });
  const b = await TestCa.root({ cn: "B" });
  const aByB = await b.crossSign(a);
  const bByA = await a.crossSign(b);
  const leaf = await a.issue({ cn: "a.example" });
  const result = await validate({ leaf, pool: [aByB, bByA] });
  assertResult(result, "incomplete", ["issuer_missing"]);
  assertResult(await validate({ leaf, pool: [aByB, bByA, b] }), "valid");
});

pure("A leaf that certified its own issuer is a loop, not an open chain", async () => {
  const a = await TestCa.root({ cn: "A" });
  const b = await TestCa.root({ cn: "B" });
  const leaf = await b.crossSign(a);
  const bByA = await a.crossSign(b);
  assertResult(await validate({ leaf, pool: [bByA] }), "incomplete", ["issuer_missing"]);
});

pure(
  "The right key among many issuers of the same name is found, with key identifiers or without",
  async () => {
    for (const without of [[], ["subjectKeyIdentifier", "authorityKeyIdentifier"]] as const) {
      const root = await TestCa.root({ cn: "Root" });
      const twins: TestCertificate[] = [];
      for (let count = 0; count < 8; count++) twins.push(await root.intermediate({ cn: "Twin", without }));
      const leaf = await TestCa.of(twins[5]!).issue({ cn: "a.example", without });
      const result = await validate({ leaf, pool: [...twins, root] });
      assertResult(result, "valid");
      assert.deepEqual(serials(result.path), serials([leaf, twins[5]!, root]));
    }
  },
);

pure("A candidate of another key with another key identifier counts as missing", async () => {
  const root = await TestCa.root({ cn: "Root" });
  const other = await TestCa.root({ cn: "Root" });
  const leaf = await root.issue({ cn: "a.example" });
  assertResult(await validate({ leaf, pool: [other] }), "incomplete", ["issuer_missing"]);
  const ca = await root.intermediate();
  const deep = await ca.issue({ cn: "b.example" });
  assertResult(await validate({ leaf: deep, pool: [ca, other] }), "incomplete", ["issuer_missing"]);
});

pure("A candidate of another key with the same key identifier or none is a bad signature", async () => {
  const root = await TestCa.root({ cn: "Root" });
  const subjectKeyId = root.certificate.subjectKeyId!;
  const leaf = await root.issue({ cn: "a.example" });
  const impostor = await TestCa.root({ cn: "Root", subjectKeyId });
  const nameless = await TestCa.root({ cn: "Root", without: ["subjectKeyIdentifier"] });
  for (const other of [impostor, nameless]) {
    const result = await validate({ leaf, pool: [other] });
    assertResult(result, "invalid_signature", ["bad_signature"]);
    assert.deepEqual([result.depth, result.complete], [2, true]);
  }
  assertResult(await validate({ leaf, pool: [impostor, nameless, root] }), "valid");
});

pure("A wrong key identifier on a certificate that the key did sign does not matter", async () => {
  const root = await TestCa.root({ cn: "Root" });
  const leaf = await root.issue({ cn: "a.example", authorityKeyId: Uint8Array.of(1, 2, 3) });
  assertResult(await validate({ leaf, pool: [root] }), "valid");
});

pure("Names that are equal by RFC 5280 match", async () => {
  const root = await TestCa.root({ subject: "C=US, O=Acme  Inc, CN=Root" });
  const leaf = await root.issue({ cn: "a.example", issuer: "C=US, O= ACME inc , CN=ROOT" });
  assertResult(await validate({ leaf, pool: [root] }), "valid");
  const stranger = await root.issue({ cn: "a.example", issuer: "O=Acme Inc, C=US, CN=Root" });
  assertResult(await validate({ leaf: stranger, pool: [root] }), "incomplete", ["issuer_missing"]);
});

pure("The empty name issues nothing", async () => {
  const root = await TestCa.root({ subject: "" });
  const leaf = await root.issue({ cn: "a.example" });
  assertResult(await validate({ leaf, pool: [root] }), "incomplete", ["issuer_missing"]);
});

pure("A root with a new key that its old key signed is a step of the path", async () => {
  const old = await TestCa.root({ cn: "Root" });
  const fresh = await newKey("p256");
  const newWithOld = await old.issue({ cn: "Root", key: fresh, ca: true });
  const leaf = await TestCa.of(newWithOld).issue({ cn: "a.example" });
  const result = await validate({ leaf, pool: [newWithOld, old] });
  assertResult(result, "valid");
  assert.deepEqual(result.path.map(({ isSelfSigned }) => isSelfSigned), [false, false, true]);
  const open = await validate({ leaf, pool: [newWithOld] });
  assertResult(open, "valid");
  assert.equal(open.complete, false);
});

pure("A root whose own signature was tampered with is invalid_signature", async () => {
  const root = await TestCa.root({ cn: "Root", brokenSignature: true });
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  const result = await validate({ leaf, pool: [ca, root] });
  assertResult(result, "invalid_signature", ["bad_signature"]);
  assert.match(result.errors[0]!, /^bad_signature: Certificate 3 /);
});

pure("A path to a root that violates a rule outweighs a path without its root", async () => {
  const root = await TestCa.root({ cn: "Root" });
  const absent = await TestCa.root({ cn: "Absent" });
  const ca = await root.intermediate({ cn: "CA", nameConstraints: { permitted: ["other.example"] } });
  const byAbsent = await absent.crossSign(ca);
  const leaf = await ca.issue({ cn: "a.example" });
  assertResult(await validate({ leaf, pool: [ca, byAbsent, root] }), "invalid_signature", [
    "name_constraints",
  ]);
  assertResult(await validate({ leaf, pool: [ca, byAbsent, root, absent] }), "valid");
});

pure("An expired path is reported before one that violates a rule", async () => {
  const good = await TestCa.root({ cn: "Good" });
  const bad = await TestCa.root({ cn: "Bad", keyUsage: ["cRLSign"] });
  const ca = await good.intermediate({ cn: "CA", ...EXPIRED });
  const byBad = await bad.crossSign(ca);
  const leaf = await ca.issue({ cn: "a.example" });
  assertResult(await validate({ leaf, pool: [byBad, bad, ca, good] }), "expired", ["expired"]);
});
