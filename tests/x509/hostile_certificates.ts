/**
 * Families of certificates that are made to take as long as possible to read, to show or to validate. Each grows to a
 * given size.
 */

import { MAX_NAME_BYTES } from "../../src/x509/der.ts";
import { derWriter, ext, generalName, TestCa, type TestCertificate } from "../support/test_ca/mod.ts";

const { ascii, bitString, concat, explicit, implicit, integer, octetString, oid, sequence, set, tlv, utf8 } =
  derWriter;

/** The part of a certificate that grows. */
interface Payload {
  /** DER of the subject, in addition to which nothing grows. */
  readonly subject?: Uint8Array;
  readonly extensions?: readonly ext.ExtensionInput[];
}

/** Returns the part of about this many bytes. */
export type Family = (bytes: number) => Payload;

/** Returns copies of a unit that have about this many bytes together. */
function filled(bytes: number, unit: Uint8Array): Uint8Array {
  const all = new Uint8Array(Math.max(1, Math.floor(bytes / unit.length)) * unit.length);
  for (let at = 0; at < all.length; at += unit.length) all.set(unit, at);
  return all;
}

/** Returns different units, made from a number below 2^16, that have about this many bytes together. */
function different(bytes: number, unit: (high: number, low: number) => Uint8Array): Uint8Array {
  const size = unit(0x10, 0x10).length;
  const count = Math.min(0x5f * 0x5f, Math.floor(bytes / size));
  return concat(
    ...Array.from(
      { length: count },
      (_, index) => unit(0x20 + Math.floor(index / 0x5f), 0x20 + index % 0x5f),
    ),
  );
}

const CN = oid("2.5.4.3");
/** An OBJECT IDENTIFIER without a name, different for each pair of bytes below 0x80. */
const otherOid = (high: number, low: number): Uint8Array => tlv(0x06, Uint8Array.of(0x2a, high, low));
const commonName = (tag: number, content: Uint8Array): Payload => ({
  subject: sequence(set(sequence(CN, tlv(tag, content)))),
});
const names = (unit: Uint8Array, name: ext.ExtensionName = "subjectAltName"): Family => (bytes) => ({
  extensions: [ext.rawExtension(name, sequence(filled(bytes, unit)))],
});
const entries = (name: ext.ExtensionName, unit: Uint8Array): Family => names(unit, name);
const bits = (name: ext.ExtensionName): Family => (bytes) => ({
  extensions: [ext.rawExtension(name, bitString(new Uint8Array(bytes).fill(0xff)))],
});
const constraints = (tag: number, unit: Uint8Array): Family => (bytes) => ({
  extensions: [ext.rawExtension("nameConstraints", sequence(tlv(tag, filled(bytes, sequence(unit)))))],
});
const rdn = (tag: number, value: Uint8Array): Uint8Array => set(sequence(CN, tlv(tag, value)));
const raw = (unit: Uint8Array): Family => (bytes) => ({ extensions: [filled(bytes, unit)] });
const scattered = (unit: (high: number, low: number) => Uint8Array): Family => (bytes) => ({
  extensions: [different(bytes, unit)],
});

function nested(bytes: number): Uint8Array {
  let inner = new Uint8Array();
  while (inner.length < bytes) inner = Uint8Array.from(sequence(inner));
  return inner;
}

const BAD = Uint8Array.of(0x80);
const EMPTY = new Uint8Array();

