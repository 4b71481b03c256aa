import assert from "node:assert/strict";
import { type Anchor, indexAnchors } from "../../../src/x509/chain/mod.ts";
import { TEST_NOW, TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { assertResult, pure, validate } from "./support.ts";

function anchor(kind: Anchor["kind"], { certificate }: TestCertificate): Anchor {
  return { certificate, kind };
}

pure("A root that the caller trusts completes a chain, and its kind is reported", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  for (const kind of ["tracked_ca", "public_root"] as const) {
    const result = await validate({ leaf, pool: [ca], anchors: [anchor(kind, root)], requireRoot: true });
    assertResult(result, "valid");
    assert.deepEqual([result.anchor, result.complete, result.depth], [kind, true, 3]);
  }
});

pure(
  "A root that is also in the bundle is reported as the caller's anchor, by its first kind",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    const anchors = [anchor("tracked_ca", root), anchor("public_root", root)];
    assert.equal((await validate({ leaf, pool: [root], anchors })).anchor, "tracked_ca");
    assert.equal((await validate({ leaf, pool: [root], anchors: anchors.slice(1) })).anchor, "public_root");
    assert.equal((await validate({ leaf, pool: [root] })).anchor, "bundle");
  },
);

pure("A leaf without a chain is valid when an anchor issued it, and no_chain when it did not", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const other = await TestCa.root();
  assertResult(await validate({ leaf, anchors: [anchor("tracked_ca", root)] }), "valid");
  assertResult(await validate({ leaf, anchors: [anchor("tracked_ca", other)] }), "no_chain", [
    "issuer_missing",
  ]);
});

pure("A tracked intermediate is an anchor, though it is not self-signed", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  const result = await validate({ leaf, anchors: [anchor("tracked_ca", ca)], requireRoot: true });
  assertResult(result, "valid");
  assert.deepEqual([result.depth, result.anchor, result.path[1]?.isSelfSigned], [2, "tracked_ca", false]);
});

pure("A certificate that signed itself is not an anchor, before and after it expires", async () => {
  for (const notAfter of [TEST_NOW + 1000, TEST_NOW - 1000]) {
    const root = await TestCa.root({ notAfter });
    const result = await validate({ leaf: root });
    assert.deepEqual([result.status, result.anchor], [
      notAfter < TEST_NOW ? "expired" : "self_signed",
      "none",
    ]);
    assert.equal(
      (await validate({ leaf: root, anchors: [anchor("tracked_ca", root)] })).anchor,
      "tracked_ca",
    );
  }
});

pure("Anchors must obey the rules, too", async () => {
  const root = await TestCa.root({ notAfter: TEST_NOW - 1000 });
  const leaf = await root.issue({ cn: "a.example" });
  assertResult(await validate({ leaf, anchors: [anchor("public_root", root)] }), "expired", ["expired"]);
});

pure("An anchor of the issuer's name but another key does not complete a chain", async () => {
  const root = await TestCa.root();
  const ca = await root.intermediate();
  const leaf = await ca.issue({ cn: "a.example" });
  const other = await TestCa.root();
  const result = await validate({ leaf, pool: [ca], anchors: [anchor("public_root", other)] });
  assertResult(result, "incomplete", ["issuer_missing"]);
});

pure("A self-signed leaf that the caller trusts is self_signed and names the anchor", async () => {
  const root = await TestCa.root();
  const result = await validate({ leaf: root, anchors: [anchor("tracked_ca", root)] });
  assertResult(result, "self_signed");
  assert.equal(result.anchor, "tracked_ca");
});

pure("An index that is built once has the same results as the list", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const list = [anchor("tracked_ca", root)];
  assert.deepEqual(
    await validate({ leaf, anchors: indexAnchors(list) }),
    await validate({ leaf, anchors: list }),
  );
});
