/** A private key inside something else is detected at any offset and alignment, and nothing without a key is refused. */

import assert from "node:assert/strict";
import { cpuMillis } from "../support/cpu_time.ts";
import { encodePem, holdsPrivateKey } from "../../src/x509/mod.ts";
import { buildRequest, derWriter, ext, newKey, pkcs7, TestCa } from "../support/test_ca/mod.ts";

const { ascii, bitString, concat, integer, nothing, octetString, oid, sequence, set, time, utf8 } = derWriter;

const ec = await newKey("p256");
const rsa = await newKey("rsa2048");
const root = await TestCa.root({ key: "p256" });

/** Returns characters as UTF-16 or UTF-32 without a byte order mark. */
function wide(text: string, { width, low }: { width: 2 | 4; low: 0 | 1 | 3 }): Uint8Array {
  const bytes = new Uint8Array(text.length * width);
  for (let index = 0; index < text.length; index++) bytes[index * width + low] = text.charCodeAt(index);
  return bytes;
}

function percented(bytes: Uint8Array): string {
  return bytes.toHex().replace(/../g, "%$&");
}

for (const [kind, { pkcs8, privateKeyPem }] of [["P-256", ec], ["RSA", rsa]] as const) {
  const base64 = pkcs8.toBase64();
  const carriers: [string, Uint8Array][] = [];
  for (
    const [title, extension] of [
      ["URI with PEM", ext.subjectAltName([`URI:${privateKeyPem}`])],
      [
        "URI with PEM in percent-encoding",
        ext.subjectAltName([`URI:data:,${encodeURIComponent(privateKeyPem)}`]),
      ],
      ["DNS name of base64", ext.subjectAltName([base64])],
      ["e-mail address of hex", ext.subjectAltName([`email:${pkcs8.toHex()}`])],
      ["policy with PEM", ext.certificatePolicies([{ oid: "1.2.3.4", cps: privateKeyPem }])],
      ["extension with DER", { oid: "1.2.3.4.5", value: pkcs8 }],
      ["extension with DER in an OCTET STRING", { oid: "1.2.3.4.5", value: octetString(pkcs8) }],
      ["extension with UTF-16", { oid: "1.2.3.4.5", value: wide(base64, { width: 2, low: 1 }) }],
      ["extension with base64 of base64", { oid: "1.2.3.4.5", value: utf8(btoa(base64)) }],
    ] as const
  ) {
    carriers.push([title, (await root.issue({ key: "p256", extensions: [extension] })).der]);
  }
  carriers.push(["common name", (await root.issue({ key: "p256", subject: [["CN", base64]] })).der]);
  carriers.push(["request", (await buildRequest({ key: "p256", sans: [`URI:${privateKeyPem}`] })).der]);

  for (const [title, der] of carriers) {
    Deno.test(`${kind} key in a certificate (${title}) is detected in every encoding of the certificate`, () => {
      for (
        const [entrance, input] of [
          ["DER", der],
          ["PEM", encodePem(der)],
          ["PEM without line ends", encodePem(der).replaceAll("\n", "")],
          ["PEM with CR", encodePem(der).replaceAll("\n", "\r")],
          [
            "PEM with wide white space",
            encodePem(der).replace(/(?<=[A-Za-z0-9+/]{7})(?=[A-Za-z0-9+/])/g, "\u3000"),
          ],
          ["PEM with header lines", encodePem(der).replace("\n", "\nComment: none\n\n")],
          ["PEM behind another certificate", root.pem + encodePem(der)],
          ["PEM in UTF-16", concat(Uint8Array.of(0xff, 0xfe), wide(encodePem(der), { width: 2, low: 0 }))],
          ["PKCS#7", pkcs7([root.der, der])],
          ["PKCS#7 in BER", pkcs7([root.der, der], { indefinite: true })],
          ["PKCS#7 in PEM", encodePem(pkcs7([root.der, der]), "PKCS7")],
          ["JSON", JSON.stringify({ pem: encodePem(der) })],
          ["PEM in base64", btoa(encodePem(der))],
        ] as const
      ) assert.equal(holdsPrivateKey(input), true, entrance);
    });
  }

  Deno.test(`${kind} key is detected at every offset of other bytes`, () => {
    for (let offset = 0; offset < 48; offset++) {
      const bytes = concat(new Uint8Array(offset).fill(0x5a), pkcs8, new Uint8Array(7).fill(0x5a));
      for (const text of [bytes.toBase64(), bytes.toHex()]) {
        assert.equal(holdsPrivateKey(bytes), true);
        assert.equal(holdsPrivateKey(text), true, `offset ${offset}`);
        assert.equal(holdsPrivateKey(`x${text}`), true, `offset ${offset}, one character in front`);
        assert.equal(
          holdsPrivateKey(text.match(/.{1,7}/g)!.join("\r\n")),
          true,
          `offset ${offset}, in lines`,
        );
      }
    }
  });

  Deno.test(`${kind} key in base64 is detected at every alignment within other base64`, () => {
    for (let before = 0; before < 9; before++) {
      assert.equal(holdsPrivateKey("aZ0+_/q9b".slice(0, before) + base64 + "QUJD"), true, String(before));
    }
  });

  Deno.test(`${kind} key is detected in every further notation`, () => {
    for (
      const [title, text] of [
        ["base64 of base64", btoa(base64)],
        [
          "base64 of base64 in lines",
          btoa(base64.match(/.{1,64}/g)!.join("\n")).match(/.{1,76}/g)!.join("\n"),
        ],
        ["base64 of base64 of base64", btoa(btoa(base64))],
        ["base64 of PEM", btoa(privateKeyPem)],
        ["base64 of base64 of PEM", btoa(btoa(privateKeyPem))],
        ["base64 of base64 behind a character", btoa(`=${base64}`)],
        ["base64 of hex", btoa(pkcs8.toHex())],
        ["hex of base64", ascii(base64).toHex()],
        ["hex of PEM", ascii(privateKeyPem).toHex()],
        ["base64 of UTF-16LE", wide(privateKeyPem, { width: 2, low: 0 }).toBase64()],
        ["base64 of UTF-16BE", wide(privateKeyPem, { width: 2, low: 1 }).toBase64()],
        ["base64 of UTF-16LE of base64", wide(base64, { width: 2, low: 0 }).toBase64()],
        ["base64 of UTF-16BE of base64", wide(base64, { width: 2, low: 1 }).toBase64()],
        ["base64 of UTF-32 of PEM", wide(privateKeyPem, { width: 4, low: 3 }).toBase64()],
        ["UTF-16 in a text", [...privateKeyPem].join("\0")],
        ["percent-encoded base64", encodeURIComponent(base64)],
        ["percent-encoded lines of base64", encodeURIComponent(base64.match(/.{1,4}/g)!.join("\r\n"))],
        ["percent-encoded DER", percented(pkcs8)],
        ["percent-encoded base64, whole", percented(ascii(base64))],
        ["base64 with escaped slashes", base64.replaceAll("/", "\\/")],
        [
          "base64 with escapes of JSON",
          base64.replace(
            /(.{5})(.)/g,
            (_, head, next) => `${head}\\u${next.charCodeAt(0).toString(16).padStart(4, "0")}`,
          ),
        ],
        [
          "base64 with escapes of C",
          base64.replace(/(.{5})(.)/g, (_, head, next) => `${head}\\x${next.charCodeAt(0).toString(16)}`),
        ],
        ["base64 with no-break spaces", base64.match(/.{1,5}/g)!.join("\u00a0")],
        ["base64 with zero-width spaces", base64.match(/.{1,5}/g)!.join("\u200b")],
        ["hex in a string of C", pkcs8.toHex().replace(/../g, "\\x$&")],
        ["hex with one digit in front", `7${pkcs8.toHex()}`],
        ["hex in 0x pairs", pkcs8.toHex().replace(/../g, "0x$&,")],
      ] as const
    ) assert.equal(holdsPrivateKey(text), true, title);
  });
}

