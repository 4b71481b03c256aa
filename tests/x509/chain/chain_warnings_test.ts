import assert from "node:assert/strict";
import { type CertificateInput, ext, TestCa } from "../../support/test_ca/mod.ts";
import { codes, pure, validate } from "./support.ts";

const ROWS: readonly [title: string, ca: CertificateInput, leaf: CertificateInput, warnings: string[]][] = [
  ["no warning", {}, {}, []],
  ["a leaf without authorityKeyIdentifier", {}, { without: ["authorityKeyIdentifier"] }, ["aki_missing"]],
  ["a CA without subjectKeyIdentifier", { without: ["subjectKeyIdentifier"] }, {}, ["ski_missing"]],
  ["a critical subjectKeyIdentifier", {}, {
    without: ["subjectKeyIdentifier"],
    extensions: [ext.subjectKeyIdentifier(Uint8Array.of(1), { critical: true })],
  }, ["ski_critical"]],
  ["a SHA-1 signature", { key: "rsa2048" }, { hash: "SHA-1" }, ["weak_signature"]],
  ["a short RSA key", {}, { key: "rsa1024" }, ["short_key"]],
  ["an intermediate for another purpose", { extendedKeyUsage: ["emailProtection"] }, {}, [
    "extended_key_usage",
  ]],
  ["an intermediate for any purpose", { extendedKeyUsage: ["anyExtendedKeyUsage"] }, {}, []],
  ["a CA as the leaf", {}, { ca: true }, ["ca_as_leaf"]],
  ["serial number 0", {}, { serial: 0 }, ["zero_serial"]],
  ["a negative serial number", {}, { serial: Uint8Array.of(0x80) }, ["negative_serial"]],
];

for (const [title, ca, leaf, warnings] of ROWS) {
  pure(
    `A chain with ${title} is valid with ${warnings.length === 0 ? "no warning" : warnings.join()}`,
    async () => {
      const root = await TestCa.root();
      const middle = await root.intermediate(ca);
      const result = await validate({
        leaf: await middle.issue({ cn: "a.example", ...leaf }),
        pool: [middle, root],
      });
      assert.equal(result.status, "valid", result.errors.join());
      assert.deepEqual(codes(result.warnings), warnings);
    },
  );
}
