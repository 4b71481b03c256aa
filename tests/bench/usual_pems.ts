/**
 * Certificates like those of public CAs, the same each time: leaves with RSA and P-256 keys, 3 to 10 names and the
 * usual extensions, and a chain of two intermediates. Keys, signatures and timestamps are random bytes of the right
 * size, because nothing checks them here, and generating RSA keys takes long.
 */

import { createHash } from "node:crypto";
import { buildCertificate, derWriter, ext } from "../support/test_ca/mod.ts";
import { encodePem } from "../../src/x509/mod.ts";

const { bitString, concat, integer, nothing, octetString, oid, sequence } = derWriter;

/** A certificate as a client sends it: the leaf, and the leaf with its chain. */
export interface UsualPem {
  readonly leaf: string;
  readonly withChain: string;
}

/** Chains in the inventory. */
const CHAINS = 4;
const NOT_BEFORE = Date.UTC(2026, 10, 1);
const DAY = 86_400_000;

const RSA_SIGNATURE = sequence(oid("1.2.840.113549.1.1.11"), nothing());
const EC_SIGNATURE = sequence(oid("1.2.840.10045.4.3.3"));

/** Returns the certificates `first` to `first + count - 1`. */
export async function usualPems(first: number, count: number): Promise<UsualPem[]> {
  const chains = await Promise.all(Array.from({ length: CHAINS }, (_, number) => chainOf(number)));
  return await Promise.all(Array.from({ length: count }, async (_, index) => {
    const number = first + index;
    const leaf = await leafOf(number);
    return { leaf, withChain: leaf + chains[number % CHAINS] };
  }));
}

async function leafOf(number: number): Promise<string> {
  const elliptic = number % 3 === 0;
  const issuer = number % CHAINS;
  const cn = `host-${number}.usual-${number % 211}.example.com`;
  const names = ["www", "api", "static", "img", "cdn", "mail", "login", "shop", "intra"];
  const sans = [cn, ...names.slice(0, 2 + number % 8).map((name) => `${name}.${cn}`)];
  const spki = elliptic ? ecKey(`leaf ${number}`) : rsaKey(`leaf ${number}`, 256);
  return await certificate(`leaf ${number}`, {
    issuer: issuerName(issuer),
    subject: `CN=${cn}`,
    spki,
    elliptic,
    days: 90,
    extensions: [
      ext.keyUsage(elliptic ? ["digitalSignature"] : ["digitalSignature", "keyEncipherment"]),
      ext.extendedKeyUsage(["serverAuth", "clientAuth"]),
      ext.basicConstraints({ ca: false, critical: true }),
      ext.subjectKeyIdentifier(noise(`key ${number}`, 20)),
      ext.authorityKeyIdentifier({ keyId: noise(`issuer ${issuer}`, 20) }),
      ext.authorityInfoAccess({
        ocsp: [`http://ocsp${issuer}.usual-ca.example`],
        caIssuers: [`http://i${issuer}.usual-ca.example/ca.cer`],
      }),
      ext.subjectAltName(sans),
      ext.certificatePolicies(["2.23.140.1.2.1", {
        oid: "1.3.6.1.4.1.44947.1.1.1",
        cps: "http://cps.usual-ca.example",
      }]),
      ext.crlDistributionPoints([`http://c${issuer}.usual-ca.example/${number % 128}.crl`]),
      timestamps(number),
    ],
  });
}

