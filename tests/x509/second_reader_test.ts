/** Our parser and `@peculiar/x509` agree on thousands of certificates, with exceptions that have a reason. */

import assert from "node:assert/strict";
import { type Certificate, parseCertificate, readPem } from "../../src/x509/mod.ts";
import { publicRoots } from "../../src/x509/public_roots.ts";
import { BUNDLED_CASES, readText } from "../conformance/case_files.ts";
import type { LimboCase } from "../conformance/limbo.ts";
import { derWriter, TestCa } from "../support/test_ca/mod.ts";
import { type Opinion, ourOpinion, theirOpinion, UNREADABLE } from "./second_opinion.ts";

/** A certificate, and the first case that has it. */
interface Specimen {
  readonly from: string;
  readonly der: Uint8Array<ArrayBuffer>;
}

/** A field in which the parsers differ. */
interface Difference extends Specimen {
  readonly field: string;
  readonly certificate: Certificate;
  readonly ours: unknown;
  readonly theirs: unknown;
}

const EXTENSION_FIELDS = [
  "extensions",
  "sans",
  "keyUsage",
  "extendedKeyUsage",
  "basicConstraints",
  "subjectKeyId",
  "authorityKeyId",
];

function isMalformed({ certificate }: Difference, name: string): boolean {
  return certificate.extensions.some((one) => one.name === name && one.malformed !== undefined);
}

