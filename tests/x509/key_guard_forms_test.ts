/** Forms of private keys that are neither PEM nor DER, and texts that resemble them. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { gzipSync } from "node:zlib";
import { holdsPrivateKey } from "../../src/x509/mod.ts";
import { TestCa } from "../support/test_ca/mod.ts";

const rsaKey = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
const ecKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const rsa = numbersOf(rsaKey);
const ec = numbersOf(ecKey);
const pkcs8 = rsaKey.export({ type: "pkcs8", format: "der" });
const pem = String(ecKey.export({ type: "pkcs8", format: "pem" }));
const encrypted = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,` +
  `00112233445566778899AABBCCDDEEFF\n\n${rsa.d!.toString("base64")}\n-----END RSA PRIVATE KEY-----`;
const jwk = JSON.stringify(ecKey.export({ format: "jwk" }));

/** Returns the members of a JSON Web Key as bytes. */
function numbersOf(key: KeyObject): Record<string, Buffer> {
  const members = Object.entries(key.export({ format: "jwk" }));
  return Object.fromEntries(
    members.map((
      [name, text],
    ) => [name, Buffer.from(String(text), "base64url")]),
  );
}

/** Returns a number as OpenSSL prints it. */
function pairs(bytes: Buffer): string {
  const lines = bytes.toString("hex").match(/.{1,30}/g)!.map((line) => line.match(/../g)!.join(":"));
  return `    ${lines.join(":\n    ")}\n`;
}

function decimal(bytes: Buffer): string {
  return BigInt(`0x${bytes.toString("hex")}`).toString();
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join(
    "",
  );
  return bits.match(/.{1,5}/g)!.map((digit) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(digit.padEnd(5, "0"), 2)]
  ).join("");
}

function little(...numbers: number[]): Buffer {
  return Buffer.from(new Uint8Array(new Uint32Array(numbers).buffer));
}

function dump(bytes: Buffer, group: number): string {
  return bytes.toString("hex").match(/.{1,32}/g)!.map((line, index) =>
    `${(index * 16).toString(16).padStart(8, "0")}${group === 4 ? ":" : " "} ` +
    `${line.match(new RegExp(`.{1,${group}}`, "g"))!.join(" ")}  ................`
  ).join("\n");
}

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const bcrypt = Buffer.concat([
  Buffer.from("RSA2"),
  little(1024, 3, 128, 64, 64),
  rsa.e!,
  rsa.n!,
  rsa.p!,
  rsa.q!,
]);
const blob = Buffer.concat([
  Buffer.from([7, 2, 0, 0, 0, 0xa4, 0, 0]),
  Buffer.from("RSA2"),
  little(1024, 65_537),
  rsa.n!,
  rsa.p!,
]);
const pvk = Buffer.concat([little(0xb0b5f11e, 0, 1, 0, 0, blob.length), blob]);
const xmlKey =
  `<RSAKeyValue><Modulus>${b64(rsa.n!)}</Modulus><Exponent>AQAB</Exponent><P>${b64(rsa.p!)}</P>` +
  `<D>${b64(rsa.d!)}</D></RSAKeyValue>`;
const rsaText =
  `Private-Key: (1024 bit, 2 primes)\nmodulus:\n${pairs(rsa.n!)}publicExponent: 65537 (0x10001)\n` +
  `privateExponent:\n${pairs(rsa.d!)}prime1:\n${pairs(rsa.p!)}`;
const ecText = `Private-Key: (256 bit)\npriv:\n${pairs(ec.d!)}pub:\n${pairs(ec.x!)}`;
const age = `AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"}`;

