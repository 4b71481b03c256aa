/**
 * Published cases for revocation lists, made again from their descriptions: `crl::` of x509-limbo, and sections 4.4 and
 * 4.14 of PKITS (NIST Public Key Interoperability Test Suite 1.0.1). Out of scope, and therefore `unsupported` or
 * `wrong_scope` instead of an answer: relative names (4.14.4, 4.14.5), lists of some reasons (4.14.15 to 4.14.21),
 * indirect lists and other cRLIssuers (4.14.22 to 4.14.35), negative serial numbers, which RFC 5280 forbids (4.4.14,
 * 4.4.15). Paths are not built here: a revoked authority (4.4.2) is asked about like any other certificate.
 */

import {
  type CrlInput,
  derWriter,
  ext,
  generalName,
  issuingPoint,
  TEST_NOW,
  TestCa,
  type TestCertificate,
} from "../../support/test_ca/mod.ts";
import { flag, type Question, uri } from "./support.ts";

const { explicit, implicit, integer, sequence } = derWriter;
const DAY = 86_400_000;
const POINT = "http://crl.example/point.crl";
const signing = { keyUsage: ["keyCertSign", "cRLSign"] };
export const ca = await TestCa.root({ cn: "Good CA", ...signing });
const other = await TestCa.root({ cn: "Other CA", ...signing });
const sub = await ca.intermediate({ cn: "Sub CA" });
export const leaf = await ca.issue({ cn: "leaf.example" });
const placed = await ca.issue({
  cn: "placed.example",
  extensions: [ext.crlDistributionPoints([POINT])],
});
const elsewhere = await other.issue({
  cn: "leaf.example",
  serial: leaf.certificate.serial,
});
const long = await ca.issue({
  cn: "long.example",
  serial: `7f${"01".repeat(19)}`,
});
const longer = {
  serial: Uint8Array.from([...long.certificate.serial.slice(0, 19), 2]),
};
const withoutSign = await TestCa.root({
  cn: "Certificates Only",
  keyUsage: ["keyCertSign"],
});
const withoutUsage = await TestCa.root({
  cn: "Any Usage",
  without: ["keyUsage"],
});
const listKey = await ca.issue({ subject: "Good CA", keyUsage: ["cRLSign"] });
const foreignKey = await other.issue({
  subject: "Good CA",
  keyUsage: ["cRLSign"],
});
export const pool = [ca, other, sub, withoutSign, withoutUsage, listKey, foreignKey]
  .map((one) => one.certificate);

const entry = (one: TestCertificate): { serial: Uint8Array } => ({
  serial: one.certificate.serial,
});
const unknown = {
  oid: "2.16.840.1.101.2.1.12.2",
  critical: true,
  value: integer(1),
};
const reasons = issuingPoint(implicit(3, Uint8Array.of(6, 0x40)));
const relative = issuingPoint(explicit(0, explicit(1, sequence())));
const issuerEntry = {
  oid: "2.5.29.29",
  critical: true,
  value: sequence(generalName("dirName:CN=Other CA")),
};

/** A case: what the list has, who signs it (the authority by default), and the certificate that is asked about. */
type Case = [
  name: string,
  expected: string,
  list: CrlInput,
  about?: Partial<
    { of: TestCertificate; signer: TestCertificate; at: Question["at"] }
  >,
];

