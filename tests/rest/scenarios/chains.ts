/** Chain validation and details: every result, every refusal, and the stored results. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted, managerOf, readerOf, stranger, superuser, within } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { NEXT_CERTIFICATE as NEXT, storing } from "../../support/stored.ts";
import { newKey, TEST_NOW, TestCa } from "../../support/test_ca/mod.ts";

const TYPE = "certmgr.certificate";
const UPDATED = [`update ${TYPE}`];
const DETAIL_403 = { detail: "You do not have permission to perform this action." };
const NO_PEM = { detail: "Certificate has no PEM content to validate." };
const DAY = 86_400_000;
const { certificates: ids } = seed;
const { root, issuing, fresh, stranger: strangerCa } = pki;

const expiredCa = await root.intermediate({ cn: "Expired CA", notAfter: TEST_NOW - DAY });
const futureLeaf = await issuing.issue({ cn: "future.example", notBefore: TEST_NOW + DAY });
const broken = await issuing.issue({ cn: "broken.example", brokenSignature: true });
const selfSigned = await TestCa.selfSigned({ cn: "self.example" });

function validate(title: string, id: number, expected: Partial<Scenario>): void {
  scenario(`Validate: ${title}`, {
    as: "superuser",
    post: certificate(id, "validate-chain/"),
    status: 200,
    ...expected,
  });
}

/** Validates a certificate that is stored first. */
function chainStatus(
  title: string,
  stored: { pem: string; chain?: string },
  expected: {
    status: string;
    isValid?: boolean;
    depth: number;
    code?: string;
    settings?: NonNullable<NonNullable<Scenario["app"]>["settings"]>;
    json?: Scenario["json"];
  },
): void {
  validate(title, NEXT, {
    before: storing({ pem_content: stored.pem, issuer_chain: stored.chain ?? "" }),
    changes: UPDATED,
    ...(expected.settings === undefined ? {} : { app: { settings: expected.settings } }),
    json: (body) => {
      const { status, is_valid, chain_depth, errors, certificates } = body;
      assert.deepEqual([status, is_valid, chain_depth], [
        expected.status,
        expected.isValid ?? false,
        expected.depth,
      ]);
      assert.equal(certificates.length, expected.depth);
      if (expected.code === undefined) assert.deepEqual(errors, []);
      else assert(errors.some((error: string) => error.startsWith(`${expected.code}: `)), `Errors ${errors}`);
      expected.json?.(body);
    },
  });
}

