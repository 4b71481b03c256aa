import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { encodePem, holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../../src/x509/mod.ts";
import {
  buildRequest,
  contentInfo,
  derWriter,
  ext,
  type KeyKind,
  pkcs7,
  TestCa,
  testKey,
} from "../support/test_ca/mod.ts";

const { ascii, concat, explicit, integer, nothing, octetString, oid, sequence } = derWriter;
const KINDS: readonly KeyKind[] = ["rsa2048", "rsa1024", "p256", "p384", "p521", "ed25519", "mldsa65"];

/** Private keys in DER, by name of the form. */
const KEYS: [string, Uint8Array][] = [];
for (const kind of KINDS) KEYS.push([`PKCS#8 ${kind}`, (await testKey(kind)).pkcs8]);
const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
KEYS.push(["PKCS#1", der(rsa.export({ type: "pkcs1", format: "der" }))]);
KEYS.push(["SEC 1", der(ec.export({ type: "sec1", format: "der" }))]);
KEYS.push(["SEC 1 without anything optional", sequence(integer(1), octetString(new Uint8Array(32).fill(7)))]);
KEYS.push([
  "DSA in OpenSSL's form",
  sequence(integer(0), ...Array.from({ length: 5 }, () => integer(2n ** 1023n))),
]);
KEYS.push(["PKCS#8 DSA", pkcs8(sequence(oid("1.2.840.10040.4.1"), sequence(integer(2n ** 2047n))))]);
KEYS.push(["PKCS#8 of an unknown algorithm", pkcs8(sequence(oid("1.2.643.7.1.1.1.1"), nothing()))]);
KEYS.push(["encrypted PKCS#8 (PBES2)", encrypted("1.2.840.113549.1.5.13")]);
KEYS.push(["encrypted PKCS#8 (PKCS#12 scheme)", encrypted("1.2.840.113549.1.12.1.3")]);
KEYS.push([
  "PKCS#12",
  sequence(integer(3), contentInfo("1.2.840.113549.1.7.1", octetString(new Uint8Array(60)))),
]);
KEYS.push([
  "PKCS#12 in BER",
  concat(
    Uint8Array.of(0x30, 0x80, 2, 1, 3, 0x30, 0x80),
    oid("1.2.840.113549.1.7.1"),
    explicit(0, octetString(new Uint8Array(60))),
    new Uint8Array(4),
  ),
]);

function der(exported: string | Uint8Array): Uint8Array {
  assert.ok(typeof exported !== "string");
  return new Uint8Array(exported);
}

function pkcs8(algorithm: Uint8Array): Uint8Array {
  return sequence(integer(0), algorithm, octetString(new Uint8Array(40)));
}

function encrypted(scheme: string): Uint8Array {
  return sequence(
    sequence(oid(scheme), sequence(octetString(new Uint8Array(8)), integer(2048))),
    octetString(new Uint8Array(40)),
  );
}

Deno.test("the refusal is the specified sentence", () => {
  assert.equal(PRIVATE_KEY_MESSAGE, "Private key detected. Private keys are never stored.");
});

for (const [form, key] of KEYS) {
  Deno.test(`${form} is found in every encoding`, () => {
    const base64 = key.toBase64();
    const lines = base64.match(/.{1,64}/g)!;
    const wrappings: [string, string | Uint8Array][] = [
      ["a DER file", key],
      ["a DER file behind other bytes", concat(sequence(integer(5)), key)],
      ["base64", base64],
      ["base64url without padding", key.toBase64({ alphabet: "base64url", omitPadding: true })],
      ["base64 in lines", lines.join("\n")],
      ["base64 in indented lines", `key: |\n    ${lines.join("\n    ")}`],
      ["base64 with escaped line ends", `"${lines.join("\\n")}"`],
      ["base64 in very short lines", base64.match(/.{1,8}/g)!.join("\n \t")],
      ["base64 in very short lines with escapes", base64.match(/.{1,8}/g)!.join("\\r\\n")],
      ["base64 behind text", `the key is ${base64}, keep it safe`],
      ["base64 behind an equals sign", `KEY=${base64}`],
      ["hex", key.toHex()],
      ["hex in pairs with colons", key.toHex().toUpperCase().match(/../g)!.join(":")],
      ["hex in lines", key.toHex().match(/.{1,32}/g)!.join("\n  ")],
      ["hex in 0x pairs", key.toHex().match(/../g)!.map((pair) => `0x${pair}`).join(", ")],
      ["the first half of base64", base64.slice(0, base64.length / 2)],
      ["a CERTIFICATE block", encodePem(key)],
      ["a file of base64", ascii(base64)],
      ["base64 inside JSON", JSON.stringify({ note: base64 })],
    ];
    for (const [wrapping, input] of wrappings) assert.equal(holdsPrivateKey(input), true, wrapping);
  });
}

const BODY = (await testKey("ed25519")).pkcs8.toBase64();

for (
  const label of [
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "DSA PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ANY PRIVATE KEY",
    "X25519 PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
    "SSH2 ENCRYPTED PRIVATE KEY",
  ]
) {
  Deno.test(`PEM of the kind ${label} is found in any layout`, () => {
    // The body has no meaning, so only the markers can reveal it.
    const pem = `-----BEGIN ${label}-----\nq83vEjRWeJCrze8S\nNFZ4kKvN7xI0VniQ\n-----END ${label}-----\n`;
    for (
      const text of [
        pem,
        `some text\n${pem}more text`,
        pem.replaceAll("\n", "\r\n"),
        pem.replaceAll("\n", ""),
        pem.replaceAll("\n", " "),
        pem.replace(/^/gm, "      "),
        pem.replaceAll(" ", "  "),
        pem.replaceAll(" ", "\n"),
        pem.replaceAll(" ", "\u00a0"),
        pem.replaceAll("\n", "\\n"),
        JSON.stringify({ pem }),
        JSON.stringify(JSON.stringify({ pem })),
        encodeURIComponent(pem),
        pem.replaceAll(" ", "+"),
        pem.replaceAll(" ", "%20"),
        pem.replaceAll("-----", "---- "),
        pem.replaceAll("-----", "—–"),
        pem.split("\n").slice(1).join("\n"),
        pem.split("\n").slice(0, -2).join("\n"),
        pem.replaceAll("\n", "<br>"),
        pem.replaceAll("-", "&#45;").replaceAll("\n", "&#10;"),
        pem.replaceAll(/^/gm, "> "),
        btoa(pem),
        `  tls.key: ${btoa(pem)}\n`,
      ]
    ) {
      assert.equal(holdsPrivateKey(text), true, text);
      assert.equal(holdsPrivateKey(new TextEncoder().encode(text)), true, `bytes of ${text}`);
    }
  });
}

for (
  const [title, text] of [
    ["an OpenSSH key without its markers", btoa(`openssh-key-v1\0${"\0".repeat(40)}`)],
    [
      "a PuTTY key",
      "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\nAAAAICrze8SNFZ4kKvN7xI0",
    ],
    ["a JWK", JSON.stringify({ kty: "OKP", crv: "Ed25519", x: "a".repeat(43), d: "b".repeat(43) })],
    ["a JWK in a text of JSON", JSON.stringify(JSON.stringify({ d: "b".repeat(43), kty: "EC" }))],
    ["a JWK in YAML", `kty: RSA\nd: ${"b".repeat(43)}\n`],
    ["a JWK with a list of bytes", JSON.stringify({ d: new Array(32).fill(171), kty: "EC" })],
    ["a number in JSON", JSON.stringify({ private_key_hex: "5f".repeat(32) })],
    ["a number in words", `private key (hex): ${"5f".repeat(32)}`],
    ["an S-expression", `Key: (private-key (ecc (curve "NIST P-256")(q #04AB#)(d #${"5F".repeat(32)}#)))`],
    [
      "a folded S-expression",
      `(private-key\n (rsa (n #00C1#) (e #010001#)\n (d #00${"5F\n  3A".repeat(30)}#)))`,
    ],
    ["a binary S-expression", "(11:private-key(3:ecc(5:curve10:NIST P-256)(1:d32:xxxxxxxxxxxxxxxxxxxx)))"],
    ["an encrypted S-expression", "(21:protected-private-key(3:rsa(1:n257:xxxxxxxxxxxxxxxxxxxxxxxxxx)))"],
    ["a JWK with spaces", `{ "d" : "${"b".repeat(43)}", "kty" : "EC" }`],
    ["a certificate and a key", `${(await TestCa.root({ key: "ed25519" })).pem}${BODY}`],
  ] as const
) {
  Deno.test(`${title} is found`, () => assert.equal(holdsPrivateKey(text), true));
}

Deno.test("a key is found before, in and after a chain that was searched before", async () => {
  const key = encodePem((await testKey("p256")).pkcs8);
  const digits = key.replaceAll(/-----.*-----|\n/g, "");
  const [leaf, issuer, root] = [1, 2, 3].map((byte) => encodePem(new Uint8Array(300).fill(byte)));
  const chain = `${issuer}${root}`;
  for (let round = 0; round < 2; round++) {
    assert.equal(holdsPrivateKey(`${leaf}${chain}`), false, `round ${round}`);
    const broken = `${chain.slice(0, 60)}${digits}${chain.slice(60)}`;
    const texts = [
      `${digits}\n${leaf}${chain}`,
      `${leaf}${digits}\n${chain}`,
      `${leaf}${broken}`,
      `${leaf}${chain}${digits}`,
      `${leaf}${chain}${leaf}${chain}${key}`,
    ];
    for (const [index, text] of texts.entries()) assert.equal(holdsPrivateKey(text), true, `text ${index}`);
  }
});

Deno.test("binary forms that are not DER are found", () => {
  assert.equal(holdsPrivateKey(ascii(`openssh-key-v1\0${"\0".repeat(40)}`)), true);
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${BODY}`;
  for (const offset of [0, 1] as const) assert.equal(holdsPrivateKey(wide(pem, offset)), true);
});

/** Returns UTF-16 without a byte order mark, with the character's octet first (0) or second (1). */
function wide(text: string, offset: 0 | 1): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  for (let index = 0; index < text.length; index++) bytes[index * 2 + offset] = text.charCodeAt(index);
  return bytes;
}

const root = await TestCa.root({ cn: "Root", key: "rsa2048" });
const leaf = await root.issue({
  cn: "leaf.example",
  key: "rsa2048",
  extensions: [ext.signedTimestamps(2), ext.certificatePolicies(["2.23.140.1.2.1"])],
});
const request = await buildRequest({ key: "rsa2048", sans: ["a.example"], challengePassword: "private key" });
const spki = leaf.key.spki;
const bundle = pkcs7([root.der, leaf.der]);
const publicJwk = {
  kty: "EC",
  crv: "P-256",
  x: "a".repeat(43),
  y: "b".repeat(43),
  kid: "d".repeat(43),
  use: "sig",
};

for (
  const [title, input] of [
    ["a certificate", leaf.der],
    ["a certificate in PEM", leaf.pem],
    ["a certificate in base64", leaf.der.toBase64()],
    ["a certificate in hex", leaf.der.toHex()],
    ["a certificate in JSON", JSON.stringify({ pem: leaf.pem })],
    ["a chain", leaf.pem + root.pem],
    ["a request", request.der],
    ["a request in PEM", request.pem],
    ["a request in hex", request.der.toHex().match(/../g)!.join(":")],
    ["the signed part of a request", request.der.subarray(4)],
    ["PKCS#7", bundle],
    ["PKCS#7 in PEM", encodePem(bundle, "PKCS7")],
    ["PKCS#7 in BER", pkcs7([leaf.der], { indefinite: true })],
    ["a public key", spki],
    ["a public key in PEM", encodePem(spki, "PUBLIC KEY")],
    ["an RSA public key", sequence(integer(2n ** 2047n), integer(65_537))],
    [
      "an RSA public key in PEM",
      encodePem(sequence(integer(2n ** 2047n), integer(65_537)), "RSA PUBLIC KEY"),
    ],
    ["a signature", sequence(integer(2n ** 255n), integer(2n ** 255n))],
    ["an algorithm", sequence(oid("1.2.840.113549.1.1.11"), nothing())],
    ["a PGP public key", "-----BEGIN PGP PUBLIC KEY BLOCK-----\nabc\n-----END PGP PUBLIC KEY BLOCK-----"],
    ["an SSH public key", `ssh-ed25519 ${btoa(`\0\0\0\x0bssh-ed25519\0\0\0 ${"x".repeat(32)}`)} me@host`],
    ["a public JWK", JSON.stringify(publicJwk)],
    ["a SHA-256 fingerprint", leaf.certificate.fingerprintSha256],
    ["a fingerprint with colons", "30:82:01:02:".repeat(8)],
    ["a serial number", "30:82:04:A4:02:01:00:C1:6F:30:00:02:01:01"],
    ["a SHA-512 sum", "308201".repeat(21)],
    ["many digits 30", "30".repeat(500)],
    ["prose about a key", "The private key is in vault at secret/data/web, BEGIN there"],
    ["prose in capitals", "THE PRIVATE KEY IS IN THE VAULT -- BEGIN WITH THE RUNBOOK"],
    ["a heading", "--- BEGIN THE PRIVATE KEY ROTATION ---"],
    ["a path", "/etc/ssl/private/www.example.com/PRIVATE KEY.pem"],
    ["a location", "vault:secret/MAILSERVER/PRIVATE-KEY"],
    ["a long text", "Maintained by MANAGEMENT, contact MIKE. ".repeat(200)],
    ["the name of a field", '{"private_key_location": "HSM slot 3", "d": "1"}'],
    ["an empty text", ""],
    ["an empty file", new Uint8Array()],
    ["a short text", "PRIVATE KEY"],
  ] as const satisfies readonly [string, string | Uint8Array][]
) {
  Deno.test(`${title} is not a private key`, () => assert.equal(holdsPrivateKey(input), false));
}
