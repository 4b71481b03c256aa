/** Resources of the specification: every written field is returned unchanged. */

import assert from "node:assert/strict";
import { certificate, PATHS } from "../../support/paths.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { metadata } from "../../support/stored.ts";
import { buildRequest } from "../../support/test_ca/mod.ts";

const CERTIFICATE = "certmgr.certificate";
const request = await buildRequest({ cn: "fields.acme.example" });

/** Fields of the body that are returned as they were written. */
type Body = Readonly<Record<string, unknown>>;

function isReturned(
  title: string,
  expected: Omit<Scenario, "as" | "status" | "body"> & { given: Body },
): void {
  const { given, json, ...rest } = expected;
  scenario(`Written values are returned: ${title}`, {
    as: "superuser",
    body: given,
    status: 201,
    ...rest,
    json: (body) => {
      for (const [name, value] of Object.entries(given)) {
        if (!["tenant", "issuing_ca", "tags"].includes(name)) assert.deepEqual(body[name], value, name);
      }
      json?.(body);
    },
  });
}

isReturned("every field of a certificate", {
  post: PATHS.certificates,
  given: {
    common_name: "Fields.example",
    serial_number: "0a:1B:2c",
    issuer: "C=CH, O=Fields, CN=Fields CA",
    valid_from: "2026-01-01T08:30:00Z",
    valid_to: "2026-06-25T23:59:59.250000Z",
    fingerprint_sha256: "aB".repeat(32),
    algorithm: "ed25519",
    key_size: 256,
    status: "pending",
    sans: ["fields.example", "IP:2001:db8::1"],
    tenant: seed.tenants.acme,
    private_key_location: "vault:fields",
    pem_content: pki.other.pem,
    issuer_chain: CHAIN,
    issuing_ca: seed.authorities.idle,
    acme_auto_renewal: true,
    tags: [{ slug: "pci" }],
  },
  changes: [`create ${CERTIFICATE}`],
  json: (body) => {
    assert(Number.isInteger(body.id));
    assert.deepEqual([body.tenant.id, body.issuing_ca.id, body.tags[0].slug], [1, 3, "pci"]);
    assert.deepEqual([body.days_remaining, body.is_expired, body.is_expiring_soon, body.expiry_status], [
      10,
      false,
      true,
      "critical",
    ]);
    assert.deepEqual([body.replaced_by, body.assignment_count], [null, 0]);
    assert.deepEqual([body.created, body.last_updated], ["2026-06-15T12:00:00Z", "2026-06-15T12:00:00Z"]);
  },
});
scenario("Written values are returned: replaced_by has the successor's id and name", {
  as: "superuser",
  get: certificate(seed.certificates.acmeReplaced),
  status: 200,
  json: ({ replaced_by }) =>
    assert.deepEqual([replaced_by.id, replaced_by.common_name], [
      seed.certificates.acmeWeb,
      "www.acme.example",
    ]),
});
scenario("Written values are returned: assignment_count is the number of assignments", {
  as: "superuser",
  get: certificate(seed.certificates.acmeWeb),
  status: 200,
  json: (body) => assert.equal(body.assignment_count, 1),
});
for (const algorithm of ["rsa", "ecdsa", "ed25519", "unknown"]) {
  isReturned(`the algorithm ${algorithm}`, {
    post: PATHS.certificates,
    given: { ...metadata(1), valid_from: "2026-01-01T00:00:00Z", algorithm },
    changes: [`create ${CERTIFICATE}`],
  });
}
for (const status of ["active", "expired", "replaced", "revoked", "pending"]) {
  isReturned(`the status ${status}`, {
    post: PATHS.certificates,
    given: { ...metadata(1), valid_from: "2026-01-01T00:00:00Z", status },
    changes: [`create ${CERTIFICATE}`],
  });
}