validate("the response has the specified members", ids.acmeWeb, {
  changes: UPDATED,
  json: (body) => {
    assert.deepEqual(Object.keys(body).sort(), [
      "anchor",
      "certificates",
      "chain_depth",
      "complete",
      "errors",
      "is_valid",
      "message",
      "policies",
      "status",
      "validated_at",
      "warnings",
    ]);
    const { certificates, validated_at, message, ...rest } = body;
    assert.deepEqual(rest, {
      status: "valid",
      is_valid: true,
      chain_depth: 3,
      errors: [],
      warnings: [],
      complete: true,
      anchor: "bundle",
      policies: { authority: [], user: [] },
    });
    assert.equal(validated_at, "2026-06-15T12:00:00Z");
    assert.match(message, /complete/);
    assert.deepEqual(certificates[0], {
      common_name: "www.acme.example",
      subject: "CN=www.acme.example",
      issuer: "C=US, O=Acme Corp, CN=Acme Issuing CA",
      is_leaf: true,
      is_self_signed: false,
      serial_number: "0A:1B:2C",
      fingerprint_sha256: certificates[0].fingerprint_sha256,
      valid_from: "2026-05-01T00:00:00Z",
      valid_to: "2026-10-31T23:59:59Z",
    });
    assert.match(certificates[0].fingerprint_sha256, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    assert.deepEqual(
      certificates.map((one: Record<string, unknown>) => [one.common_name, one.is_leaf, one.is_self_signed]),
      [["www.acme.example", true, false], ["Acme Issuing CA", false, false], ["Acme Root CA", false, true]],
    );
  },
});

const LEAF = fresh.pem;
chainStatus("a chain in the wrong order with additional and repeated certificates is valid", {
  pem: LEAF,
  chain: root.pem + strangerCa.pem + LEAF + issuing.pem + root.pem,
}, { status: "valid", isValid: true, depth: 3 });
chainStatus("certificates after the first one in its PEM are part of the chain", {
  pem: LEAF + root.pem + issuing.pem,
}, { status: "valid", isValid: true, depth: 3 });
chainStatus("a chain without its root is valid, and not complete", { pem: LEAF, chain: issuing.pem }, {
  status: "valid",
  isValid: true,
  depth: 2,
  json: (body) => assert.deepEqual([body.complete, body.anchor], [false, "none"]),
});
chainStatus("a chain without its root is incomplete where a root is required", {
  pem: LEAF,
  chain: issuing.pem,
}, { status: "incomplete", depth: 2, code: "issuer_missing", settings: { chainRequireRoot: true } });
chainStatus("a public root completes the chain", { pem: LEAF, chain: issuing.pem }, {
  status: "valid",
  isValid: true,
  depth: 3,
  settings: {
    chainRequireRoot: true,
    publicRoots: () => [{ certificate: root.certificate, kind: "public_root" }],
  },
  json: (body) => assert.deepEqual([body.complete, body.anchor], [true, "public_root"]),
});
chainStatus("a self-signed certificate needs no chain", { pem: selfSigned.pem }, {
  status: "self_signed",
  isValid: true,
  depth: 1,
});
chainStatus("a certificate without a chain is no_chain", { pem: LEAF }, {
  status: "no_chain",
  depth: 1,
  code: "issuer_missing",
});
chainStatus("a missing intermediate is incomplete", { pem: LEAF, chain: root.pem }, {
  status: "incomplete",
  depth: 1,
  code: "issuer_missing",
});
chainStatus("a signature that does not verify is invalid_signature", { pem: broken.pem, chain: CHAIN }, {
  status: "invalid_signature",
  depth: 3,
  code: "bad_signature",
});
chainStatus("an expired member makes it expired", {
  pem: (await expiredCa.issue({ cn: "below.example" })).pem,
  chain: expiredCa.pem + root.pem,
}, { status: "expired", depth: 3, code: "expired" });
chainStatus("a member that is not valid yet makes it not_yet_valid", { pem: futureLeaf.pem, chain: CHAIN }, {
  status: "not_yet_valid",
  depth: 3,
  code: "not_yet_valid",
});
chainStatus("a chain without a readable certificate is parse_error", { pem: LEAF, chain: "no certificate" }, {
  status: "parse_error",
  depth: 1,
  code: "no_pem",
});

validate("at another time the result may differ, and is not stored", ids.acmeWeb, {
  body: { at: "2039-01-01T00:00:00Z" },
  json: (body) => {
    assert.deepEqual([body.status, body.validated_at], ["expired", "2026-06-15T12:00:00Z"]);
  },
});
validate("a date without a time is accepted", ids.acmeWeb, {
  body: { at: "2026-04-30" },
  json: (body) => assert.equal(body.status, "not_yet_valid"),
});
for (const body of [{}, { at: null }]) {
  validate(`${JSON.stringify(body)} validates for the current time`, ids.acmeWeb, {
    body,
    changes: UPDATED,
    json: (answer) => assert.equal(answer.status, "valid"),
  });
}
validate("an unknown field is refused with a suggestion", ids.acmeWeb, {
  body: { a: 1 },
  status: 400,
  equals: { a: ['Unknown field. Did you mean "at"?'] },
});
for (const at of ["tomorrow", "2026-13-01", "", 1781524800, true, {}, ["2026-01-01"]]) {
  validate(`${JSON.stringify(at)} is not a time`, ids.acmeWeb, {
    body: { at },
    status: 400,
    json: (body) =>
      assert.match(body.at[0], /^Expected an ISO 8601 datetime such as 2026-11-20T09:00:00Z, not/),
  });
}
for (const body of [42, "now", [], [{ at: "2026-01-01" }]]) {
  validate(`${JSON.stringify(body)} is not a body`, ids.acmeWeb, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
    status: 400,
    contains: ["Expected an object, not"],
  });
}
for (const policy of [null, {}, { initial_policies: ["2.5.29.32.0", "1.2.3"], inhibit_any: false }]) {
  validate(`policy ${JSON.stringify(policy)} is the default, and its result is stored`, ids.acmeWeb, {
    body: { policy },
    changes: UPDATED,
    json: (answer) => assert.equal(answer.status, "valid"),
  });
}
validate(
  "with an explicit policy required a chain without policies is refused, and nothing is stored",
  ids.acmeWeb,
  {
    body: { policy: { require_explicit: true } },
    json: ({ status, errors, policies }) => {
      assert.deepEqual([status, policies], ["invalid_signature", { authority: [], user: [] }]);
      assert.match(errors[0], /^policy_violation: Certificate 2 has no certificate policy/);
    },
  },
);
for (const policy of [{ initial_policies: ["1.2.3"] }, { inhibit_mapping: true }, { inhibit_any: true }]) {
  validate(`policy ${JSON.stringify(policy)} returns its result and stores nothing`, ids.acmeWeb, {
    body: { policy },
    json: (answer) => assert.equal(answer.status, "valid"),
  });
}
const REFUSED_POLICIES: readonly [policy: unknown, message: string][] = [
  ["any", 'Expected an object, not "any".'],
  [[], "Expected an object, not []."],
  [{ explicit: true }, 'Unknown member "explicit". Expected initial_policies,'],
  [{ require_explicit: 1 }, "require_explicit: Expected true or false, not 1."],
  [{ inhibit_any: null }, "inhibit_any: Expected true or false, not null."],
  [{ initial_policies: [] }, "initial_policies: Expected at least one OID."],
  [{ initial_policies: "1.2.3" }, 'initial_policies: Expected a list of OIDs, not "1.2.3".'],
  [{ initial_policies: Array(101).fill("1.2.3") }, "initial_policies: Expected at most 100 OIDs."],
  ...["", "1", "3.1", "1.40", "1.2.03", "1.2.", "1.2.x", `1.2.${"1".repeat(200)}`, 5].map((
    oid,
  ): [unknown, string] => [{ initial_policies: [oid] }, "initial_policies.0: Expected an OID such as"]),
];
for (const [policy, message] of REFUSED_POLICIES) {
  validate(`policy ${JSON.stringify(policy).slice(0, 60)} is refused`, ids.acmeWeb, {
    body: { policy },
    status: 400,
    json: (body) => assert(body.policy[0].startsWith(message), body.policy.join()),
  });
}
validate("a policy may have 100 OIDs", ids.acmeWeb, {
  body: { policy: { initial_policies: Array(100).fill("2.999.1.0") } },
  json: (answer) => assert.equal(answer.status, "valid"),
});
validate("without PEM there is nothing to validate", ids.acmeCritical, { status: 400, equals: NO_PEM });
validate("without credentials it answers 401", ids.acmeWeb, { as: "nobody", status: 401 });
validate("`view` is not enough", ids.acmeWeb, {
  as: readerOf("acme"),
  status: 403,
  equals: DETAIL_403,
});
validate("a read-only token stores nothing", ids.acmeWeb, {
  as: superuser({ readOnlyToken: true }),
  status: 403,
  contains: ["read-only"],
});
validate("`change` is enough", ids.acmeWeb, {
  as: granted([{ types: [TYPE], actions: ["change"] }]),
  changes: UPDATED,
});
for (
  const [what, id] of [["hidden", ids.globexWeb], ["hidden and without PEM", ids.globexLastDay], [
    "missing",
    999,
  ]] as const
) {
  validate(`a certificate that is ${what} answers 404`, id, {
    as: managerOf("acme"),
    status: 404,
    equals: { detail: "Not found." },
  });
}
validate("a result that moves the certificate outside the constraints is not stored", ids.acmeWeb, {
  as: within(TYPE, ["change"], { chain_status: null }),
  status: 403,
  equals: DETAIL_403,
});
validate("a body that is too large answers 413", ids.acmeWeb, {
  body: { at: "2".repeat(200) },
  app: { maxBodyBytes: 100 },
  status: 413,
});
validate("a body of another type answers 415", ids.acmeWeb, {
  body: "at=now",
  headers: { "content-type": "text/plain" },
  status: 415,
});