const KEYS: Record<string, string | Uint8Array> = {
  "openssl rsa -text": rsaText,
  "openssl ec -text": ecText,
  "openssl pkey -text of Ed25519": `ED25519 Private-Key:\npriv:\n${pairs(ec.d!)}pub:\n${pairs(ec.x!)}`,
  "openssl rsa -text in JSON": JSON.stringify({ note: rsaText }),
  "openssl rsa -text in percent-encoding": encodeURIComponent(rsaText),
  "openssl rsa -text in base64": btoa(rsaText),
  "openssl asn1parse":
    `    0:d=0  hl=4 l= 605 cons: SEQUENCE\n    4:d=1  hl=2 l=   1 prim: INTEGER           :00\n` +
    `    7:d=1  hl=3 l= 129 prim: INTEGER           :${rsa.n!.toString("hex").toUpperCase()}`,
  "certtool": `Public Key Algorithm: RSA\nmodulus:\n\t00:aa\nprivate exponent:\n\t${pairs(rsa.d!).trim()}`,
  "RSAKeyValue": xmlKey,
  "RSAKeyValue, escaped": xmlKey.replaceAll("<", "&lt;").replaceAll(
    ">",
    "&gt;",
  ),
  "DSAKeyValue": `<DSAKeyValue><P>AA==</P><Y>AA==</Y><X>${b64(ec.d!)}</X></DSAKeyValue>`,
  "RSAParameters": JSON.stringify({
    D: b64(rsa.d!),
    Exponent: "AQAB",
    Modulus: b64(rsa.n!),
  }),
  "ECParameters": JSON.stringify({
    Curve: {},
    D: b64(ec.d!),
    Q: { X: b64(ec.x!), Y: b64(ec.y!) },
  }),
  "BIND, RSA": `Private-key-format: v1.3\nAlgorithm: 8 (RSASHA256)\nModulus: ${b64(rsa.n!)}\n` +
    `PublicExponent: AQAB\nPrivateExponent: ${b64(rsa.d!)}\n`,
  "BIND, ECDSA": `Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: ${b64(ec.d!)}\n`,
  "WireGuard": `[Interface]\nPrivateKey = ${b64(ec.d!)}\n`,
  "PVK": pvk,
  "PVK in base64": b64(pvk),
  "MSBLOB": blob,
  "MSBLOB in base64": b64(blob),
  "MSBLOB in hex": blob.toString("hex"),
  "CNG in base64": b64(bcrypt),
  "age": `# public key: age1qqq\n${age}\n`,
  "age in lower case": age.toLowerCase(),
  "minisign": `untrusted comment: minisign encrypted secret key\nRWRTY0Iy${b64(rsa.d!)}`,
  "JWK": jwk,
  "JWK in percent-encoding": encodeURIComponent(jwk),
  "JWK in percent-encoding twice": encodeURIComponent(encodeURIComponent(jwk)),
  "JWK in a form": new URLSearchParams({ jwk }).toString(),
  "JWK in HTML": jwk.replaceAll('"', "&quot;"),
  "JWK in base64": btoa(jwk),
  "JWK Set": JSON.stringify({ keys: [ecKey.export({ format: "jwk" })] }),
  "ML-DSA JWK": JSON.stringify({
    kty: "AKP",
    alg: "ML-DSA-44",
    pub: b64(rsa.n!),
    priv: b64(ec.d!),
  }),
  "Java": `Sun RSA private CRT key, 1024 bits\n  modulus: 1\n  private exponent: ${decimal(rsa.d!)}`,
  "Go": `{"N":${decimal(rsa.n!)},"E":65537,"D":${decimal(rsa.d!)},"Primes":[3,5]}`,
  "Python": `RSAPrivateNumbers(p=3, q=5, d=${decimal(rsa.d!)})`,
  "base32": base32(pkcs8),
  "base32 in lines, lower case": base32(pkcs8).toLowerCase().match(/.{1,64}/g)!
    .join("\r\n"),
  "base32 of PEM": base32(Buffer.from(encrypted)),
  "a list of bytes": JSON.stringify([...pkcs8]),
  "a list of signed bytes": `new byte[] {${[...new Int8Array(pkcs8)].join(", ")}}`,
  "a Buffer in JSON": JSON.stringify({ type: "Buffer", data: [...pkcs8] }),
  "xxd": dump(pkcs8, 4),
  "hexdump -C": dump(pkcs8, 2),
  "gzip in base64": b64(gzipSync(encrypted)),
  "gzip of base64 in base64": b64(gzipSync(b64(pkcs8))),
  "PEM in HTML": pem.replaceAll("+", "&#43;").replaceAll("/", "&#x2F;")
    .replaceAll("\n", "<br>"),
  "PEM in quoted-printable": pem.replaceAll("=", "=3D").replaceAll(
    "\n",
    "=0A=\n",
  ),
  "encrypted PEM": encrypted,
  "encrypted PEM in one line": encrypted.replaceAll("\n", " "),
  "encrypted PEM with escapes": JSON.stringify(encrypted),
  "PEM with a short body": "-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----",
  "RSAParameters in camel case": JSON.stringify({ modulus: b64(rsa.n!), exponent: "AQAB", d: b64(rsa.d!) }),
  ...Object.fromEntries(
    [["rsa", rsaText], ["ec", ecText]].flatMap(([kind, text = ""]) =>
      Object.entries({
        "quoted": (line: string) => `> ${line}`,
        "quoted twice": (line: string) => `> > ${line}`,
        "after a hash": (line: string) => `# ${line}`,
        "in a comment of C": (line: string) => `// ${line}`,
        "in a table": (line: string) => `| ${line} |`,
        "with numbers of lines": (line: string, index: number) => `${index + 1}: ${line}`,
        "with numbers in a margin": (line: string, index: number) => `${index + 1} | ${line}`,
      }).map(([how, prefixed]) => [
        `openssl ${kind} -text, ${how}`,
        text.split("\n").map((line, index) => prefixed(line, index)).join("\n"),
      ])
    ),
  ),
  "openssl rsa -text with breaks of HTML": rsaText.replaceAll("\n", "<br>"),
  "PuTTY, quoted": `> Private-Lines: 1\n> ${b64(ec.d!)}`,
};

