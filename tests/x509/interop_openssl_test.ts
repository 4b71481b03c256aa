/** Compares our parser with OpenSSL's. Needs --allow-run=openssl --allow-read --allow-write. */

import assert from "node:assert/strict";
import {
  type Certificate,
  encodePem,
  holdsPrivateKey,
  inventoryFields,
  parseCertificate,
  readCertificates,
  readRequest,
  requestFields,
  verifySelfSignature,
} from "../../src/x509/mod.ts";
import { openssl, opensslBytes } from "../support/openssl.ts";
import { type KeyKind, TEST_NOW, TestCa } from "../support/test_ca/mod.ts";

const ROOTS = "/etc/ssl/certs/ca-certificates.crt";

/** Returns the fields of a certificate as OpenSSL reads them, in our forms. */
async function opinion(pem: string): Promise<Record<string, string | undefined>> {
  const names = "esc_2253,utf8,sep_comma_plus_space,sname";
  const text = await openssl(
    ["x509", "-noout", "-serial", "-fingerprint", "-sha256", "-dates", "-dateopt", "iso_8601"]
      .concat(["-subject", "-issuer", "-nameopt", names, "-text", "-certopt", "no_sigdump,no_header"]),
    pem,
  );
  function find(pattern: RegExp): string | undefined {
    return pattern.exec(text)?.[1];
  }
  return {
    serial: find(/^serial=(.*)$/m),
    fingerprint: find(/^sha256 Fingerprint=(.*)$/mi),
    notBefore: find(/^notBefore=(.*)$/m),
    notAfter: find(/^notAfter=(.*)$/m),
    subject: find(/^subject=(.*)$/m),
    issuer: find(/^issuer=(.*)$/m),
    bits: find(/Public-Key: \((\d+) bit\)/),
    signature: find(/Signature Algorithm: (\S+)/),
    isCa: `${text.includes("CA:TRUE")}`,
  };
}

/** Returns the same fields from our own parser. */
function ours(certificate: Certificate): Record<string, string | undefined> {
  const { fingerprint_sha256, valid_from, valid_to, subject, issuer, key_size } = inventoryFields(
    certificate,
  );
  const iso = (at: number): string => new Date(at).toISOString().replace("T", " ").replace(".000", "");
  return {
    serial: serialOf(certificate),
    fingerprint: fingerprint_sha256,
    notBefore: iso(valid_from),
    notAfter: iso(valid_to),
    subject,
    issuer,
    bits: certificate.publicKey.name === "Ed25519" ? undefined : `${key_size}`,
    signature: certificate.signatureAlgorithm.name,
    isCa: `${certificate.basicConstraints?.ca ?? false}`,
  };
}

/** Returns the serial number as OpenSSL prints it: without the octet 00 that only keeps it positive. */
function serialOf({ serial }: Certificate): string {
  const hex = serial.toHex().toUpperCase();
  return hex.length > 2 && hex.startsWith("00") ? hex.slice(2) : hex;
}

Deno.test("every public root of the system parses, with the same result as OpenSSL", async () => {
  const { members, findings } = readCertificates(Deno.readTextFileSync(ROOTS));
  assert.deepEqual(findings, []);
  assert.ok(members.length > 100, `Expected more than 100 roots, got ${members.length}`);
  for (const { certificate } of members) {
    assert.deepEqual(ours(certificate), await opinion(encodePem(certificate.der)));
  }
});

const KINDS: readonly KeyKind[] = ["rsa2048", "rsa3072", "rsapss2048", "p256", "p384", "p521", "ed25519"];

for (const key of KINDS) {
  Deno.test(`a chain of ${key} keys made by the test CA is valid for OpenSSL, which reads the same fields`, async () => {
    const root = await TestCa.root({ cn: `Root ${key}`, key });
    const ca = await root.intermediate({
      cn: "CA",
      key,
      pathLength: 0,
      nameConstraints: { permitted: ["example.com"] },
    });
    const leaf = await ca.issue({ cn: "www.example.com", key, serial: Uint8Array.of(0, 0x80, 1) });
    const directory = await Deno.makeTempDir();
    try {
      const paths = [`${directory}/root.pem`, `${directory}/ca.pem`, `${directory}/leaf.pem`] as const;
      for (const [index, { pem }] of [root, ca, leaf].entries()) await Deno.writeTextFile(paths[index]!, pem);
      const at = ["-attime", `${TEST_NOW / 1000}`];
      await openssl(["verify", ...at, "-x509_strict", "-CAfile", paths[0], "-untrusted", paths[1], paths[2]]);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
    const { signature, ...expected } = await opinion(leaf.pem);
    const { signature: named, ...actual } = ours(leaf.certificate);
    assert.deepEqual(actual, expected);
    assert.equal(signature!.toLowerCase(), key === "rsapss2048" ? "rsassapss" : named!.toLowerCase());
  });
}

Deno.test("subject alternative names are those that OpenSSL reads", async () => {
  const sans = [
    "a.example",
    "*.b.example",
    "IP:192.0.2.1",
    "IP:2001:db8::1",
    "email:a@b.example",
    "URI:https://x/y",
  ];
  const { pem, certificate } = await TestCa.selfSigned({ cn: "x", key: "ed25519", sans });
  const text = await openssl(["x509", "-noout", "-ext", "subjectAltName"], pem);
  assert.deepEqual(inventoryFields(certificate).sans, sans);
  assert.match(
    text,
    /DNS:a\.example, DNS:\*\.b\.example, IP Address:192\.0\.2\.1, IP Address:2001:DB8:0:0:0:0:0:1, email:a@b\.example, URI:https:\/\/x\/y/,
  );
});

/** Runs `work` with a new key of openssl. */
async function withKey(args: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".pem" });
  try {
    await Deno.writeTextFile(path, await openssl(["genpkey", ...args]));
    await work(path);
  } finally {
    await Deno.remove(path);
  }
}

