import assert from "node:assert/strict";
import { type Anchor, indexAnchors } from "../../../src/x509/chain/mod.ts";
import { TEST_NOW, TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { assertVerdict, judge, pure } from "./support.ts";

function anchor(kind: Anchor["kind"], { certificate }: TestCertificate): Anchor {
  return { certificate, kind };
}

pure("A root that the caller vouches for completes a chain, and its kind is reported", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  for (const kind of ["tracked_ca", "public_root"] as const) {
    const verdict = await judge({ leaf, pool: [ca], anchors: [anchor(kind, root)], requireRoot: true });
    assertVerdict(verdict, "valid");
    assert.deepEqual([verdict.anchor, verdict.complete, verdict.depth], [kind, true, 3]);
  }
});

pure(
  "A root that stands in the bundle too is reported as what the caller calls it, the first kind first",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    const anchors = [anchor("tracked_ca", root), anchor("public_root", root)];
    assert.equal((await judge({ leaf, pool: [root], anchors })).anchor, "tracked_ca");
    assert.equal((await judge({ leaf, pool: [root], anchors: anchors.slice(1) })).anchor, "public_root");
    assert.equal((await judge({ leaf, pool: [root] })).anchor, "bundle");
  },
);

pure("A leaf without a chain is valid when an anchor issued it, and no_chain when it did not", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const other = await TestCa.root();
  assertVerdict(await judge({ leaf, anchors: [anchor("tracked_ca", root)] }), "valid");
  assertVerdict(await judge({ leaf, anchors: [anchor("tracked_ca", other)] }), "no_chain", [
    "issuer_missing",
  ]);
});

pure("A tracked intermediate is an anchor, though it is not self-signed", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  const verdict = await judge({ leaf, anchors: [anchor("tracked_ca", ca)], requireRoot: true });
  assertVerdict(verdict, "valid");
  assert.deepEqual([verdict.depth, verdict.anchor, verdict.path[1]?.isSelfSigned], [2, "tracked_ca", false]);
});

pure("A certificate that signed itself is no anchor of its own, before its end and after", async () => {
  for (const notAfter of [TEST_NOW + 1000, TEST_NOW - 1000]) {
    const root = await TestCa.root({ notAfter });
    const verdict = await judge({ leaf: root });
    assert.deepEqual([verdict.status, verdict.anchor], [
      notAfter < TEST_NOW ? "expired" : "self_signed",
      "none",
    ]);
    assert.equal((await judge({ leaf: root, anchors: [anchor("tracked_ca", root)] })).anchor, "tracked_ca");
  }
});

pure("Anchors keep to the rules too", async () => {
  const root = await TestCa.root({ notAfter: TEST_NOW - 1000 });
  const leaf = await root.issue({ cn: "a.example" });
  assertVerdict(await judge({ leaf, anchors: [anchor("public_root", root)] }), "expired", ["expired"]);
});

pure("An anchor of the issuer's name but another key does not complete a chain", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  const other = await TestCa.root();
  const verdict = await judge({ leaf, pool: [ca], anchors: [anchor("public_root", other)] });
  assertVerdict(verdict, "incomplete", ["issuer_missing"]);
});

pure("A self-signed leaf that the caller vouches for is self_signed and names the anchor", async () => {
  const root = await TestCa.root();
  const verdict = await judge({ leaf: root, anchors: [anchor("tracked_ca", root)] });
  assertVerdict(verdict, "self_signed");
  assert.equal(verdict.anchor, "tracked_ca");
});

pure("An index made once gives the same verdicts as the list", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const list = [anchor("tracked_ca", root)];
  assert.deepEqual(await judge({ leaf, anchors: indexAnchors(list) }), await judge({ leaf, anchors: list }));
});
