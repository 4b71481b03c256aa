import assert from "node:assert/strict";
import { DAY_MS } from "../../../src/base/clock.ts";
import {
  type CertificateFacts,
  POLICY_TYPES,
  ruleOf,
  type RuleResult,
} from "../../../src/domain/compliance/rules/mod.ts";

const NOW = Date.UTC(2026, 5, 15, 12);
const FACTS: CertificateFacts = {
  commonName: "www.acme.example",
  sans: ["www.acme.example"],
  issuer: "C=US, O=Acme Corp, CN=Acme Issuing CA",
  subject: "CN=www.acme.example",
  algorithm: "rsa",
  keyAlgorithm: "RSA",
  signatureAlgorithm: "sha256WithRSAEncryption",
  keySize: 2048,
  validFrom: Date.UTC(2026, 0, 1),
  validTo: Date.UTC(2026, 11, 31, 23, 59, 59),
  hasChain: true,
  chainStatus: null,
  chainErrors: [],
  revocationStatus: "not_checked",
  revocationCheckedAt: null,
  publiclyTrusted: null,
  usages: ["server_auth"],
  validityRules: [],
  scts: 0,
  findings: [],
};

const FINDING = {
  code: "year_zero",
  message: "notBefore is in the year 0000",
  section: "RFC 5280 §4.1.2.5.2",
};

type Facts = Partial<CertificateFacts>;
type Row = readonly [
  facts: Facts,
  parameters: Record<string, unknown>,
  result: "pass" | "fail",
  message?: string | undefined,
  values?: readonly [checked: string, expected: string],
];

function check(type: string, facts: Facts, parameters: unknown): RuleResult {
  const rule = ruleOf(type);
  assert(rule !== undefined, type);
  return rule.check({
    certificate: { ...FACTS, ...facts },
    parameters: rule.parameters.parse(parameters),
    now: NOW,
  });
}

