import assert from "node:assert/strict";
import {
  type CertificateInput,
  derWriter,
  ext,
  TEST_NOW,
  TestCa,
  type TestCertificate,
} from "../../support/test_ca/mod.ts";
import { assertResult, codes, pure, validate } from "./support.ts";

const { nothing, octetString, oid, sequence } = derWriter;
const UNKNOWN = "1.3.6.1.4.1.99999.1";
const SHA256_WITH_RSA = sequence(oid("1.2.840.113549.1.1.11"), nothing());

/** Returns a chain of root, intermediate and leaf with the given options. */
async function chain(
  { root = {}, ca = {}, leaf = {} }: {
    root?: CertificateInput;
    ca?: CertificateInput;
    leaf?: CertificateInput;
  },
): Promise<{ leaf: TestCertificate; pool: TestCertificate[] }> {
  const top = await TestCa.root(root);
  const middle = await top.intermediate(ca);
  return { leaf: await middle.issue({ cn: "a.example", ...leaf }), pool: [middle, top] };
}

type Parts = Parameters<typeof chain>[0];

function critical(value: string, content: Uint8Array): CertificateInput {
  return { extensions: [{ oid: value, critical: true, value: content }] };
}

/** Returns policies with a qualifier of a type and an empty SEQUENCE as its value. */
function qualified(type: string, { critical = false } = {}): ext.ExtensionInput {
  const information = sequence(oid("1.2.3"), sequence(sequence(oid(type), sequence())));
  return ext.rawExtension("certificatePolicies", sequence(information), { critical });
}

const BROKEN: readonly [title: string, parts: Parts, error: string][] = [
  ["an intermediate that is not a CA", { ca: { ca: false, keyUsage: ["keyCertSign"] } }, "not_a_ca"],
  ["an intermediate without basicConstraints", { ca: { without: ["basicConstraints"] } }, "not_a_ca"],
  ["a root without basicConstraints", { root: { without: ["basicConstraints"] } }, "not_a_ca"],
  ["a version 1 intermediate", { ca: { version: 1 } }, "not_a_ca"],
  ["an intermediate whose keyUsage lacks keyCertSign", { ca: { keyUsage: ["cRLSign"] } }, "key_usage"],
  ["an intermediate whose keyUsage allows nothing", { ca: { keyUsage: [] } }, "key_usage"],
  ["a root that allows no intermediate", { root: { pathLength: 0 } }, "path_length"],
  ["a leaf outside of what the intermediate permits", {
    ca: { nameConstraints: { permitted: ["b.example"] } },
  }, "name_constraints"],
  ["a leaf that the root excludes, though the constraints are not critical", {
    root: { nameConstraints: { excluded: ["example"], critical: false } },
  }, "name_constraints"],
  ["an intermediate that the root excludes", {
    root: { nameConstraints: { excluded: ["dirName:O=Evil"] } },
    ca: { subject: "O=Evil, CN=Test Intermediate" },
  }, "name_constraints"],
  ["an unknown critical extension of the leaf", { leaf: critical(UNKNOWN, nothing()) }, "critical_extension"],
  ["an unknown critical extension of the root", { root: critical(UNKNOWN, nothing()) }, "critical_extension"],
  [
    "a precertificate",
    { leaf: critical(ext.EXTENSION_OID.precertificatePoison, nothing()) },
    "critical_extension",
  ],
  ["a critical authorityInfoAccess", {
    leaf: critical(
      ext.EXTENSION_OID.authorityInfoAccess,
      (ext.authorityInfoAccess({ ocsp: ["http://o.example"] }) as { value: Uint8Array }).value,
    ),
  }, "critical_extension"],
  ["critical policies with an unknown qualifier", {
    ca: { extensions: [qualified("1.3.9999.5", { critical: true })] },
  }, "critical_extension"],
  ["extensions in a version 2 leaf", {
    leaf: { version: 2, extensions: [ext.keyUsage(["digitalSignature"])] },
  }, "malformed_extension"],
  ["extensions in a version 1 root", {
    root: { version: 1, extensions: [ext.keyUsage(["keyCertSign"])] },
  }, "malformed_extension"],
  ["a duplicate extension", {
    leaf: { extensions: [ext.extendedKeyUsage(["clientAuth"])] },
  }, "duplicate_extension"],
  ["a malformed extension of the leaf", {
    leaf: { extensions: [ext.rawExtension("cRLDistributionPoints", octetString(new Uint8Array(1)))] },
  }, "malformed_extension"],
  ["malformed name constraints", {
    ca: { extensions: [ext.rawExtension("nameConstraints", sequence(), { critical: true })] },
  }, "malformed_extension"],
  [
    "a signature algorithm that is another one inside",
    { leaf: { innerAlgorithm: SHA256_WITH_RSA } },
    "algorithm_mismatch",
  ],
  ["a leaf whose signature was tampered with", { leaf: { brokenSignature: true } }, "bad_signature"],
  ["an intermediate whose signature was tampered with", { ca: { brokenSignature: true } }, "bad_signature"],
];