const RSA = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
const P256 = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

for (
  const [title, args, sign] of [
    ["RSA", RSA, []],
    ["RSA with RSASSA-PSS", RSA, ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]],
    ["RSASSA-PSS", ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], []],
    ["P-256", P256, []],
    ["P-384", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], ["-sha384"]],
    ["P-521", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], []],
    ["Ed25519", ["-algorithm", "ed25519"], []],
  ] as const
) {
  Deno.test(`a request of OpenSSL with a key of the type ${title} is read and verifies`, async () => {
    await withKey(args, async (path) => {
      const subject = ["-subj", "/C=DE/O=Acme/CN=www.example.com", "-utf8"];
      const names = ["-addext", "subjectAltName=DNS:www.example.com,IP:192.0.2.1"];
      const pem = await openssl(["req", "-new", "-key", path, ...subject, ...names, ...sign]);
      const { request, findings } = readRequest(pem);
      assert.deepEqual(findings, []);
      assert.deepEqual(requestFields(request!).sans, ["www.example.com", "IP:192.0.2.1"]);
      assert.equal(request!.subject.text, "C=DE, O=Acme, CN=www.example.com");
      assert.deepEqual(await verifySelfSignature(request!), { kind: "good" });
    });
  });
}

Deno.test("certificates of OpenSSL's PKCS#7 files are read: certs-only, signed, and streamed as BER", async () => {
  await withKey(P256, async (path) => {
    const request = ["req", "-x509", "-key", path, "-subj", "/CN=signer", "-days", "30"];
    const pem = await openssl(request);
    const { der } = readCertificates(pem).members[0]!.certificate;
    const file = await Deno.makeTempFile();
    try {
      await Deno.writeTextFile(file, pem);
      const only = ["crl2pkcs7", "-nocrl", "-certfile", file, "-certfile", file];
      const signed = ["smime", "-sign", "-signer", file, "-inkey", path, "-nodetach", "-outform", "DER"];
      const streamed = [
        "cms",
        "-sign",
        "-signer",
        file,
        "-inkey",
        path,
        "-nodetach",
        "-stream",
        "-outform",
        "DER",
      ];
      for (
        const [args, count] of [[only, 2], [[...only, "-outform", "DER"], 2], [signed, 1], [
          streamed,
          1,
        ]] as const
      ) {
        const { members, findings } = readCertificates(await opensslBytes(args, "content"));
        assert.deepEqual(findings, [], args.join(" "));
        assert.deepEqual(members.map(({ certificate }) => certificate.der), Array(count).fill(der));
      }
    } finally {
      await Deno.remove(file);
    }
  });
});

Deno.test("private keys in every form that OpenSSL writes are found, public ones are not", async () => {
  await withKey(RSA, async (rsa) => {
    await withKey(P256, async (ec) => {
      const certificate = await Deno.makeTempFile();
      try {
        await openssl(["req", "-x509", "-key", rsa, "-subj", "/CN=x", "-out", certificate]);
        const password = ["-passout", "pass:secret"];
        const forms: string[][] = [
          ["pkey", "-in", rsa],
          ["pkey", "-in", rsa, "-traditional"],
          ["pkey", "-in", ec, "-traditional", "-outform", "DER"],
          ["pkey", "-in", rsa, "-outform", "DER"],
          ["rsa", "-in", rsa, "-outform", "DER", "-traditional"],
          ["rsa", "-in", rsa, "-aes256", "-traditional", ...password],
          ["pkcs8", "-topk8", "-in", ec, "-outform", "DER", ...password],
          ["pkcs8", "-topk8", "-in", ec, ...password],
          ["pkcs8", "-topk8", "-in", ec, "-v1", "PBE-SHA1-3DES", "-outform", "DER", ...password],
          ["pkcs12", "-export", "-inkey", rsa, "-in", certificate, ...password],
          ["pkcs12", "-export", "-nokeys", "-in", certificate, ...password],
        ];
        for (const form of forms) {
          assert.equal(holdsPrivateKey(await opensslBytes(form)), true, form.join(" "));
        }
        const others = [["pkey", "-in", rsa, "-pubout"], ["pkey", "-in", ec, "-pubout", "-outform", "DER"], [
          "x509",
          "-in",
          certificate,
          "-text",
        ]];
        for (const other of others) {
          assert.equal(holdsPrivateKey(await opensslBytes(other)), false, other.join(" "));
        }
      } finally {
        await Deno.remove(certificate);
      }
    });
  });
});

Deno.test("OpenSSL reads every certificate that we read without findings", async () => {
  const { der } = await TestCa.selfSigned({ cn: "x", key: "ed25519" });
  for (let at = 0; at < der.length; at += 5) {
    const broken = der.slice();
    broken[at]! ^= 0x20;
    if (parseCertificate(broken).findings.length > 0) continue;
    await openssl(["x509", "-inform", "DER", "-noout"], broken);
  }
});