/** Reasons why the parsers may differ. Each must apply to some certificate. */
const REASONS: readonly { readonly why: string; readonly covers: (one: Difference) => boolean }[] = [
  {
    why: "one malformed extension makes the library throw all extensions away",
    covers: (one) =>
      EXTENSION_FIELDS.includes(one.field) && one.theirs === UNREADABLE &&
      one.certificate.extensions.some(({ malformed }) => malformed !== undefined),
  },
  {
    why: "the library takes an address with a mask for a name (RFC 5280 §4.2.1.6 allows 4 or 16 octets)",
    covers: (one) => one.field === "sans" && isMalformed(one, "subjectAltName"),
  },
  {
    why: "the library takes an empty extKeyUsage (RFC 5280 §4.2.1.12 requires an entry)",
    covers: (one) => one.field === "extendedKeyUsage" && isMalformed(one, "extKeyUsage"),
  },
  {
    why: "the library drops an otherName of a type that it does not know",
    covers: ({ field, ours, theirs }) =>
      field === "sans" &&
      JSON.stringify((ours as string[]).filter((name) => name !== "other")) === JSON.stringify(theirs),
  },
  {
    why:
      "in an IA5String we read octets above 127 as UTF-8 and escape control characters, the library does neither",
    covers: ({ field, ours }) =>
      field === "sans" && (ours as string[]).some((name) => /[^\x20-\x7e]|\\u\{/.test(name)),
  },
  {
    why: "the library refuses the public key of a certificate whose other fields it reads",
    covers: ({ field, theirs }) => field === "spki" && theirs === UNREADABLE,
  },
];

/** Findings of certificates that we refuse as a whole and the library reads. */
const REFUSED_CODES = ["too_large"];

/** Returns every certificate of the chain cases and of the runtime's public roots, once. */
async function corpus(): Promise<Specimen[]> {
  const { testcases } = JSON.parse(await readText(BUNDLED_CASES.cases)) as { testcases: LimboCase[] };
  const specimens = new Map<string, Specimen>();
  for (const { id, peer_certificate, trusted_certs, untrusted_intermediates } of testcases) {
    for (const pem of [peer_certificate, ...trusted_certs, ...untrusted_intermediates]) {
      if (specimens.has(pem)) continue;
      const der = readPem(pem).blocks[0]?.bytes;
      if (der !== undefined) specimens.set(pem, { from: id, der: new Uint8Array(der) });
    }
  }
  for (const { certificate: { fingerprintSha256, der } } of (await publicRoots()).anchors) {
    specimens.set(fingerprintSha256, { from: "public root", der: new Uint8Array(der) });
  }
  return [...specimens.values()];
}

function differences(specimen: Specimen, certificate: Certificate, theirs: Opinion): Difference[] {
  const ours = ourOpinion(certificate);
  return Object.keys(ours)
    .filter((field) => JSON.stringify(ours[field]) !== JSON.stringify(theirs[field]))
    .map((field) => ({ ...specimen, field, certificate, ours: ours[field], theirs: theirs[field] }));
}

Deno.test("two parsers without common code agree on every field of 6,400 certificates, except where a reason is recorded", async () => {
  const specimens = await corpus();
  assert.ok(specimens.length > 6_400, `Only ${specimens.length} certificates`);
  const met = new Map(REASONS.map((reason) => [reason, 0]));
  const unexplained: string[] = [];
  let agreed = 0;
  for (const specimen of specimens) {
    const { certificate, findings } = parseCertificate(specimen.der);
    const theirs = theirOpinion(specimen.der);
    if (certificate === undefined) {
      if (!REFUSED_CODES.includes(findings[0]!.code)) unexplained.push(`${specimen.from}: only they read it`);
      continue;
    }
    if (theirs === undefined) {
      unexplained.push(`${specimen.from}: only we read it`);
      continue;
    }
    const found = differences(specimen, certificate, theirs);
    if (found.length === 0) agreed++;
    for (const one of found) {
      const reason = REASONS.find(({ covers }) => covers(one));
      if (reason !== undefined) met.set(reason, met.get(reason)! + 1);
      else {unexplained.push(
          `${one.from} ${one.field}: ${JSON.stringify(one.ours)}, they ${JSON.stringify(one.theirs)}`,
        );}
    }
  }
  assert.deepEqual(unexplained.slice(0, 20), []);
  assert.deepEqual([...met].filter(([, count]) => count === 0).map(([{ why }]) => why), []);
  // Most others are the malformed names in the cases about name constraints.
  assert.ok(agreed > 5_800, `Only ${agreed} certificates are read alike`);
});

const ca = await TestCa.root({ key: "ed25519" });

/** 31 February, as a GeneralizedTime. */
const NO_DATE = derWriter.tlv(0x18, derWriter.ascii("20260231000000Z"));

/** Cases in which the library is lenient or wrong; other tests show what our parser does. */
const TRAPS: readonly {
  title: string;
  make: () => Promise<Uint8Array>;
  theirs: (opinion: Opinion) => unknown;
  expected: unknown;
  ours: string;
}[] = [
  {
    title: "a date that does not exist becomes another date",
    make: async () => (await TestCa.selfSigned({ cn: "a", key: "ed25519", notAfter: NO_DATE })).der,
    theirs: ({ notAfter }) => notAfter,
    expected: "2026-03-03T00:00:00.000Z",
    ours: "malformed",
  },
  {
    title: "octets after the certificate become part of its fingerprint",
    make: () => Promise.resolve(Uint8Array.of(...ca.der, 0)),
    theirs: ({ fingerprint }) => fingerprint === ca.certificate.fingerprintSha256,
    expected: false,
    ours: "trailing_data",
  },
  {
    title: "a negative serial number loses its sign",
    make: async () => (await ca.issue({ cn: "a", key: "ed25519", serial: Uint8Array.of(0x80, 1) })).der,
    theirs: ({ serial }) => serial,
    expected: "8001",
    ours: "negative_serial",
  },
];

for (const { title, make, theirs, expected, ours } of TRAPS) {
  Deno.test(`the library does not read untrusted input reliably: ${title}`, async () => {
    const der = new Uint8Array(await make());
    assert.deepEqual(theirs(theirOpinion(der) as Opinion), expected);
    assert.deepEqual(parseCertificate(der).findings.map(({ code }) => code), [ours]);
  });
}