for (const [form, key] of Object.entries(KEYS)) {
  Deno.test(`a private key is found: ${form}`, () => {
    assert.equal(holdsPrivateKey(key), true);
    if (typeof key !== "string") return;
    assert.equal(
      holdsPrivateKey(`A comment in front of it.\n${key}\nAnd after it.`),
      true,
      "in a text",
    );
    assert.equal(
      holdsPrivateKey(new TextEncoder().encode(key)),
      true,
      "as a file",
    );
    const long = "The web server of the shop. ".repeat(2_340 + key.length % 7);
    assert.equal(
      holdsPrivateKey(`${long}\n${key}\n${long}`),
      true,
      "in a long text",
    );
  });
}

const certificate = (await TestCa.root({ key: "p256" })).pem;
const pin = `sha256//${b64(ec.x!)}`;
const uuid = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const MARKERS = "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----";

const TEXTS: Record<string, string | Uint8Array> = {
  "a heading, then a fingerprint": `private key: see the vault\n> SHA256 Fingerprint=${pairs(ec.x!).trim()}`,
  "a private key and a pin in a table": `| private key: | vault |\n| pin | ${pin} |`,
  "markers alone": MARKERS,
  "markers in JSON": JSON.stringify(MARKERS),
  "markers, then a certificate": `${MARKERS}\n${certificate}`,
  "markers after a certificate": `${certificate}${MARKERS}`,
  "markers, then a pin": `${MARKERS}\n${pin}`,
  "the BEGIN line": "The file begins with -----BEGIN EC PRIVATE KEY-----",
  "markers around dots": "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
  "markers around a word": "-----BEGIN RSA PRIVATE KEY-----\n<REDACTED>\n-----END RSA PRIVATE KEY-----",
  "markers around crosses": `-----BEGIN PRIVATE KEY-----\n${"X".repeat(64)}\n-----END PRIVATE KEY-----`,
  "markers around prose": "-----BEGIN PRIVATE KEY-----\n(kept in the vault since 2024, ask team Web01)\n" +
    "-----END PRIVATE KEY-----",
  "markers in a sentence":
    "Search for -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----, keep 1 copy.",
  "a PuTTY header in a sentence": "It starts with PuTTY-User-Key-File-3 and has Private-Lines: 14 in line 9.",
  "age in a sentence": "age identities begin with AGE-SECRET-KEY-1",
  "the path of a key": "Private key: /etc/ssl/private/wildcard-2026-example-com-rsa4096-v2.key",
  "the address of a key in a vault": `private_key: kv-prod/keys/web/${ec.d!.toString("hex").slice(0, 32)}`,
  "the id of a key": `private key: ${uuid}`,
  "the ARN of a key": `private_key=arn:aws:kms:eu-central-1:123456789012:key/${uuid}`,
  "openssl rsa -pubin -text": `Public-Key: (1024 bit)\nModulus:\n${pairs(rsa.n!)}Exponent: 65537 (0x10001)`,
  "a public RSAKeyValue": xmlKey.replaceAll(/<(P|D)>.*<\/\1>/g, ""),
  "a public MSBLOB": b64(
    Buffer.concat([
      Buffer.from([6, 2, 0, 0, 0, 0xa4, 0, 0]),
      Buffer.from("RSA1"),
      rsa.n!,
    ]),
  ),
  "a paragraph of HTML with a pin": `<p>${pin}</p>`,
  "ids": JSON.stringify(Array.from({ length: 3_000 }, (_, id) => id)),
  "a certificate as a list of bytes": JSON.stringify([
    ...Buffer.from(certificate.replaceAll(/-.*-|\n/g, ""), "base64"),
  ]),
  "a certificate in base32": base32(Buffer.from(certificate)),
  "a certificate in gzip and base64": b64(gzipSync(certificate)),
};

for (const [title, text] of Object.entries(TEXTS)) {
  Deno.test(`no private key is found: ${title}`, () => assert.equal(holdsPrivateKey(text), false));
}