/** Returns a certificate with this lifetime, including its last second. */
function withLifetime(days: number, seconds = 0): Facts {
  return { validTo: FACTS.validFrom + days * DAY_MS + seconds * 1_000 - 1_000 };
}

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  min_key_size: [
    [{}, {}, "pass", "The RSA key has 2048 bits.", ["2048 bits", "at least 2048 bits"]],
    [{ keySize: 2047 }, {}, "fail", "The RSA key has 2047 bits; at least 2048 bits are required."],
    [{}, { min_bits: 3072 }, "fail", undefined, ["2048 bits", "at least 3072 bits"]],
    [{ keySize: 3072 }, { min_bits: 3072 }, "pass"],
    [{ algorithm: "ecdsa", keySize: 256 }, { min_bits: 4096 }, "pass", "The ECDSA key has 256 bits."],
    [{ algorithm: "ecdsa", keySize: 255 }, {}, "fail"],
    [{ algorithm: "ecdsa", keySize: 256 }, { min_ec_bits: 384 }, "fail"],
    [{ algorithm: "ed25519", keySize: null }, { min_bits: 8192, min_ec_bits: 521 }, "pass"],
    [{ algorithm: "ed25519", keySize: 256 }, {}, "pass", undefined, ["Ed25519", "any Ed25519 key"]],
    [{ keySize: null }, {}, "fail", "The size of the RSA key is unknown; at least 2048 bits are required.", [
      "unknown",
      "at least 2048 bits",
    ]],
    [{ algorithm: "unknown", keySize: 2048 }, {}, "pass"],
    [
      { algorithm: "unknown", keySize: 456 },
      {},
      "fail",
      "The key of unknown algorithm has 456 bits; at least 2048 bits are required.",
    ],
    [{ algorithm: "unknown", keySize: null }, {}, "fail"],
  ],
  max_validity_days: [
    [withLifetime(397), {}, "pass", "The certificate is valid for 397 days.", [
      "397 days",
      "at most 397 days",
    ]],
    [withLifetime(397, 1), {}, "fail", "The certificate is valid for 398 days; at most 397 are allowed."],
    [withLifetime(398), {}, "fail"],
    [withLifetime(398), { max_days: 398 }, "pass"],
    [withLifetime(1), { max_days: 1 }, "pass", "The certificate is valid for 1 day.", [
      "1 day",
      "at most 1 day",
    ]],
    // From midnight to midnight, including the last second.
    [{ validTo: FACTS.validFrom + 90 * DAY_MS }, { max_days: 90 }, "fail"],
    [{ validTo: FACTS.validFrom }, { max_days: 1 }, "pass"],
  ],
  algorithm_allowed: [
    [{}, { algorithms: ["rsa"] }, "pass", "The key's algorithm is RSA, which is allowed."],
    [
      {},
      { algorithms: ["ECDSA", " Ed25519 "] },
      "fail",
      "The key's algorithm is RSA; allowed: ECDSA, Ed25519.",
      [
        "rsa",
        "one of ECDSA, Ed25519",
      ],
    ],
    [{ algorithm: "unknown", keyAlgorithm: "" }, { algorithms: ["rsa", "ecdsa", "ed25519"] }, "fail"],
    [{ algorithm: "unknown", keyAlgorithm: "" }, { algorithms: ["unknown"] }, "pass"],
    [
      { algorithm: "unknown", keyAlgorithm: "DSA" },
      { algorithms: ["dsa"] },
      "pass",
      "The key's algorithm is DSA, which is allowed.",
    ],
    [{ algorithm: "ecdsa", keyAlgorithm: "P-384" }, { algorithms: ["p384"] }, "pass"],
    [{ algorithm: "ecdsa", keyAlgorithm: "P-384" }, { algorithms: ["P-256", "rsa"] }, "fail"],
    [{}, { algorithms: ["rsa", "SHA-256"] }, "pass"],
    [{}, { algorithms: ["SHA-384"] }, "fail", "The signature's algorithm is sha256; allowed: SHA-384."],
    [
      {},
      { algorithms: ["ecdsa", "SHA-256"] },
      "fail",
      "The key's algorithm is RSA; allowed: ECDSA, SHA-256.",
    ],
    [{ signatureAlgorithm: "" }, { algorithms: ["SHA-384"] }, "pass"],
  ],
  algorithm_forbidden: [
    [{}, { algorithms: ["ecdsa"] }, "pass", "The key's algorithm is RSA, which is not forbidden."],
    [{}, { algorithms: ["ecdsa", "RSA"] }, "fail", "The key's algorithm is RSA, which is forbidden.", [
      "rsa",
      "none of ecdsa, RSA",
    ]],
    [{ algorithm: "unknown", keyAlgorithm: "" }, { algorithms: ["rsa"] }, "pass"],
    [{ algorithm: "unknown", keyAlgorithm: "" }, { algorithms: ["unknown"] }, "fail"],
    ...["sha1", "SHA-1", "Sha1", "sha1WithRSAEncryption"].map((name): Row => [
      { signatureAlgorithm: "sha1WithRSAEncryption" },
      { algorithms: ["md5", name] },
      "fail",
      "The signature's algorithm is sha1, which is forbidden.",
    ]),
    ...["md5WithRSAEncryption", "RSASSA-PSS with MD5"].map((signatureAlgorithm): Row => [
      { signatureAlgorithm },
      { algorithms: ["md5"] },
      "fail",
    ]),
    [{ signatureAlgorithm: "sha512-256WithRSAEncryption" }, { algorithms: ["sha512", "sha256"] }, "pass"],
    [{ signatureAlgorithm: "sha512-256WithRSAEncryption" }, { algorithms: ["SHA-512/256"] }, "fail"],
    [{ signatureAlgorithm: "sha3-256WithRSAEncryption" }, { algorithms: ["sha256"] }, "pass"],
    [{ signatureAlgorithm: "ecdsa-with-SHA1" }, { algorithms: ["sha1"] }, "fail"],
    [{ algorithm: "unknown", keyAlgorithm: "DSA" }, { algorithms: ["dsa"] }, "fail"],
    [{ algorithm: "ecdsa", keyAlgorithm: "P-192" }, { algorithms: ["p-192"] }, "fail"],
    [{ algorithm: "ecdsa", keyAlgorithm: "P-256" }, { algorithms: ["ec"] }, "fail"],
    [{ signatureAlgorithm: "" }, { algorithms: ["sha1"] }, "pass"],
  ],
  expiry_warning: [
    [{}, {}, "pass", "The certificate expires in 199 days, on 2026-12-31.", [
      "199 days",
      "more than 30 days",
    ]],
    [{ validTo: Date.UTC(2026, 6, 16) }, {}, "pass"],
    [
      { validTo: Date.UTC(2026, 6, 15, 23, 59, 59) },
      {},
      "fail",
      "The certificate expires in 30 days, on 2026-07-15.",
    ],
    [{ validTo: Date.UTC(2026, 6, 15) }, { warning_days: 29 }, "pass"],
    [
      { validTo: Date.UTC(2026, 5, 16) },
      { warning_days: 0 },
      "pass",
      "The certificate expires in 1 day, on 2026-06-16.",
    ],
    [
      { validTo: Date.UTC(2026, 5, 15, 18) },
      { warning_days: 0 },
      "fail",
      "The certificate expires today, on 2026-06-15.",
    ],
    [{ validTo: NOW }, {}, "fail", "The certificate expires today, on 2026-06-15."],
    [{ validTo: NOW - 1_000 }, {}, "fail", "The certificate expired today, on 2026-06-15."],
    [
      { validTo: Date.UTC(2026, 5, 14) },
      { warning_days: 0 },
      "fail",
      "The certificate expired 1 day ago, on 2026-06-14.",
      [
        "expired 1 day ago",
        "more than 0 days",
      ],
    ],
  ],
  chain_required: [
    [{}, {}, "pass", "A chain is stored, but has not been validated yet."],
    [{ hasChain: false }, {}, "fail", "No chain is stored.", [
      "none",
      "a chain, which must be valid if it was validated",
    ]],
    [{ hasChain: false, chainStatus: "valid" }, {}, "pass", "The chain is valid."],
    [
      { hasChain: false, chainStatus: "self_signed" },
      {},
      "pass",
      "Passes: self-signed, needs no chain.",
    ],
    [{ chainStatus: "no_chain" }, {}, "fail"],
    [{ chainStatus: "incomplete" }, {}, "fail"],
    [
      { chainStatus: "invalid_signature" },
      {},
      "fail",
      "The chain is not valid: invalid signature.",
    ],
    [{ chainStatus: "expired" }, {}, "fail"],
    [{ chainStatus: "not_yet_valid" }, {}, "fail"],
    [{ chainStatus: "parse_error" }, {}, "fail"],
    [{ hasChain: false, subject: FACTS.issuer }, {}, "pass"],
    [{ hasChain: false, subject: "", issuer: "" }, {}, "fail"],
  ],
  san_required: [
    [{}, {}, "pass", "The certificate has 1 subject alternative name.", ["1 name", "at least 1 name"]],
    [
      { sans: [] },
      {},
      "fail",
      "The certificate has no subject alternative names; at least 1 is required.",
    ],
    [{ sans: ["a.example", "IP:192.0.2.1"] }, { min_count: 2 }, "pass"],
    [{ sans: ["a.example"] }, { min_count: 2 }, "fail", undefined, ["1 name", "at least 2 names"]],
  ],
  wildcard_forbidden: [
    [{}, {}, "pass", "The certificate has no wildcard names."],
    [{ sans: ["*.acme.example"] }, {}, "fail", "The certificate has the wildcard name *.acme.example.", [
      "*.acme.example",
      "no wildcard names",
    ]],
    [{ commonName: "*.acme.example", sans: ["*.acme.example"] }, {}, "fail", undefined, [
      "*.acme.example",
      "no wildcard names",
    ]],
    [{ sans: ["DNS:w*.acme.example"] }, {}, "fail"],
    [{ sans: ["www.*.example"] }, {}, "fail"],
    [
      { sans: ["*.a.example", "*.b.example", "*.c.example", "*.d.example", "*.e.example"] },
      {},
      "fail",
      "The certificate has the wildcard names *.a.example, *.b.example, *.c.example and 2 more.",
    ],
    [{ sans: ["URI:https://acme.example/*", "email:*@acme.example"] }, {}, "pass"],
    [{ commonName: "Star * of the show" }, {}, "pass"],
  ],
  issuer_allowed: [
    [{}, { issuers: ["acme corp"] }, "pass"],
    [{}, { issuers: ["DigiCert", "CN=ACME ISSUING CA"] }, "pass"],
    [
      {},
      { issuers: ["DigiCert", "Sectigo"] },
      "fail",
      "The issuer is C=US, O=Acme Corp, CN=Acme Issuing CA; allowed: DigiCert, Sectigo.",
    ],
    [{ issuer: "O=Müller" }, { issuers: ["MÜLLER"] }, "pass"],
  ],
  issuer_forbidden: [
    [{}, { issuers: ["DigiCert"] }, "pass"],
    [
      {},
      { issuers: ["DigiCert", "o=acme"] },
      "fail",
      "The issuer is C=US, O=Acme Corp, CN=Acme Issuing CA, which is forbidden.",
    ],
    // A part of a name is matched literally.
    [{}, { issuers: [".*", "%", "_cme"] }, "pass"],
  ],
  no_findings: [
    [{}, {}, "pass", "The certificate has no findings.", ["none", "none"]],
    [
      { findings: [FINDING, { ...FINDING, message: "Another" }] },
      {},
      "fail",
      "The certificate has the finding year_zero. notBefore is in the year 0000 (RFC 5280 §4.1.2.5.2).",
      ["year_zero", "none"],
    ],
    [{ findings: [FINDING] }, { allowed_codes: [" YEAR_ZERO "] }, "pass", undefined, [
      "year_zero",
      "none but year_zero",
    ]],
    [
      { findings: [FINDING, { ...FINDING, code: "not_der" }] },
      { allowed_codes: ["year_zero"] },
      "fail",
      undefined,
      [
        "year_zero, not_der",
        "none but year_zero",
      ],
    ],
  ],
  usage_allowed: [
    [{}, { usages: ["server_auth"] }, "pass", "All its usages are allowed.", [
      "server_auth",
      "only server_auth",
    ]],
    [
      { usages: ["server_auth", "client_auth"] },
      { usages: ["server_auth"] },
      "fail",
      "It may be used for client_auth; allowed: server_auth.",
    ],
    [{ usages: [] }, { usages: ["ca"] }, "pass", undefined, ["unknown", "only ca"]],
  ],
  usage_forbidden: [
    [{ usages: ["client_auth"] }, { usages: ["client_auth"] }, "pass", "It is not publicly trusted."],
    [
      { usages: ["server_auth", "client_auth"], publiclyTrusted: true },
      { usages: [" CLIENT_AUTH "] },
      "fail",
      "It may be used for client_auth, which is forbidden.",
    ],
    [{ usages: ["client_auth"] }, { usages: ["client_auth"], publicly_trusted_only: false }, "fail"],
    [{ publiclyTrusted: true }, { usages: ["client_auth"] }, "pass", "It has no forbidden usage."],
  ],
  signature_forbidden: [
    [{}, { algorithms: ["sha1"] }, "pass", undefined, ["sha256WithRSAEncryption", "none of sha1"]],
    [{ signatureAlgorithm: "sha1WithRSAEncryption" }, { algorithms: ["SHA-1"] }, "fail"],
    // The key is not examined.
    [{}, { algorithms: ["rsa"] }, "pass"],
    [{ signatureAlgorithm: "" }, { algorithms: ["sha1"] }, "pass", undefined, ["unknown", "none of sha1"]],
  ],
  not_distrusted: [
    [{}, {}, "pass", "Its chain was not validated yet."],
    [{ chainStatus: "valid" }, {}, "pass", "Nothing on its path is distrusted.", [
      "trusted",
      "not distrusted",
    ]],
    [
      { chainStatus: "invalid_signature", chainErrors: ["expired", "distrusted"] },
      {},
      "fail",
      "A key or certificate on its path is distrusted.",
      ["distrusted", "not distrusted"],
    ],
    [
      { chainStatus: "invalid_signature", chainErrors: ["distrusted_after"] },
      {},
      "fail",
      "It was issued after its root was distrusted.",
    ],
  ],
  rules_in_force: [
    [{}, {}, "pass", "It is not publicly trusted."],
    [{ publiclyTrusted: true }, {}, "pass", "It keeps the rules of the day on which it was issued."],
    [
      {
        publiclyTrusted: true,
        validFrom: Date.UTC(2026, 2, 15),
        validityRules: [{
          name: "br-server-validity",
          applies_to: "server_auth",
          from: "2026-03-15",
          max_days: 200,
          effect: "Certificates are valid for at most 200 days.",
          source: "BR",
        }],
      },
      {},
      "fail",
      "Certificates are valid for at most 200 days since 2026-03-15.",
      ["br-server-validity", "the rules of the day of issue"],
    ],
  ],
  scts_present: [
    [{ scts: 0 }, {}, "pass", "It is no publicly trusted server certificate."],
    [{ scts: 0, publiclyTrusted: true, usages: ["code_signing"] }, {}, "pass"],
    [
      { scts: 2, publiclyTrusted: true, usages: ["server_auth"] },
      {},
      "pass",
      "It has 2 signed certificate timestamps.",
    ],
    [
      { scts: 1, publiclyTrusted: true, usages: ["server_auth"] },
      {},
      "fail",
      "It has 1 signed certificate timestamps, fewer than 2.",
      ["1", "at least 2"],
    ],
    [{ scts: 2, publiclyTrusted: true, usages: ["server_auth", "client_auth"] }, { min: 3 }, "fail"],
  ],
  not_revoked: [
    [{}, {}, "fail", "It was never checked.", ["not checked", "not revoked"]],
    [
      { revocationStatus: "good", revocationCheckedAt: NOW - 7 * DAY_MS },
      {},
      "pass",
      "Its authority says that it is not revoked.",
    ],
    [{ revocationStatus: "good", revocationCheckedAt: NOW - 7 * DAY_MS - 1 }, {}, "fail"],
    [{ revocationStatus: "good", revocationCheckedAt: NOW - 8 * DAY_MS }, { max_age_days: 8 }, "pass"],
    [{ revocationStatus: "not_needed", revocationCheckedAt: NOW }, {}, "pass", "It needs no check."],
    [
      { revocationStatus: "unavailable", revocationCheckedAt: NOW },
      {},
      "fail",
      "Its authority has not said whether it is revoked.",
    ],
    [{ revocationStatus: "unknown", revocationCheckedAt: NOW }, {}, "fail"],
    [{ revocationStatus: "revoked", revocationCheckedAt: NOW }, {}, "fail", "Its authority has revoked it."],
  ],
};