isReturned("every field of a certificate authority", {
  post: PATHS.authorities,
  given: {
    name: "Fields CA",
    type: "internal",
    description: "Ours",
    issuer_pattern: "CN=Fields CA",
    website_url: "https://ca.example/",
    portal_url: "https://portal.ca.example/",
    contact_email: "pki@ca.example",
    is_approved: true,
  },
  changes: ["create certmgr.certificateauthority"],
  json: (body) => assert.equal(body.certificate_count, 0),
});
isReturned("every field of an assignment", {
  post: PATHS.assignments,
  given: {
    certificate: seed.certificates.acmeCritical,
    assigned_object_type: "ipam.service",
    assigned_object_id: seed.services.https,
    is_primary: true,
    notes: "In front",
  },
  changes: ["create certmgr.certificateassignment"],
});
isReturned("every field of a signing request", {
  post: PATHS.requests,
  given: {
    common_name: "fields.example",
    organization: "Fields",
    organizational_unit: "IT",
    locality: "Bern",
    state: "BE",
    country: "CH",
    sans: ["fields.example"],
    fingerprint_sha256: "0B".repeat(32),
    algorithm: "rsa",
    key_size: 4096,
    status: "pending",
    requested_date: "2026-06-01T08:00:00Z",
    requested_by: "alice",
    target_ca: "Acme Internal",
    notes: "Soon",
    subject_string: "CN=fields.example",
    tenant: seed.tenants.acme,
    tags: [{ slug: "pci" }],
  },
  changes: ["create certmgr.certificatesigningrequest"],
  json: (body) => {
    assert.deepEqual([body.tenant.id, body.tags[0].slug, body.resulting_certificate], [1, "pci", null]);
  },
});
scenario("Written values are returned: a signing request has the certificate that was issued for it", {
  as: "superuser",
  get: `${PATHS.requests}${seed.requests.issued}/`,
  status: 200,
  json: ({ resulting_certificate }) =>
    assert.deepEqual([resulting_certificate.id, resulting_certificate.common_name], [
      seed.certificates.acmeWeb,
      "www.acme.example",
    ]),
});
isReturned("the four fields of an import of a signing request", {
  post: `${PATHS.requests}import/`,
  given: {
    pem_content: request.pem,
    requested_by: "alice",
    target_ca: "Acme Internal",
    tenant: seed.tenants.globex,
  },
  changes: ["create certmgr.certificatesigningrequest"],
  json: (body) => assert.equal(body.tenant.id, seed.tenants.globex),
});
for (
  const [policy_type, severity, parameters] of [
    ["min_key_size", "critical", { min_bits: 3072, min_ec_bits: 256 }],
    ["expiry_warning", "warning", { warning_days: 20 }],
    ["algorithm_forbidden", "critical", { algorithms: ["rsa", "unknown"] }],
    ["wildcard_forbidden", "warning", {}],
  ] as const
) {
  isReturned(`every field of a compliance policy of the type ${policy_type}`, {
    post: PATHS.policies,
    given: { name: "Fields", description: "All", policy_type, severity, enabled: false, parameters },
    changes: ["create certmgr.compliancepolicy"],
    json: (body) => assert(Number.isInteger(body.id)),
  });
}
scenario("Written values are returned: min_bits alone is enough for min_key_size", {
  as: "superuser",
  post: PATHS.policies,
  body: { name: "Fields", policy_type: "min_key_size", parameters: { min_bits: 3072 } },
  status: 201,
  changes: ["create certmgr.compliancepolicy"],
  json: (body) => assert.equal(body.parameters.min_bits, 3072),
});
scenario("Written values are returned: a score of four checks passed out of five is 80", {
  as: "superuser",
  before: async (app) => {
    const chief = await app.as("superuser");
    const types = ["wildcard_forbidden", "expiry_warning", "chain_required"];
    const more = types.map((policy_type) => ({ name: policy_type, policy_type }));
    const failing = {
      name: "no curves",
      policy_type: "algorithm_forbidden",
      parameters: { algorithms: ["ecdsa"] },
    };
    const made = await chief(PATHS.policies, { method: "POST", body: [...more, failing] });
    assert.equal(made.status, 201, await made.text());
  },
  post: certificate(seed.certificates.acmeWeb, "compliance-check/"),
  body: {},
  status: 200,
  json: (body) =>
    assert.deepEqual([body.total_checks, body.passed, body.failed, body.compliance_score], [5, 4, 1, 80]),
});
