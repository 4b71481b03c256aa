/** Seeded mutations of valid inputs, and the guarantees of every parser for any input. */

import assert from "node:assert/strict";
import { describeCertificate } from "../../src/domain/certificates/chain/details.ts";
import {
  detectAcmeProvider,
  encodePem,
  type Finding,
  holdsPrivateKey,
  inventoryFields,
  parseCertificate,
  parseRequest,
  readCertificates,
  readRequest,
  requestFields,
  warningsOf,
} from "../../src/x509/mod.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { buildRequest, ext, otherName, pkcs7, TestCa, testKey } from "../support/test_ca/mod.ts";

/** Maximum processor time of an input in all parsers together, in milliseconds: some 20 on an idle machine. */
export const INPUT_BUDGET_MS = 500;
/** An input that exceeds the budget is tried again, because the machine may have been busy. */
const ATTEMPTS = 3;

/** Returns a generator of pseudo-random numbers below `limit`, the same for the same seed (xorshift32). */
export function random(seed: number): (limit: number) => number {
  let state = seed | 0 || 0x9e3779b9;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

/** Returns valid inputs of every kind; small ones, so that mutations reach everything. */
export async function corpus(): Promise<Uint8Array[]> {
  const key = await testKey("ed25519");
  const root = await TestCa.root({ cn: "Root", key });
  const ca = await root.intermediate({
    key: "p256",
    subject: [["C", "DE"], [["O", "Acme"], ["OU", "Ü"]], ["CN", "CA"]],
    pathLength: 1,
    nameConstraints: {
      permitted: ["a.example", "IP:10.0.0.0/8", "dirName:O=x"],
      excluded: ["email:b.example"],
    },
    extensions: [ext.rawExtension("inhibitAnyPolicy", Uint8Array.of(2, 1, 0))],
  });
  const leaf = await ca.issue({
    cn: "a.example",
    key,
    sans: [
      "a.example",
      "IP:10.0.0.1",
      "IP:::1",
      "email:a@a.example",
      "URI:https://a",
      "dirName:CN=x",
      otherName("1.2.3", "x"),
    ],
    extensions: [
      ext.certificatePolicies(["1.2.3", { oid: "1.2.4", cps: "http://c" }]),
      ext.authorityInfoAccess({ ocsp: ["http://o"], caIssuers: ["http://i"] }),
      ext.crlDistributionPoints(["http://l"]),
      ext.signedTimestamps(2),
      ext.mustStaple(),
      { oid: "1.2.3.4", critical: true, value: new Uint8Array(3) },
    ],
  });
  const rsa = await root.issue({ cn: "r.example", key: "rsa1024" });
  const pss = await TestCa.selfSigned({ cn: "p", key: "rsa1024", pss: true });
  const request = await buildRequest({ key, sans: ["a.example"], challengePassword: "x" });
  const ders = [root, ca, leaf, rsa, pss].map(({ der }) => der);
  const bundle = pkcs7(ders.slice(0, 3));
  const text = [leaf.pem, ca.pem, encodePem(bundle, "PKCS7"), request.pem].join("# text\n");
  return [
    ...ders,
    request.der,
    bundle,
    pkcs7(ders.slice(1, 3), { indefinite: true }),
    new TextEncoder().encode(text),
  ];
}

/** Octets that tend to find mistakes: tags, lengths, ends of ranges. */
const INTERESTING_OCTETS = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  0x0c,
  0x13,
  0x17,
  0x30,
  0x31,
  0x7f,
  0x80,
  0x81,
  0x82,
  0x84,
  0x85,
  0xa0,
  0xa3,
  0xff,
];

/** Returns a copy of an input with one to four changes; some use bytes of `others`. */
export function mutate(
  input: Uint8Array,
  { next, others }: { next: (limit: number) => number; others: readonly Uint8Array[] },
): Uint8Array<ArrayBuffer> {
  let bytes = Uint8Array.from(input);
  for (let changes = 1 + next(4); changes > 0 && bytes.length > 0; changes--) {
    const at = next(bytes.length);
    const size = 1 + next(Math.min(40, bytes.length - at));
    const other = others[next(others.length)]!;
    const start = next(other.length);
    switch (next(7)) {
      case 0: // a bit
        bytes[at]! ^= 1 << next(8);
        break;
      case 1: // an octet
        bytes[at] = INTERESTING_OCTETS[next(INTERESTING_OCTETS.length)]!;
        break;
      case 2: // a length increased or decreased by one
        bytes[at]! += next(2) * 2 - 1;
        break;
      case 3: // a removed part
        bytes = spliced(bytes, { at, remove: size });
        break;
      case 4: // a repeated part
        bytes = spliced(bytes, { at, insert: bytes.slice(at, at + size) });
        break;
      case 5: // a part of another input
        bytes = spliced(bytes, { at, remove: size, insert: other.slice(start, start + size) });
        break;
      default: // a truncated end
        if (next(8) === 0) bytes = bytes.slice(0, at);
        else bytes[at] = next(256);
    }
  }
  return bytes;
}

function spliced(
  bytes: Uint8Array,
  { at, remove = 0, insert = new Uint8Array() }: { at: number; remove?: number; insert?: Uint8Array },
): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(bytes.length - remove + insert.length);
  result.set(bytes.subarray(0, at));
  result.set(insert, at);
  result.set(bytes.subarray(at + remove), at + insert.length);
  return result;
}

/** Runs every parser on an input. Throws if one throws, reports nothing, shows control characters, or is slow. */
export function examine(input: Uint8Array | string): void {
  let fastest = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && fastest > INPUT_BUDGET_MS; attempt++) {
    const start = cpuMillis();
    readAll(input);
    fastest = Math.min(fastest, cpuMillis() - start);
  }
  assert.ok(fastest <= INPUT_BUDGET_MS, `An input of ${input.length} bytes took ${fastest} ms`);
}

function readAll(input: Uint8Array | string): void {
  holdsPrivateKey(input);
  const bundle = readCertificates(input);
  for (const { certificate } of bundle.members) {
    shown(inventoryFields(certificate), describeCertificate(certificate), warningsOf(certificate));
    detectAcmeProvider(certificate.issuer.text);
  }
  if (bundle.members.length === 0) assertReported(bundle.findings);
  const { request, findings } = readRequest(input);
  if (request === undefined) assertReported(findings);
  else shown(requestFields(request), request.findings);
  if (typeof input === "string") return;
  const reading = parseCertificate(input);
  if (reading.certificate === undefined) assertReported(reading.findings);
  else assert.equal(reading.certificate.der.length, input.length);
  if (parseRequest(input).request === undefined) assertReported(parseRequest(input).findings);
}

/** Asserts that a reading without a value has findings that are safe to print. */
function assertReported(findings: readonly Finding[]): void {
  assert.ok(findings.length > 0, "Expected a reason for giving nothing");
  shown(findings);
}

/** Asserts that displayed text has no characters that affect a terminal or the order of the text. */
function shown(...values: readonly unknown[]): void {
  const text = JSON.stringify(values);
  // JSON escapes C0 controls by itself: look for its escapes as well.
  assert.doesNotMatch(text, /[\p{Cc}\u2028-\u202e\u2066-\u2069]|(?<!\\)(?:\\\\)*\\(?:u00[01]|[bfnrt])/u);
}
