/** Keys, certificates and roots that are not trusted. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Anchor, type AnchorIndex, type Distrust, indexAnchors } from "../../../src/x509/chain/mod.ts";
import { issuerAndSerial } from "../../../src/x509/mod.ts";
import { TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { assertResult, pure, validate } from "./support.ts";

const REASON = { reason: "its private key is public", source: "Test advisory 1" };
const NOTHING: Distrust = {
  digest: "",
  keys: new Map(),
  certificates: new Map(),
  after: new Map(),
  notForServers: new Set(),
  publicRoots: new Set(),
};

const root = await TestCa.root({ cn: "Old Root" });
const ca = await root.intermediate({ cn: "Issuing CA" });
const leaf = await ca.issue({ cn: "a.example" });

function keyOf({ certificate }: TestCertificate): string {
  return createHash("sha256").update(certificate.publicKey.spki).digest("hex");
}

function trusting(distrust: Partial<Distrust>, roots: readonly TestCertificate[] = [root]): AnchorIndex {
  const anchors = roots.map(({ certificate }): Anchor => ({ certificate, kind: "public_root" }));
  return indexAnchors(anchors, { ...NOTHING, ...distrust });
}

pure(
  "a distrusted key of the leaf, of an intermediate or of a root fails every path, and names the source",
  async () => {
    for (const [position, one] of [leaf, ca, root].entries()) {
      const result = await validate({
        leaf,
        pool: [ca],
        anchors: trusting({ keys: new Map([[keyOf(one), REASON]]) }),
      });
      assertResult(result, "invalid_signature", ["distrusted"]);
      assert.equal(
        result.errors[0],
        `distrusted: Certificate ${
          position + 1
        } has a key that is not trusted: its private key is public (Test advisory 1)`,
      );
      assert.equal(result.publiclyTrusted, false);
    }
  },
);

pure("a distrusted certificate is named by its fingerprint, or by its issuer and serial number", async () => {
  const { certificate } = ca;
  const serial = `00:${certificate.serial.toHex().toUpperCase()}`;
  for (
    const key of [
      certificate.fingerprintSha256,
      issuerAndSerial(certificate.issuer.text.toUpperCase(), serial),
    ]
  ) {
    const anchors = trusting({ certificates: new Map([[key, REASON]]) });
    assertResult(await validate({ leaf, pool: [ca], anchors }), "invalid_signature", ["distrusted"]);
  }
  const other = trusting({ certificates: new Map([[issuerAndSerial("CN=Other", serial), REASON]]) });
  assertResult(await validate({ leaf, pool: [ca], anchors: other }), "valid");
});

pure("a self-signed certificate with a distrusted key is not valid", async () => {
  const own = await TestCa.selfSigned({ cn: "superfish.example" });
  const anchors = trusting({ keys: new Map([[keyOf(own), REASON]]) });
  assertResult(await validate({ leaf: own, anchors }), "invalid_signature", ["distrusted"]);
});

pure(
  "a root is trusted for certificates until the last second, and not for those that begin a second later",
  async () => {
    const last = Date.UTC(2026, 3, 30, 23, 59, 59);
    const anchors = trusting({ after: new Map([[keyOf(root), { ...REASON, last }]]) });
    for (const [notBefore, status] of [[last, "valid"], [last + 1_000, "invalid_signature"]] as const) {
      const one = await ca.issue({ cn: "b.example", notBefore, notAfter: last + 90 * 86_400_000 });
      const result = await validate({ leaf: one, pool: [ca], anchors, at: last + 86_400_000 });
      assertResult(result, status, status === "valid" ? [] : ["distrusted_after"]);
      assert.equal(result.publiclyTrusted, status === "valid");
    }
  },
);

pure("of two cross-signed paths, the one that is trusted is taken, whichever is distrusted", async () => {
  const other = await TestCa.root({ cn: "New Root" });
  const crossed = await other.crossSign(ca);
  const last = Date.UTC(2020, 0, 1);
  for (const distrusted of [root, other]) {
    const trusted = distrusted === root ? other : root;
    for (
      const distrust of [
        { keys: new Map([[keyOf(distrusted), REASON]]) },
        { after: new Map([[keyOf(distrusted), { ...REASON, last }]]) },
      ]
    ) {
      const result = await validate({
        leaf,
        pool: [ca, crossed],
        anchors: trusting(distrust, [root, other]),
      });
      assertResult(result, "valid");
      assert.equal(result.path.at(-1)?.certificate.subject.text, trusted.certificate.subject.text);
    }
  }
});

pure(
  "a public root that is not for servers is no anchor of a server certificate, but of a client's",
  async () => {
    const anchors = trusting({ notForServers: new Set([root.certificate.fingerprintSha256]) });
    const client = await ca.issue({ cn: "client.example", extendedKeyUsage: ["clientAuth"] });
    const request = { pool: [ca], anchors, requireRoot: true };
    assertResult(await validate({ ...request, leaf }), "incomplete", ["issuer_missing"]);
    const trusted = await validate({ ...request, leaf: client });
    assertResult(trusted, "valid");
    assert.equal(trusted.publiclyTrusted, true);
  },
);

pure("a public root that the caller tracks ends a path for the caller, and is publicly trusted", async () => {
  const { certificate } = root;
  const anchors = indexAnchors([{ certificate, kind: "tracked_ca" }, { certificate, kind: "public_root" }]);
  const result = await validate({ leaf, pool: [ca], anchors });
  assert.deepEqual([result.anchor, result.publiclyTrusted], ["tracked_ca", true]);
  const own = await validate({ leaf, pool: [ca], anchors: [{ certificate, kind: "tracked_ca" }] });
  assert.deepEqual([own.anchor, own.publiclyTrusted], ["tracked_ca", false]);
  const named = new Set([certificate.fingerprintSha256]);
  for (const [notForServers, expected] of [[new Set<string>(), true], [named, false]] as const) {
    const anchors = indexAnchors([{ certificate, kind: "tracked_ca" }], {
      ...NOTHING,
      publicRoots: named,
      notForServers,
    });
    assert.equal((await validate({ leaf, pool: [ca], anchors })).publiclyTrusted, expected);
  }
});