async function chainOf(number: number): Promise<string> {
  const common = [
    ext.keyUsage(["digitalSignature", "keyCertSign", "cRLSign"]),
    ext.extendedKeyUsage(["serverAuth", "clientAuth"]),
    ext.authorityInfoAccess({ caIssuers: ["http://x1.usual-ca.example/root.cer"] }),
    ext.crlDistributionPoints(["http://x1.usual-ca.example/root.crl"]),
    ext.certificatePolicies(["2.23.140.1.2.1"]),
  ];
  const elliptic = false;
  const issuing = await certificate(`issuing ${number}`, {
    issuer: "C=US, O=Usual CA Inc, CN=Usual Cross",
    subject: issuerName(number),
    spki: rsaKey(`issuing ${number}`, 256),
    elliptic,
    days: 1_500,
    extensions: [
      ext.basicConstraints({ ca: true, pathLength: 0 }),
      ext.subjectKeyIdentifier(noise(`issuer ${number}`, 20)),
      ext.authorityKeyIdentifier({ keyId: noise("cross", 20) }),
      ...common,
    ],
  });
  const cross = await certificate("cross", {
    issuer: "C=US, O=Usual CA Inc, CN=Usual Root",
    subject: "C=US, O=Usual CA Inc, CN=Usual Cross",
    spki: rsaKey("cross", 512),
    elliptic,
    days: 3_000,
    extensions: [
      ext.basicConstraints({ ca: true }),
      ext.subjectKeyIdentifier(noise("cross", 20)),
      ext.authorityKeyIdentifier({ keyId: noise("root", 20) }),
      ...common,
    ],
  });
  return issuing + cross;
}

function issuerName(number: number): string {
  return `C=US, O=Usual CA Inc, CN=Usual TLS Issuing CA ${number}`;
}

async function certificate(
  seed: string,
  { issuer, subject, spki, elliptic, days, extensions }: {
    issuer: string;
    subject: string;
    spki: Uint8Array;
    elliptic: boolean;
    days: number;
    extensions: ext.ExtensionInput[];
  },
): Promise<string> {
  const algorithm = elliptic ? EC_SIGNATURE : RSA_SIGNATURE;
  const serial = noise(`serial ${seed}`, 18);
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const signature = elliptic
    ? sequence(integer(positive(`r ${seed}`, 48)), integer(positive(`s ${seed}`, 48)))
    : noise(`signature ${seed}`, 256);
  return encodePem(
    await buildCertificate({
      serial,
      issuer,
      subject,
      notBefore: NOT_BEFORE,
      notAfter: NOT_BEFORE + days * DAY,
      spki,
      extensions,
      innerAlgorithm: algorithm,
      sign: () => Promise.resolve({ algorithm, signature }),
    }),
  );
}

/** Returns a SubjectPublicKeyInfo with a modulus of this number of bytes. */
function rsaKey(seed: string, bytes: number): Uint8Array {
  const modulus = noise(`modulus ${seed}`, bytes);
  modulus[0]! |= 0x80;
  modulus[bytes - 1]! |= 1;
  const key = sequence(integer(BigInt(`0x${modulus.toHex()}`)), integer(65_537));
  return sequence(sequence(oid("1.2.840.113549.1.1.1"), nothing()), bitString(key));
}

function ecKey(seed: string): Uint8Array {
  const algorithm = sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7"));
  return sequence(algorithm, bitString(concat(Uint8Array.of(4), noise(`point ${seed}`, 64))));
}

/** Returns two signed certificate timestamps. */
function timestamps(number: number): ext.ExtensionInput {
  const item = (log: number): Uint8Array => {
    const body = concat(noise(`log ${log}`, 32), noise(`timestamp ${number} ${log}`, 87));
    return concat(Uint8Array.of(0, body.length), body);
  };
  const items = concat(item(number % 3), item(3 + number % 3));
  const list = concat(Uint8Array.of(items.length >> 8, items.length & 0xff), items);
  return ext.rawExtension("signedCertificateTimestampList", octetString(list));
}

function positive(seed: string, bytes: number): bigint {
  return BigInt(`0x${noise(seed, bytes).toHex()}`);
}

/** Returns pseudo-random bytes. */
function noise(seed: string, bytes: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let part = 0; part * 32 < bytes; part++) {
    parts.push(createHash("sha256").update(`${seed} ${part}`).digest());
  }
  return concat(...parts).slice(0, bytes);
}
