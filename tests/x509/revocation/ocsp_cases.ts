/**
 * Chromium's cases for OCSP responses (`net/data/ocsp_unittest`), made again from their descriptions. Results differ where a
 * response has no `nextUpdate` (it counts for a day here, for a week there), and where the NULL of a status has content,
 * which the library's reader ignores (`good_…` and `unknown_response_invalid_status`). Out of scope: the time `producedAt`
 * (`produced_early_response`, `produced_late_response`), which RFC 6960 §3.2 does not ask clients to check; malformed serial
 * numbers of the certificate itself (`good_response_invalid_serial`), which its parser refuses; and the choice of signature
 * algorithms for single requests (`CheckOCSPDelegateTest`).
 */

import { createHash } from "node:crypto";
import { derWriter, TEST_NOW, TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";

const { bitString, explicit, integer, octetString, oid, sequence, tlv } = derWriter;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export const ca = await TestCa.root({ cn: "CA" });
export const leaf = await ca.issue({ cn: "leaf.example" });
const stranger = await TestCa.root({ cn: "Stranger" });
const critical = { oid: "1.2.3.4", critical: true, value: octetString(Uint8Array.of(1)) };
const signing = { cn: "Responder", extendedKeyUsage: ["OCSPSigning"] } as const;
const responder = await ca.issue(signing);

function time(at: number): Uint8Array {
  return tlv(0x18, new TextEncoder().encode(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "")));
}

function hash(bytes: Uint8Array, name = "sha1"): Uint8Array {
  return octetString(new Uint8Array(createHash(name).update(bytes).digest()));
}

/** An extension without a meaning, or with that of an object identifier. */
function extension(name: string, isCritical: boolean): Uint8Array {
  return sequence(
    oid(name),
    ...(isCritical ? [tlv(1, Uint8Array.of(0xff))] : []),
    octetString(Uint8Array.of(4, 0)),
  );
}

interface Single {
  readonly of?: TestCertificate;
  readonly status?: Uint8Array;
  readonly at?: number;
  readonly next?: number;
  readonly extensions?: readonly Uint8Array[];
  readonly sha256?: boolean;
}

const good = tlv(0x80);
const unknown = tlv(0x82);
const revoked = tlv(0xa1, time(TEST_NOW - DAY));

/** Returns an answer about one certificate, an hour old. */
function single(
  { of = leaf, status = good, at = TEST_NOW - HOUR, next, extensions = [], sha256 = false }: Single = {},
): Uint8Array {
  const [algorithm, name] = sha256
    ? ["2.16.840.1.101.3.4.2.1", "sha256"] as const
    : ["1.3.14.3.2.26", "sha1"] as const;
  return sequence(
    sequence(
      sequence(oid(algorithm), tlv(5)),
      hash(ca.subject, name),
      hash(ca.certificate.publicKey.bits, name),
      integer(of.certificate.serial),
    ),
    status,
    time(at),
    ...(next === undefined ? [] : [explicit(0, time(next))]),
    ...(extensions.length === 0 ? [] : [explicit(1, sequence(...extensions))]),
  );
}

interface Response {
  readonly signer?: TestCertificate;
  readonly status?: number;
  readonly type?: string;
  readonly version?: boolean;
  readonly byKey?: boolean;
  readonly responses?: readonly Uint8Array[];
  readonly extensions?: readonly Uint8Array[];
  readonly certificates?: readonly TestCertificate[];
  readonly signature?: Uint8Array;
  /** Instead of the response, or of its signed part. */
  readonly body?: Uint8Array;
  readonly data?: Uint8Array;
}

export async function build(
  {
    signer = ca,
    status = 0,
    type = "1.3.6.1.5.5.7.48.1.1",
    version = false,
    byKey = false,
    responses = [single()],
    extensions = [],
    certificates = [],
    signature,
    body,
    data,
  }: Response,
): Promise<Uint8Array> {
  if (status !== 0) return sequence(tlv(0x0a, Uint8Array.of(status)));
  const tbs = data ?? sequence(
    ...(version ? [explicit(0, integer(0))] : []),
    byKey ? tlv(0xa2, hash(signer.certificate.publicKey.bits)) : tlv(0xa1, signer.subject),
    time(TEST_NOW - HOUR),
    sequence(...responses),
    ...(extensions.length === 0 ? [] : [explicit(1, sequence(...extensions))]),
  );
  const signed = await signer.key.sign(tbs);
  const basic = body ?? sequence(
    tbs,
    signed.algorithm,
    bitString(signature ?? signed.signature),
    ...(certificates.length === 0 ? [] : [explicit(0, sequence(...certificates.map(({ der }) => der)))]),
  );
  return sequence(tlv(0x0a, Uint8Array.of(0)), explicit(0, sequence(oid(type), octetString(basic))));
}