/** Families by their description. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  "extensions that are NULL": raw(tlv(0x05)),
  "empty extensions": raw(sequence()),
  "extensions without a value": raw(sequence(oid("1.2.3"))),
  "different extensions": scattered((high, low) => sequence(otherOid(high, low), octetString(EMPTY))),
  "different critical extensions": scattered((high, low) =>
    sequence(otherOid(high, low), derWriter.boolean(true), octetString(EMPTY))
  ),
  "different malformed extensions": scattered((high, low) => sequence(otherOid(high, low), tlv(0x05))),
  "duplicate extensions": raw(sequence(oid("1.2.3"), octetString(EMPTY))),
  "duplicate critical extensions": raw(
    sequence(oid("1.2.3"), derWriter.boolean(true), octetString(EMPTY)),
  ),
  "empty duplicates of a known extension": raw(sequence(oid("2.5.29.17"), octetString(EMPTY))),
  "a large unknown extension": (bytes) => ({
    extensions: [ext.rawExtension("precertificatePoison", new Uint8Array(bytes))],
  }),
  "deep nesting": (bytes) => ({ extensions: [ext.rawExtension("subjectAltName", nested(bytes))] }),
  "deep nesting as a subject": (bytes) => ({ subject: nested(bytes) }),
  "DNS names of the byte 0x80": names(implicit(2, BAD)),
  "DNS names of a valid character": names(implicit(2, ascii("a"))),
  "DNS names of a zero byte": names(implicit(2, Uint8Array.of(0))),
  "empty DNS names": names(implicit(2, EMPTY)),
  "one DNS name of bytes 0x80": (bytes) => ({
    extensions: [ext.rawExtension("subjectAltName", sequence(implicit(2, filled(bytes, BAD))))],
  }),
  "one DNS name of zero bytes": (bytes) => ({
    extensions: [ext.rawExtension("subjectAltName", sequence(implicit(2, new Uint8Array(bytes))))],
  }),
  "mail addresses of the byte 0x80": names(implicit(1, BAD)),
  "URIs of the byte 0x80": names(implicit(6, BAD)),
  "addresses without bytes": names(implicit(7, EMPTY)),
  "addresses": names(generalName("IP:10.0.0.1")),
  "IPv6 addresses": names(generalName("IP:2001:db8::1")),
  "empty directory names": names(explicit(4, sequence())),
  "directory names with an empty relative name": names(explicit(4, sequence(set()))),
  "directory names of the byte 0x80": names(explicit(4, sequence(rdn(0x0c, BAD)))),
  "one directory name with many attributes": (bytes) => ({
    extensions: [
      ext.rawExtension("subjectAltName", sequence(explicit(4, sequence(filled(bytes, rdn(0x0c, BAD)))))),
    ],
  }),
  "empty other names": names(explicit(0)),
  "other names": names(explicit(0, oid("1.2.3"), explicit(0, tlv(0x05)))),
  "X.400 addresses": names(explicit(3)),
  "EDI names": names(explicit(5)),
  "registered ids": names(implicit(8, Uint8Array.of(0x2a))),
  "empty registered ids": names(implicit(8, EMPTY)),
  "one registered id of many arcs": (bytes) => ({
    extensions: [ext.rawExtension("subjectAltName", sequence(implicit(8, filled(bytes, Uint8Array.of(1)))))],
  }),
  "names of an unknown kind": names(tlv(0x05)),
  "alternative names of the issuer of the byte 0x80": names(implicit(2, BAD), "issuerAltName"),
  "issuers in the key identifier": (bytes) => ({
    extensions: [
      ext.rawExtension("authorityKeyIdentifier", sequence(tlv(0xa1, filled(bytes, implicit(2, BAD))))),
    ],
  }),
  "permitted DNS names": constraints(0xa0, implicit(2, ascii("a"))),
  "excluded DNS names of the byte 0x80": constraints(0xa1, implicit(2, BAD)),
  "excluded directory names": constraints(0xa1, explicit(4, sequence(rdn(0x0c, ascii("a"))))),
  "excluded addresses": constraints(0xa1, implicit(7, new Uint8Array(8))),
  "excluded addresses without bytes": constraints(0xa1, implicit(7, EMPTY)),
  "policies": (bytes) => ({
    extensions: [
      ext.rawExtension(
        "certificatePolicies",
        sequence(different(bytes, (high, low) => sequence(otherOid(high, low)))),
      ),
    ],
  }),
  "policies with notices": (bytes) => ({
    extensions: [
      ext.rawExtension(
        "certificatePolicies",
        sequence(different(bytes, (high, low) => {
          const notice = sequence(oid("1.3.6.1.5.5.7.2.2"), sequence(tlv(0x1a, filled(200, BAD))));
          return sequence(otherOid(high, low), sequence(notice));
        })),
      ),
    ],
  }),
  "policy mappings": (bytes) => ({
    extensions: [
      ext.rawExtension(
        "policyMappings",
        sequence(different(bytes, (high, low) => sequence(otherOid(high, low), otherOid(low, high)))),
      ),
    ],
  }),
  "key purposes": entries("extKeyUsage", oid("1.2.3")),
  "TLS features": entries("tlsFeature", integer(5)),
  "access descriptions": entries("authorityInfoAccess", sequence(oid("1.2.3"), implicit(6, BAD))),
  "empty distribution points": entries("cRLDistributionPoints", sequence()),
  "one distribution point with many names": (bytes) => ({
    extensions: [
      ext.rawExtension(
        "cRLDistributionPoints",
        sequence(sequence(tlv(0xa0, tlv(0xa0, filled(bytes, implicit(6, BAD)))))),
      ),
    ],
  }),
  "empty timestamps": (bytes) => {
    const content = new Uint8Array(bytes & ~1);
    new DataView(content.buffer).setUint16(0, content.length - 2);
    return {
      extensions: [ext.rawExtension("signedCertificateTimestampList", octetString(content))],
    };
  },
  "key usages of many bits": bits("keyUsage"),
  "a large basicConstraints": (bytes) => ({
    extensions: [ext.rawExtension("nameConstraints", filled(bytes, sequence()))],
  }),
  "a subject of U+FDFA, which normalization makes 18 times longer": (bytes) =>
    commonName(0x0c, filled(bytes, new TextEncoder().encode("\ufdfa"))),
  "a subject of U+202E": (bytes) => commonName(0x0c, filled(bytes, new TextEncoder().encode("\u202e"))),
  "a subject of zero bytes": (bytes) => commonName(0x13, new Uint8Array(bytes)),
  "a subject of Latin-1 control characters": (bytes) => commonName(0x14, filled(bytes, BAD)),
  "a subject of bytes that are not UTF-8": (bytes) => commonName(0x0c, filled(bytes, BAD)),
  "a subject of backslashes": (bytes) => commonName(0x0c, filled(bytes, ascii("\\"))),
  "a subject of percent signs": (bytes) => commonName(0x0c, filled(bytes, ascii("%"))),
  "a subject of escapes": (bytes) => commonName(0x0c, filled(bytes, ascii("\\x%"))),
  "a subject of ß": (bytes) => commonName(0x0c, filled(bytes, new TextEncoder().encode("ß"))),
  "a subject of spaces": (bytes) => commonName(0x0c, filled(bytes, ascii(" "))),
  "a subject of hangul": (bytes) =>
    commonName(0x0c, filled(bytes, new TextEncoder().encode("\u1100\u1161\u11a8"))),
  "a subject of combining marks": (bytes) =>
    commonName(0x0c, filled(bytes, new TextEncoder().encode("a" + "\u0316\u0301".repeat(14)))),
  "a subject of UTF-16 units": (bytes) => commonName(0x1e, filled(bytes, Uint8Array.of(0xd8, 0))),
  "a subject of UTF-32 characters": (bytes) => commonName(0x1c, filled(bytes, Uint8Array.of(0, 0x0e, 0, 1))),
  "many relative names": (bytes) => ({ subject: sequence(filled(bytes, rdn(0x0c, BAD))) }),
  "many relative names of expanding characters": (bytes) => ({
    subject: sequence(filled(bytes, rdn(0x0c, new TextEncoder().encode("\ufdfa")))),
  }),
  "many empty relative names": (bytes) => ({ subject: sequence(filled(bytes, set())) }),
  "one relative name with many attributes": (bytes) => ({
    subject: sequence(set(filled(bytes, sequence(CN, utf8("a"))))),
  }),
  "attributes that are no text": (bytes) => ({ subject: sequence(filled(bytes, rdn(0x05, EMPTY))) }),
  "attributes of an unknown type": (bytes) => ({
    subject: sequence(different(bytes, (high, low) => set(sequence(otherOid(high, low), utf8("a"))))),
  }),
};

/** Bytes of a certificate other than those that grow. */
const OTHER_BYTES = 1_500;

/** Issues a certificate of about this size, with a subject that may be read. A self-signed root without a CA. */
export async function hostileCertificate(
  family: Family,
  { bytes, ca, index = 0 }: { bytes: number; ca: TestCa; index?: number },
): Promise<TestCertificate> {
  const whole = family(bytes - OTHER_BYTES);
  const { subject, extensions = [] } = whole.subject === undefined ? whole : family(MAX_NAME_BYTES - 64);
  return await ca.issue({
    cn: `hostile-${index}.example`,
    ...(subject === undefined ? {} : { subject }),
    extensions,
    without: ["keyUsage", "subjectAltName"],
  });
}