Deno.test("every type of policy has a rule, and a table here", () => {
  assert.deepEqual(Object.keys(TABLES), POLICY_TYPES);
  for (const type of POLICY_TYPES) assert.equal(ruleOf(type)?.type, type);
  for (const type of ["", "min_key_siz", "__proto__", "constructor", undefined, 7]) {
    assert.equal(ruleOf(type), undefined);
  }
});

for (const [type, rows] of Object.entries(TABLES)) {
  Deno.test(`${type} passes and fails the cases of its table`, () => {
    for (const [facts, parameters, result, message, values] of rows) {
      const given = `${type} ${JSON.stringify([facts, parameters])}`;
      const found = check(type, facts, parameters);
      assert.equal(found.result, result, given);
      if (message !== undefined) assert.equal(found.message, message);
      if (values !== undefined) assert.deepEqual([found.checked_value, found.expected_value], values, given);
      assert.match(found.message, /^[A-Z].*\.$/u, given);
    }
  });
}

Deno.test("defaults are filled in", () => {
  const expected = {
    min_key_size: { min_bits: 2048, min_ec_bits: 256 },
    max_validity_days: { max_days: 397 },
    expiry_warning: { warning_days: 30 },
    chain_required: {},
    not_revoked: { max_age_days: 7 },
    san_required: { min_count: 1 },
    wildcard_forbidden: {},
    no_findings: { allowed_codes: [] },
  };
  for (const [type, parameters] of Object.entries(expected)) {
    assert.deepEqual(ruleOf(type)?.parameters.parse({}), parameters);
  }
  assert.deepEqual(ruleOf("algorithm_allowed")?.parameters.parse({ algorithms: ["rsa", "rsa"] }), {
    algorithms: ["rsa"],
  });
});