for (const [title, parts, error] of BROKEN) {
  pure(`A chain with ${title} is invalid_signature with ${error}`, async () => {
    const result = await validate(await chain(parts));
    assertResult(result, "invalid_signature", [error]);
    assert.deepEqual([result.depth, result.complete, result.anchor], [3, true, "bundle"]);
    assert.match(
      result.errors[0]!,
      /^[a-z_]+: Certificate [123] .+ \(RFC 5280 §[\d.]+( \([a-z0-9]+\)(\(\d\))?(, \([a-z]\))?)?\)$/,
    );
    assert.ok(result.message.startsWith("The chain is invalid: Certificate "));
  });
}

pure("A chain with a wrong signature and an expired leaf names the signature first", async () => {
  const parts = { leaf: { notAfter: "2026-01-02" }, ca: { brokenSignature: true } };
  const result = await validate(await chain(parts));
  assert.deepEqual([result.status, result.failures.map(({ code }) => code)], [
    "invalid_signature",
    ["expired", "bad_signature"],
  ]);
  assert.match(result.message, /^The chain is invalid: Certificate 2 .*signature/);
});

const SOUND: readonly [title: string, parts: Parts][] = [
  ["no keyUsage anywhere", { root: { without: ["keyUsage"] }, ca: { without: ["keyUsage"] } }],
  ["a version 1 root", { root: { version: 1 } }],
  ["path lengths that are just enough", { root: { pathLength: 1 }, ca: { pathLength: 0 } }],
  ["a path length on the leaf", { leaf: { ca: true, pathLength: 0 } }],
  ["an unknown extension that is not critical", {
    leaf: { extensions: [{ oid: UNKNOWN, value: nothing() }] },
  }],
  ["critical policy extensions that permit the leaf", {
    ca: {
      extensions: [
        ext.certificatePolicies(["1.2.3"], { critical: true }),
        ext.policyMappings([["1.2.3", "1.2.4"]]),
        ext.policyConstraints({ requireExplicitPolicy: 0 }),
        ext.inhibitAnyPolicy(0),
      ],
    },
    leaf: { extensions: [ext.certificatePolicies(["1.2.4"], { critical: true })] },
  }],
  ["an unknown policy qualifier that is not critical", { ca: { extensions: [qualified("1.3.9999.5")] } }],
  ["critical policies with a user notice", {
    ca: { extensions: [qualified("1.3.6.1.5.5.7.2.2", { critical: true })] },
  }],
  ["a version 2 leaf without extensions", { leaf: { version: 2 } }],
  ["a critical extended key usage that fits nothing", {
    leaf: {
      without: ["extKeyUsage"],
      extensions: [ext.extendedKeyUsage(["codeSigning"], { critical: true })],
    },
  }],
  ["no key identifiers", {
    ca: { without: ["subjectKeyIdentifier", "authorityKeyIdentifier"] },
    leaf: { without: ["subjectKeyIdentifier", "authorityKeyIdentifier"] },
  }],
];

for (const [title, parts] of SOUND) {
  pure(
    `A chain with ${title} is valid`,
    async () => assertResult(await validate(await chain(parts)), "valid"),
  );
}

pure("A leaf signed by another leaf is invalid_signature with not_a_ca", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const below = await TestCa.of(leaf).issue({ cn: "b.example" });
  const result = await validate({ leaf: below, pool: [leaf, root] });
  assertResult(result, "invalid_signature", ["not_a_ca", "key_usage"]);
  assertResult(await validate({ leaf: below, pool: [leaf] }), "invalid_signature", ["not_a_ca", "key_usage"]);
});

pure("Self-issued intermediates do not count for the path length", async () => {
  const root = await TestCa.root({ cn: "Root", pathLength: 0 });
  const rolled = await root.intermediate({ cn: "Root" });
  const twice = await rolled.intermediate({ cn: "Root" });
  const leaf = await twice.issue({ cn: "a.example" });
  assertResult(await validate({ leaf, pool: [twice, rolled, root] }), "valid");
  const ca = await twice.intermediate({ cn: "Other" });
  const deep = await ca.issue({ cn: "a.example" });
  assertResult(await validate({ leaf: deep, pool: [ca, twice, rolled, root] }), "invalid_signature", [
    "path_length",
  ]);
});

pure("Self-issued intermediates are exempt from name constraints, a self-issued leaf is not", async () => {
  const root = await TestCa.root({ cn: "Root", nameConstraints: { permitted: ["dirName:CN=leaf"] } });
  const rolled = await root.intermediate({ cn: "Root" });
  const leaf = await rolled.issue({ cn: "leaf", sans: [] });
  assertResult(await validate({ leaf, pool: [rolled, root] }), "valid");
  const selfIssued = await rolled.issue({ cn: "Root", sans: [] });
  assertResult(await validate({ leaf: selfIssued, pool: [rolled, root] }), "invalid_signature", [
    "name_constraints",
  ]);
});