export const CASES: readonly Case[] = [
  ["limbo crl::revoked-certificate-with-crl", "revoked", {
    revoked: [entry(leaf)],
  }],
  ["limbo crl::certificate-not-on-crl", "good", { revoked: [entry(long)] }],
  ["limbo crl::certificate-serial-on-crl-different-issuer", "wrong_issuer", {
    revoked: [entry(elsewhere)],
  }, { signer: other }],
  ["limbo crl::crlnumber-missing", "malformed", { number: null }],
  ["limbo crl::crlnumber-critical", "critical_extension", {
    number: null,
    extensions: [{ oid: "2.5.29.20", critical: true, value: integer(1) }],
  }],
  ["limbo crl::issuer-missing-crlsign", "key_usage", {}, {
    of: await withoutSign.issue({ cn: "x.example" }),
    signer: withoutSign,
  }],
  ["limbo crl::issuer-no-keyusage-extension", "good", {}, {
    of: await withoutUsage.issue({ cn: "x.example" }),
    signer: withoutUsage,
  }],
  ["limbo crl::issuer-valid-crlsign-and-keycertsign", "good", {}],
  ["PKITS 4.4.2 revoked CA", "revoked", { revoked: [entry(sub)] }, { of: sub }],
  ["PKITS 4.4.3 revoked EE", "revoked", { revoked: [entry(leaf)] }],
  ["PKITS 4.4.4 bad CRL signature", "bad_signature", { brokenSignature: true }],
  ["PKITS 4.4.5 bad CRL issuer name", "wrong_issuer", { issuer: sub.subject }],
  ["PKITS 4.4.6 wrong CRL", "wrong_issuer", {}, { signer: other }],
  ["PKITS 4.4.8 unknown CRL entry extension", "critical_extension", {
    revoked: [{ ...entry(long), extensions: [unknown] }],
  }],
  ["PKITS 4.4.9 unknown CRL extension", "critical_extension", {
    extensions: [unknown],
  }],
  ["PKITS 4.4.10 unknown CRL extension, revoked", "critical_extension", {
    revoked: [entry(leaf)],
    extensions: [unknown],
  }],
  ["PKITS 4.4.11 old CRL nextUpdate", "expired", {
    thisUpdate: TEST_NOW - 9 * DAY,
    nextUpdate: TEST_NOW - DAY,
  }],
  ["PKITS 4.4.12 pre-2000 CRL nextUpdate", "expired", {
    thisUpdate: Date.UTC(1998, 0, 1),
    nextUpdate: Date.UTC(1999, 0, 1),
  }],
  ["PKITS 4.4.13 GeneralizedTime CRL nextUpdate", "good", {
    nextUpdate: Date.UTC(2050, 0, 1),
  }],
  ["PKITS 4.4.16 long serial number", "good", { revoked: [longer] }, {
    of: long,
  }],
  ["PKITS 4.4.17 long serial number, another listed", "good", {
    revoked: [entry(leaf)],
  }, { of: long }],
  ["PKITS 4.4.18 long serial number, revoked", "revoked", {
    revoked: [longer, entry(long)],
  }, { of: long }],
  ["PKITS 4.4.19 separate certificate and CRL keys", "good", {}, {
    signer: listKey,
  }],
  [
    "PKITS 4.4.20 separate keys, revoked",
    "revoked",
    { revoked: [entry(leaf)] },
    { signer: listKey },
  ],
  [
    "PKITS 4.4.21 separate keys, certified by another authority",
    "bad_signature",
    {},
    { signer: foreignKey },
  ],
  ["PKITS 4.14.1 distribution point", "good", {
    extensions: [issuingPoint(uri(POINT))],
  }, { of: placed }],
  ["PKITS 4.14.2 distribution point, revoked", "revoked", {
    revoked: [entry(placed)],
    extensions: [issuingPoint(uri(POINT))],
  }, { of: placed }],
  ["PKITS 4.14.3 another distribution point", "wrong_scope", {
    extensions: [issuingPoint(uri(`${POINT}?2`))],
  }, { of: placed }],
  ["PKITS 4.14.4 relative name", "unsupported", { extensions: [relative] }, {
    of: placed,
  }],
  ["PKITS 4.14.10 no issuingDistributionPoint", "good", {}, { of: placed }],
  ["PKITS 4.14.11 onlyContainsUserCerts", "wrong_scope", {
    extensions: [issuingPoint(flag(1))],
  }, { of: sub }],
  ["PKITS 4.14.12 onlyContainsCACerts", "wrong_scope", {
    extensions: [issuingPoint(flag(2))],
  }],
  ["PKITS 4.14.13 onlyContainsCACerts for a CA", "good", {
    extensions: [issuingPoint(flag(2))],
  }, { of: sub }],
  ["PKITS 4.14.14 onlyContainsAttributeCerts", "wrong_scope", {
    extensions: [issuingPoint(flag(5))],
  }],
  ["PKITS 4.14.15 onlySomeReasons, revoked", "unsupported", {
    revoked: [entry(leaf)],
    extensions: [reasons],
  }],
  ["PKITS 4.14.18 onlySomeReasons", "unsupported", { extensions: [reasons] }],
  ["PKITS 4.14.22 indirectCRL", "unsupported", {
    extensions: [issuingPoint(flag(4))],
  }],
  ["PKITS 4.14.27 entry of another issuer", "unsupported", {
    revoked: [{ ...entry(leaf), extensions: [issuerEntry] }],
  }],
];