const BULK = `${PATHS.certificates}bulk-validate-chain/`;
const OPERATOR = ["bulk_operations", "change"];

function bulk(title: string, body: unknown, expected: Partial<Scenario>): void {
  scenario(`Validate many: ${title}`, { as: "superuser", post: BULK, body, status: 200, ...expected });
}

bulk("results have the order of the ids, and missing ids are listed", {
  ids: [ids.acmeCritical, 999, ids.globexWeb, ids.acmeWeb, ids.globexWeb],
}, {
  changes: [`update ${TYPE}`, `update ${TYPE}`, `update ${TYPE}`],
  json: (body) => {
    const { results, ...counts } = body;
    assert.deepEqual(counts, { validated_count: 3, valid_count: 1, invalid_count: 2, missing_ids: [999] });
    assert.deepEqual(Object.keys(results[0]), [
      "id",
      "common_name",
      "status",
      "is_valid",
      "message",
      "chain_depth",
    ]);
    assert.deepEqual(results[0], {
      id: ids.acmeCritical,
      common_name: "api.acme.example",
      status: "parse_error",
      is_valid: false,
      message: NO_PEM.detail,
      chain_depth: 0,
    });
    assert.deepEqual(
      results.slice(1).map((one: Record<string, unknown>) => [one.id, one.status, one.chain_depth]),
      [[ids.globexWeb, "no_chain", 1], [ids.acmeWeb, "valid", 3]],
    );
  },
});
bulk("a hidden certificate is listed as missing, too", { ids: [ids.acmeWeb, ids.globexWeb, 999] }, {
  as: managerOf("acme"),
  changes: UPDATED,
  excludes: ["globex"],
  json: (body) => assert.deepEqual(body.missing_ids, [ids.globexWeb, 999]),
});
bulk("a certificate must lie within both permissions", { ids: [ids.acmeWeb, ids.globexWeb] }, {
  as: granted([
    { types: [TYPE], actions: ["change"] },
    { types: [TYPE], actions: ["bulk_operations"], constraints: { tenant__slug: "globex" } },
  ]),
  changes: UPDATED,
  json: (body) => assert.deepEqual([body.missing_ids, body.validated_count], [[ids.acmeWeb], 1]),
});
for (const lacking of OPERATOR) {
  bulk(`without ${lacking} it answers 403`, { ids: [ids.acmeWeb] }, {
    as: granted([{
      types: [TYPE],
      actions: OPERATOR.concat("view", "renew").filter((one) => one !== lacking),
    }]),
    status: 403,
    equals: DETAIL_403,
  });
}
bulk("without credentials it answers 401", { ids: [1] }, { as: "nobody", status: 401 });
bulk("with a read-only token it answers 403", { ids: [1] }, {
  as: superuser({ readOnlyToken: true }),
  status: 403,
});
bulk("one result outside the constraints stores none", { ids: [ids.acmeWeb, ids.globexWeb] }, {
  as: within(TYPE, OPERATOR, [{ chain_status: null }, { chain_status: "valid" }]),
  status: 403,
  equals: DETAIL_403,
});
bulk("100 are accepted", { ids: Array.from({ length: 100 }, (_, index) => index + 1_000) }, {
  json: (body) => assert.equal(body.missing_ids.length, 100),
});
for (
  const [body, message] of [
    [{}, "This field is required."],
    [{ ids: 1 }, "Expected a list of ids, not 1."],
    [{ ids: [] }, "Expected at least one id."],
    [{ ids: [1, "2"] }, 'Entry 2: Expected an id, not "2".'],
    [{ ids: [1.5] }, "Entry 1: Expected an id, not 1.5."],
    [{ ids: [null] }, "Entry 1: This field may not be null."],
    [
      { ids: Array.from({ length: 101 }, (_, index) => index) },
      "Batch too large: expected at most 100 ids, not 101.",
    ],
  ] as const
) {
  bulk(`${JSON.stringify(body)?.slice(0, 40)} is refused`, body, { status: 400, equals: { ids: [message] } });
}