Deno.test("an encrypted key out of a Java key store is detected", () => {
  const scheme = sequence(oid("1.3.6.1.4.1.42.2.17.1.1"), nothing());
  assert.equal(
    holdsPrivateKey(concat(ascii("\u007fjks"), sequence(scheme, octetString(new Uint8Array(90))))),
    true,
  );
});

/**
 * Returns the signed part of a version 1 certificate or a CRL: both begin with an INTEGER and an AlgorithmIdentifier.
 */
function beginning(number: number, algorithm: string): Uint8Array {
  const name = sequence(set(sequence(oid("2.5.4.3"), utf8("Acme"))));
  const identifier = algorithm.startsWith("1.3.101.")
    ? sequence(oid(algorithm))
    : sequence(oid(algorithm), nothing());
  const signed = sequence(integer(number), identifier, name, sequence(time(0), time(1)));
  return sequence(signed, identifier, bitString(new Uint8Array(256)));
}

Deno.test("a version 1 certificate of a small serial number and a CRL are not private keys", () => {
  for (const algorithm of ["1.2.840.113549.1.1.11", "1.3.101.112", "2.16.840.1.101.3.4.3.18"]) {
    for (const number of [0, 1, 2, 3]) {
      const der = beginning(number, algorithm);
      for (const input of [der, encodePem(der), encodePem(der, "X509 CRL"), der.toHex()]) {
        assert.equal(holdsPrivateKey(input), false, `${algorithm} ${number}`);
      }
    }
  }
});