const delegated = (signer: TestCertificate): Response => ({ signer, certificates: [signer] });
const withResponses = (...responses: readonly Single[]): Response => ({ responses: responses.map(single) });

export const CASES: readonly (readonly [name: string, expected: string, response: Response])[] = [
  ["good_response", "good", {}],
  ["good_response_sha256", "good", withResponses({ sha256: true })],
  ["no_response", "wrong_serial", { responses: [] }],
  ["missing_response", "wrong_serial", { responses: [] }],
  ["malformed_request", "responder_refused", { status: 1 }],
  ["bad_status", "responder_refused", { status: 17 }],
  ["bad_ocsp_type", "unsupported", { type: "1.3.6.1.5.5.7.48.1.2" }],
  ["bad_signature", "bad_signature", { signature: Uint8Array.of(0xde, 0xad, 0xbe, 0xef) }],
  ["ocsp_sign_direct", "good", { signer: ca }],
  ["ocsp_sign_indirect", "good", delegated(responder)],
  ["ocsp_sign_indirect_missing", "bad_signature", { signer: responder }],
  ["ocsp_sign_bad_indirect", "key_usage", delegated(await ca.issue({ cn: "Other" }))],
  [
    "ocsp_sign_bad_indirect_critical_extension",
    "critical_extension",
    delegated(await ca.issue({ ...signing, extensions: [critical] })),
  ],
  ["ocsp_sign_bad_indirect_wrong_issuer", "bad_signature", delegated(await stranger.issue(signing))],
  [
    "ocsp_sign_bad_indirect_expired",
    "expired",
    delegated(await ca.issue({ ...signing, notBefore: TEST_NOW - 9 * DAY, notAfter: TEST_NOW - DAY })),
  ],
  ["ocsp_extra_certs", "good", { certificates: [ca, responder] }],
  ["has_version", "good", { version: true }],
  ["responder_name", "good", { byKey: false }],
  ["responder_id", "good", { byKey: true }],
  ["has_extension", "good", { extensions: [extension("1.2.3.4", false)] }],
  ["good_response_next_update", "good", withResponses({ at: TEST_NOW - 4 * DAY, next: TEST_NOW + DAY })],
  ["revoke_response", "revoked", withResponses({ status: revoked })],
  [
    "revoke_response_reason",
    "revoked",
    withResponses({ status: tlv(0xa1, time(TEST_NOW - DAY), explicit(0, tlv(0x0a, Uint8Array.of(1)))) }),
  ],
  ["unknown_response", "unknown", withResponses({ status: unknown })],
  ["multiple_response", "unknown", withResponses({}, { status: unknown })],
  ["multiple_response_good_revoked", "revoked", withResponses({}, { status: revoked })],
  ["multiple_response_good_revoked, reversed", "revoked", withResponses({ status: revoked }, {})],
  ["other_response", "wrong_serial", withResponses({ of: responder }, { of: responder, status: revoked })],
  ["has_single_extension", "good", withResponses({ extensions: [extension("1.2.3.4", false)] })],
  [
    "has_critical_single_extension",
    "critical_extension",
    withResponses({ extensions: [extension("1.2.3.4", true)] }),
  ],
  ["has_critical_response_extension", "critical_extension", { extensions: [extension("1.2.3.4", true)] }],
  [
    "has_critical_ct_extension",
    "good",
    withResponses({ extensions: [extension("1.3.6.1.4.1.11129.2.4.5", true)] }),
  ],
  ["stale_response", "expired", withResponses({ at: TEST_NOW - 4 * DAY, next: TEST_NOW - DAY })],
  ["future_response", "not_yet_valid", withResponses({ at: TEST_NOW + HOUR, next: TEST_NOW + DAY })],
  ["old_response", "expired", withResponses({ at: TEST_NOW - 8 * DAY })],
  ["invalid_response", "malformed", { body: Uint8Array.of(0xde, 0xad) }],
  ["invalid_response_data", "malformed", { data: sequence(integer(1)) }],
  ["good_response_invalid_status", "good", withResponses({ status: tlv(0x80, Uint8Array.of(5, 0)) })],
  ["revoke_response_invalid_status", "malformed", withResponses({ status: tlv(0xa1, Uint8Array.of(5, 0)) })],
  ["unknown_response_invalid_status", "unknown", withResponses({ status: tlv(0x82, Uint8Array.of(5, 0)) })],
];