Deno.test("messages with hostile names are short, on one line and in logical order", () => {
  const long = "x".repeat(60_000);
  const hostile = "a\u202eb\nc\u0007d\ud800";
  for (
    const [type, facts, parameters] of [
      ["wildcard_forbidden", {
        sans: [`*.${long}`, `*.${hostile}`, ...Array(2_000).fill(0).map((_, n) => `*.${n}`)],
      }, {}],
      ["wildcard_forbidden", { commonName: "*\u202e.example" }, {}],
      ["issuer_allowed", { issuer: long }, { issuers: ["DigiCert"] }],
      ["issuer_allowed", { issuer: hostile }, {
        issuers: Array(100).fill(0).map((_, n) => `${n}${"y".repeat(900)}`),
      }],
      ["issuer_forbidden", { issuer: "😀".repeat(30_000) }, { issuers: ["😀"] }],
      ["algorithm_allowed", { algorithm: "rsa" }, { algorithms: ["ecdsa"] }],
    ] as const
  ) {
    const found = check(type, facts, parameters);
    assert.equal(found.result, "fail");
    for (const text of [found.message, found.checked_value, found.expected_value]) {
      assert(text.length < 1_000, `${type}: ${text.length} characters`);
      assert(text.isWellFormed());
      assert.doesNotMatch(text, /[\p{Cc}\u202e]/u);
    }
  }
});