pure(
  "A self-issued version 1 certificate signed by another key is not accepted as an intermediate",
  async () => {
    const root = await TestCa.root({ cn: "Root" });
    const old = await root.intermediate({ cn: "Root", version: 1 });
    const leaf = await old.issue({ cn: "a.example" });
    const result = await validate({ leaf, pool: [old, root] });
    assertResult(result, "invalid_signature", ["not_a_ca"]);
  },
);

pure("A self-signed certificate that violates a rule is invalid_signature, not self_signed", async () => {
  const leaf = await TestCa.selfSigned({ cn: "a.example", ...critical(UNKNOWN, nothing()) });
  assertResult(await validate({ leaf }), "invalid_signature", ["critical_extension"]);
});

pure("All failures of a path are named, leaf first, each with its certificate", async () => {
  const { leaf, pool } = await chain({
    root: critical(UNKNOWN, nothing()),
    ca: { keyUsage: ["cRLSign"], notAfter: TEST_NOW - 1000 },
    leaf: critical(UNKNOWN, nothing()),
  });
  const result = await validate({ leaf, pool });
  assert.deepEqual(result.errors.map((error) => error.split(" ").slice(0, 3).join(" ")), [
    "critical_extension: Certificate 1",
    "expired: Certificate 2",
    "key_usage: Certificate 2",
    "critical_extension: Certificate 3",
  ]);
  assert.equal(result.status, "invalid_signature");
});

pure("A violated rule in a chain without its root is found, too", async () => {
  const { leaf, pool } = await chain({ ca: { without: ["basicConstraints"] } });
  assertResult(
    await validate({ leaf, pool: pool.slice(0, 1) }),
    "invalid_signature",
    ["not_a_ca"],
  );
});

for (const position of [1, 2, 3] as const) {
  pure(`Explicit curve parameters in certificate ${position} make a path invalid`, async () => {
    const spki = sequence(
      sequence(oid("1.2.840.10045.2.1"), sequence()),
      derWriter.bitString(new Uint8Array(65)),
    );
    const names = ["leaf", "ca", "root"] as const;
    const result = await validate(await chain({ [names[position - 1]!]: { spki } }));
    assert.equal(result.status, "invalid_signature");
    assert.ok(
      result.errors.some((error) =>
        error.startsWith(`unsupported_algorithm: Certificate ${position} has an elliptic curve key`)
      ),
      result.errors.join(),
    );
  });
}

pure("The self-signature of a trust anchor does not matter", async () => {
  const algorithm = (type: string): Uint8Array => sequence(oid(type), derWriter.tlv(5));
  for (const type of ["1.2.840.113549.1.1.2", "1.2.840.113549.1.1.4"]) {
    const root = await TestCa.root({ innerAlgorithm: algorithm(type), outerAlgorithm: algorithm(type) });
    const leaf = await root.issue({ cn: "a.example" });
    const result = await validate({ leaf, anchors: [{ certificate: root.certificate, kind: "tracked_ca" }] });
    assertResult(result, "valid");
    assert.deepEqual(result.warnings, []);
  }
});

pure("A certificate that is malformed but readable is never valid, as a leaf or above", async () => {
  const { ascii, bitString, set, tlv } = derWriter;
  const root = await TestCa.root({ key: "ed25519" });
  const noSeconds = { notAfter: tlv(0x17, ascii("2701010000Z")) };
  const leaf = await root.issue({ cn: "a.example", ...noSeconds });
  assertResult(await validate({ leaf, pool: [root] }), "invalid_signature", ["malformed_certificate"]);
  const ca = await root.intermediate({ cn: "CA", ...noSeconds });
  const below = await validate({ leaf: await ca.issue({ cn: "a.example" }), pool: [ca, root] });
  assertResult(below, "invalid_signature", ["malformed_certificate"]);
  const empty = await root.issue({ subject: sequence(set()) });
  assertResult(await validate({ leaf: empty, pool: [root] }), "invalid_signature", ["malformed_certificate"]);
  const { tbs, signatureAlgorithm } = (await root.issue({ cn: "b.example" })).certificate;
  const der = sequence(tbs, signatureAlgorithm.der, bitString(new Uint8Array(64), 1));
  const bits = await validate({ leaf: { ...leaf, der }, pool: [root] });
  assert.ok(codes(bits.errors).includes("malformed_certificate"), bits.errors.join());
  assert.equal(bits.status, "invalid_signature");
});

pure("The year 0000 is a warning with the section of the RFC", async () => {
  const root = await TestCa.root({ key: "ed25519" });
  const early = derWriter.tlv(0x18, derWriter.ascii("00000101000000Z"));
  const result = await validate({
    leaf: await root.issue({ cn: "a.example", notBefore: early }),
    pool: [root],
  });
  assertResult(result, "valid");
  assert.match(result.warnings.join("\n"), /^year_zero: Certificate 1 .*\(RFC 5280 §4\.1\.2\.5\.2\)$/m);
});