/** Texts that take longest to search. */
const HOSTILE = [
  "A",
  "zM",
  "MDAw",
  "30",
  "%30",
  "MIIE",
  "MI\\n\\u002b",
  "-----BEGIN PRIVATE XKEY",
  "kty d:",
  "\\",
  "%",
];

Deno.test("the time to search a hostile text grows with its length and no faster", () => {
  for (const unit of HOSTILE) {
    const text = (kib: number): string => unit.repeat(kib * 1024 / unit.length);
    // The same bytes in short texts and in long ones; quadratic work would take eight times as long for these.
    const [short, long] = [cost(text(32), 64), cost(text(256), 8)] as const;
    assert(long < 4 * short + 100, `${unit}: ${short} ms, ${long} ms`);
  }
});

/** Returns the processor time of several searches, in milliseconds. */
function cost(text: string, rounds: number): number {
  const before = cpuMillis();
  for (let round = 0; round < rounds; round++) assert.equal(holdsPrivateKey(text), false);
  return cpuMillis() - before;
}

Deno.test("a certificate that was searched before hides no key around it, nor one with the key the second time", async () => {
  const [one, other] = await Promise.all([
    root.issue({ key: "p256" }),
    root.issue({ key: "p256" }),
  ]);
  const bad = encodePem(
    (await root.issue({
      key: "p256",
      extensions: [{ oid: "1.2.3.4.5", value: ec.pkcs8 }],
    })).der,
  );
  for (let round = 0; round < 2; round++) {
    for (const end of ["\n", "\r\n"]) {
      const [first, second] = [one, other].map(({ der }) => encodePem(der).replaceAll("\n", end));
      assert.equal(holdsPrivateKey(`${first}${second}`), false);
      for (
        const key of [
          ec.privateKeyPem,
          ec.pkcs8.toBase64(),
          ec.pkcs8.toHex(),
          bad,
        ]
      ) {
        for (
          const text of [
            `${key}\n${first}`,
            `${first}${key}`,
            `${first}${key}\n${second}`,
          ]
        ) {
          assert.equal(holdsPrivateKey(text), true, text);
        }
      }
    }
  }
});

Deno.test("long texts that begin like certificates take little time", () => {
  const begin = "-----BEGIN CERTIFICATE-----\nMIIB";
  for (
    const text of [
      begin.repeat(200_000),
      `${begin}${"A".repeat(6_000_000)}`,
      `${begin}${"\n".repeat(6_000_000)}`,
      `${begin}${"A".repeat(90_000)}\n`.repeat(60),
    ]
  ) {
    const before = cpuMillis();
    assert.equal(holdsPrivateKey(text), false);
    assert.ok(
      cpuMillis() - before < 5_000,
      `${cpuMillis() - before} ms for ${JSON.stringify(text.slice(0, 60))}`,
    );
  }
});
