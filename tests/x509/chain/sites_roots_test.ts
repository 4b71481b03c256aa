/** Chains of real web sites (from x509-limbo, Apache-2.0) without their roots, and the roots of the system. */

import assert from "node:assert/strict";
import { chainInputFromPem, type ChainResult, validateChain } from "../../../src/x509/chain/mod.ts";
import { readCertificates } from "../../../src/x509/mod.ts";
import { publicRoots } from "../../../src/x509/public_roots.ts";
import sites from "./sites.json" with { type: "json" };

const DEBIAN_ROOTS = "/etc/ssl/certs/ca-certificates.crt";

for (const { site, at, leaf, chain } of sites) {
  Deno.test(`${site} is valid without its root: with the public roots, or as an open path`, async () => {
    const input = { ...chainInputFromPem(leaf, chain.join("\n")), at: Date.parse(at) };
    const trusted = await validateChain({ ...input, anchors: (await publicRoots()).anchors });
    assert.deepEqual(shown(trusted), ["valid", "public_root", true], trusted.message);
    const alone = await validateChain({ ...input, anchors: [] });
    assert.deepEqual(shown(alone), ["valid", "none", false], alone.message);
    const required = await validateChain({ ...input, anchors: [], requireRoot: true });
    assert.deepEqual(shown(required), ["incomplete", "none", false], required.message);
  });
}

function shown({ status, anchor, complete }: ChainResult): unknown[] {
  return [status, anchor, complete];
}

Deno.test("every root of the system is self_signed, or expired, according to its dates", async () => {
  const { members } = readCertificates(await Deno.readTextFile(DEBIAN_ROOTS));
  assert.ok(members.length > 100);
  const at = Date.UTC(2026, 10, 20);
  for (const { certificate } of members) {
    const { notBefore, notAfter } = certificate.validity;
    const expected = notAfter < at ? "expired" : notBefore > at ? "not_yet_valid" : "self_signed";
    const { status, message } = await validateChain({ leaf: certificate, pool: [], anchors: [], at });
    assert.equal(status, expected, `${certificate.subject.text}: ${message}`);
  }
});
