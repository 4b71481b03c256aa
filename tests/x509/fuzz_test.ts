import { encodePem } from "../../src/x509/mod.ts";
import { contentInfo, derWriter, indefiniteTlv, name, pkcs7, TestCa } from "../support/test_ca/mod.ts";
import { corpus, examine, mutate, random } from "./fuzzing.ts";

const MEBIBYTE = 2 ** 20;
const inputs = await corpus();

for (const seed of [1, 2, 3]) {
  Deno.test(`1,500 mutations from seed ${seed} are read or refused with a reason, and none is slow`, () => {
    const next = random(seed);
    for (let count = 0; count < 1_500; count++) {
      examine(mutate(inputs[next(inputs.length)]!, { next, others: inputs }));
    }
  });
}

Deno.test("a certificate truncated anywhere or with any octet changed is read or refused with a reason", () => {
  const certificate = inputs[2]!;
  for (let at = 0; at < certificate.length; at++) {
    examine(certificate.slice(0, at));
    examine(certificate.with(at, certificate[at]! ^ 0xff));
  }
});

const { ascii, concat, explicit, integer, oid, sequence, set, tlv, utf8 } = derWriter;
const { der, pem } = await TestCa.selfSigned({ cn: "x", key: "ed25519" });
const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/** Texts and files of a mebibyte, or of the limit that they try to exhaust. */
const HOSTILE: readonly [string, () => string | Uint8Array][] = [
  ["dashes", (): string => filled("-")],
  ["beginnings", (): string => filled(BEGIN)],
  ["ends", (): string => filled(`${END}\n`)],
  ["incomplete beginnings", (): string => filled("-----BEGIN ")],
  ["long labels", (): string => filled(`-----BEGIN ${"A".repeat(70)}`)],
  ["carriage returns", (): string => filled("\r")],
  ["white space inside a block", (): string => `${BEGIN}${filled(" ").slice(60)}${END}`],
  ["header lines", (): string => `${BEGIN}\n${filled("a:\n").slice(60)}${END}`],
  ["folded header lines", (): string => `${BEGIN}\n${filled("a: b\n c\n").slice(60)}${END}`],
  ["empty blocks", (): string => filled(`${BEGIN}${END}`)],
  ["the same certificate", (): string => filled(pem)],
  ["the word PRIVATE", (): string => filled("PRIVATE ")],
  ["beginnings of keys in base64", (): string => filled("MIICdgIBADANBgkq")],
  ["beginnings of keys in hex", (): string => filled("308202760201003020")],
  ["beginnings of keys, spaced", (): string => filled("M I I C d g I B A D A N B g")],
  ["beginnings of PEM in base64", (): string => filled("LS0tLS1CRUdJTi")],
  ["members of a JWK", (): string => filled('"kty":"d":')],
  ["zeros", (): Uint8Array => new Uint8Array(MEBIBYTE)],
  ["SEQUENCE tags", (): Uint8Array => new Uint8Array(MEBIBYTE).fill(0x30)],
  ["nested indefinite lengths", (): Uint8Array => repeated([0x30, 0x80])],
  [
    "nested indefinite lengths in PKCS#7",
    (): Uint8Array =>
      indefiniteTlv(
        0x30,
        oid("1.2.840.113549.1.7.2"),
        indefiniteTlv(0xa0, repeated([0x30, 0x80], MEBIBYTE - 64)),
      ),
  ],
  [
    "beginnings of keys in binary",
    (): Uint8Array => repeated([0x30, 0x82, 1, 1, 2, 1, 0, 0x30, 0x82, 1, 0x80, 6]),
  ],
  ["members of PKCS#7", (): Uint8Array => pkcs7(Array<Uint8Array>(1_000).fill(der)).subarray(0, MEBIBYTE)],
  ["empty members of PKCS#7", (): Uint8Array =>
    contentInfo(
      "1.2.840.113549.1.7.2",
      sequence(
        integer(1),
        set(),
        sequence(oid("1.2.840.113549.1.7.1")),
        explicit(0, repeated([0x30, 0])),
        set(),
      ),
    ).subarray(0, MEBIBYTE)],
  [
    "one name of 60,000 characters",
    (): Uint8Array => certificateOf({ subject: name([["CN", "\u00df".repeat(30_000)]]) }),
  ],
  [
    "one relative name of 2,000 parts",
    (): Uint8Array =>
      certificateOf({
        subject: sequence(set(...Array.from({ length: 2_000 }, (_, i) => attribute(`${i}`)))),
      }),
  ],
  [
    "extensions",
    (): Uint8Array =>
      certificateOf({ extensions: Array.from({ length: 200 }, (_, i) => sequence(oid(`1.2.${i}`), tlv(4))) }),
  ],
  [
    "alternative names",
    (): Uint8Array => namesOf(Array<Uint8Array>(2_000).fill(tlv(0x82, ascii("a".repeat(25))))),
  ],
  [
    "directory names",
    (): Uint8Array => namesOf(Array<Uint8Array>(1_000).fill(explicit(4, name("CN=aaaaaaaaa")))),
  ],
  [
    "short alternative names",
    (): Uint8Array => namesOf(Array<Uint8Array>(20_000).fill(tlv(0x82, ascii("a")))),
  ],
  ["bad alternative names", (): Uint8Array => namesOf(Array<Uint8Array>(20_000).fill(tlv(0x89)))],
  [
    "a long OID",
    (): Uint8Array =>
      certificateOf({ subject: sequence(set(attribute("x", tlv(6, new Uint8Array(60_000).fill(0xff))))) }),
  ],
  ["a long serial", (): Uint8Array => certificateOf({ serial: tlv(2, new Uint8Array(60_000)) })],
];

for (const [title, build] of HOSTILE) {
  Deno.test(`a hostile input of ${title} is read or refused with a reason, within the budget`, () => {
    examine(build());
  });
}

function filled(unit: string): string {
  return unit.repeat(Math.floor(MEBIBYTE / unit.length));
}

function repeated(unit: readonly number[], size = MEBIBYTE): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => unit[index % unit.length]!);
}

function attribute(value: string, type = oid("2.5.4.11")): Uint8Array {
  return sequence(type, utf8(value));
}

function namesOf(names: readonly Uint8Array[]): Uint8Array {
  return certificateOf({ extensions: [sequence(oid("2.5.29.17"), tlv(4, sequence(...names)))] });
}

/** Returns a meaningless certificate with these fields. */
function certificateOf(
  { serial = integer(1), subject = name("CN=x"), extensions = [] }: {
    serial?: Uint8Array;
    subject?: Uint8Array;
    extensions?: readonly Uint8Array[];
  },
): Uint8Array {
  const algorithm = sequence(oid("1.3.101.112"));
  const validity = sequence(derWriter.time(0), derWriter.time(0));
  const key = sequence(algorithm, derWriter.bitString(new Uint8Array(32)));
  const lists = extensions.length === 0 ? [] : [explicit(3, sequence(...extensions))];
  const tbs = sequence(
    explicit(0, integer(2)),
    serial,
    algorithm,
    name("CN=x"),
    validity,
    subject,
    key,
    ...lists,
  );
  return concat(sequence(tbs, algorithm, derWriter.bitString(new Uint8Array(64))));
}

Deno.test("PEM of every mutation is read like its bytes", () => {
  const next = random(4);
  for (let count = 0; count < 300; count++) {
    const bytes = mutate(inputs[next(6)]!, { next, others: inputs });
    examine(`${encodePem(bytes)}${pem}${encodePem(bytes, "PKCS7")}`);
  }
});