bulk("a list as the body is refused", [1], {
  status: 400,
  equals: { detail: "Expected an object, not a list." },
});
bulk("no body is refused", undefined, {
  status: 400,
  equals: { detail: "The body is empty. Expected an object." },
});

function details(title: string, id: number, expected: Partial<Scenario>): void {
  scenario(`Details: ${title}`, {
    as: "superuser",
    get: certificate(id, "details/"),
    status: 200,
    ...expected,
  });
}

details("`view` is enough", ids.acmeWeb, {
  as: readerOf("acme"),
  json: (body) => {
    assert.deepEqual([body.version, body.common_name, body.serial_number], [
      3,
      "www.acme.example",
      "0A:1B:2C",
    ]);
    assert.deepEqual(body.sans, ["www.acme.example", "alt.www.acme.example"]);
  },
});
details("without PEM there is nothing to describe", ids.acmeCritical, {
  status: 400,
  equals: { detail: "Certificate has no PEM content to describe." },
});
details("without credentials it answers 401", ids.acmeWeb, { as: "nobody", status: 401 });
details("without permissions it answers 403", ids.acmeWeb, {
  as: stranger(),
  status: 403,
  equals: DETAIL_403,
});
details("`change` is not `view`", ids.acmeWeb, {
  as: granted([{ types: [TYPE], actions: ["change"] }]),
  status: 403,
});
for (const [what, id] of [["hidden", ids.globexWeb], ["missing", 999]] as const) {
  details(`a certificate that is ${what} answers 404`, id, {
    as: readerOf("acme"),
    status: 404,
    equals: { detail: "Not found." },
  });
}
scenario("Details: an unknown parameter is refused", {
  as: "superuser",
  get: certificate(ids.acmeWeb, "details/?nonsense=1"),
  status: 400,
  equals: { nonsense: ["Unknown parameter. Expected none."] },
});
details("a text without a certificate is reported", ids.acmeWeb, {
  before: async ({ database }) => {
    await database.write((tx) =>
      tx.run(sql`UPDATE certificate_texts SET pem_content = '-gone-', der = NULL`)
    );
  },
  status: 400,
});
scenario("Validate: a private key in the body is refused, and not quoted", {
  as: "superuser",
  post: certificate(ids.acmeWeb, "validate-chain/"),
  body: { at: (await newKey("p256")).privateKeyPem },
  status: 400,
  contains: ["Private key detected."],
});
