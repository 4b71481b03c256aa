/** Each operation accepts every variant that its documented body allows: each member, choice, alternative, null. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { REPLACEMENT_REASONS } from "../../src/domain/certificates/mod.ts";
import type { Operation } from "../../src/rest/mod.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { csvOf } from "../domain/certificates/import/support.ts";
import { document } from "../support/contract.ts";
import { operations } from "../support/operations.ts";
import { CHAIN, pki } from "../support/pki.ts";
import { quickHash } from "../support/quick_hash.ts";
import { markVariants, type Schema, variantsOf } from "../support/schema_variants.ts";
import { seed } from "../support/seed.ts";
import { buildRequest } from "../support/test_ca/mod.ts";
import { metadata, NEXT_CERTIFICATE, storeCertificates } from "../support/stored.ts";

const { certificates, tenants, tags, policies, devices, machines, services, webhooks, deliveries } = seed;
const PASSWORD = "correct horse battery";

interface Accepted {
  /** The `{id}` of the path. */
  readonly id?: number;
  readonly bodies: readonly unknown[];
  readonly before?: (app: TestApp) => Promise<void>;
  readonly options?: Parameters<typeof testApp>[0];
}

const ids = [certificates.acmeWeb];
const statuses = ["active", "expired", "replaced", "revoked", "pending"];
const targets = [
  { assigned_object_type: "dcim.device", assigned_object_id: Object.values(devices)[0] },
  { assigned_object_type: "virtualization.virtualmachine", assigned_object_id: Object.values(machines)[0] },
  { assigned_object_type: "ipam.service", assigned_object_id: Object.values(services)[0] },
];
const assigned: Accepted = {
  bodies: targets.flatMap((target) => [
    { certificate_ids: [certificates.shared], ...target },
    { certificate_ids: [certificates.shared], ...target, is_primary: true, notes: "" },
    { certificate_ids: [certificates.shared], ...target, is_primary: false, notes: "Manual" },
  ]),
};
const updated: Accepted = { bodies: statuses.map((status) => ({ ids: [certificates.shared], status })) };
const successor = await pki.issuing.issue({
  cn: "www.acme.example",
  serial: 0x0b0001,
  sans: ["www.acme.example"],
  notAfter: "2027-10-31T23:59:59Z",
});
const request = await buildRequest({ subject: "CN=variants.example" });
const pem_content = pki.fresh.pem + CHAIN;
const [tenant, tag] = [Object.values(tenants)[0], Object.values(tags)[0]];
/** References in each form. */
const OWNED = [
  {},
  { tenant: null, tags: [] },
  { tenant, tags: [tag] },
  { tenant: { id: tenant }, tags: [{ id: tag }] },
  { tenant: { slug: "acme" }, tags: [{ slug: "pci" }] },
  { tenant: { name: "Acme Corp" }, tags: [{ name: "PCI DSS" }] },
];
const items = [...OWNED, { private_key_location: "vault:x" }].map((own) => ({ pem_content, ...own }));
const row = metadata(0x900001, { valid_from: "2026-01-01", valid_to: "2026-12-31T23:59:59" });
/** Fields of an export that follow from others. */
const IGNORED = {
  id: 7,
  days_remaining: 3,
  lifetime_days: 365,
  key_algorithm: "RSA",
  signature_algorithm: "sha256WithRSAEncryption",
  is_expired: false,
  is_expiring_soon: false,
  expiry_status: "ok",
  assignment_count: 0,
  endpoint_count: 0,
  discovered_via: null,
  first_seen: null,
  last_seen: null,
  created: "2026-01-01T00:00:00",
  last_updated: "2026-01-01T00:00:00",
  is_acme: false,
  acme_provider: "",
  chain_status: null,
  chain_is_valid: null,
  chain_depth: null,
  chain_errors: null,
  chain_validation_message: "",
  chain_validated_at: null,
  publicly_trusted: null,
  usages: null,
  post_quantum: false,
  kind: "server",
  pem_matches: null,
  replaced_by: null,
  replacement_reason: "",
  revocation_status: "not_checked",
  revoked_at: null,
  revocation_reason: "",
  revocation_checked_at: null,
  renewal_window_start: null,
  renewal_window_end: null,
  renewal_explanation_url: "",
  renewal_info_checked_at: null,
  expiry_notices: null,
  findings: null,
};
const rows = [
  row,
  { ...row, ...IGNORED },
  { ...row, key_size: 2048, tenant: "Acme Corp", sans: ["a.example"], private_key_location: "vault:x" },
  { ...row, key_size: null, tenant: null, issuing_ca: null, tags: null, acme_auto_renewal: true },
  { ...row, tenant, issuing_ca: "Acme Internal", tags: ["pci"], acme_auto_renewal: false },
  { ...row, acme_auto_renewal: "true" },
  { ...row, acme_auto_renewal: "false" },
  { ...row, pem_content: "", issuer_chain: "" },
  { ...row, expiry_notices: ["10d"], tags: [{ slug: "pci" }], custom_fields: {}, assignments: null },
  { ...row, assignments: ["dcim.device:edge-1"], devices: null, contacts: null },
  { ...row, devices: ["web-1"], contacts: ["Web team"] },
  { ...row, assignments: [{ assigned_object_type: "dcim.device", assigned_object_id: 1, is_primary: true }] },
  { ...row, owner: "Web team", description: "Shop", comments: "# Notes", renewal_note: "Ask Ines first" },
  ...[true, false, "true", "false"].map((flag) => ({ ...row, archived: flag, pinned: flag })),
  ...statuses.map((status) => ({ ...row, status })),
  ...["acme", "agent", "est_scep", "cloud", "manual", "unknown"].map((automation) => ({
    ...row,
    automation,
  })),
  ...["rsa", "ecdsa", "ed25519", "unknown"].map((algorithm) => ({ ...row, algorithm })),
];
const csv = csvOf([row]);
const choices = [
  ...["error", "skip", "update", null].map((on_duplicate) => ({ on_duplicate })),
  { on_duplicate: "update", overwrite: true },
  { on_duplicate: "update", overwrite: false },
];
const yaml = Object.entries(row).map(([name, value], index) =>
  `${index === 0 ? "- " : "  "}${name}: ${JSON.stringify(value)}\n`
).join("");

const PROTOCOLS = ["tls", "smtp", "imap", "pop3", "ldap", "postgres", "mysql", "xmpp", "xmpp-server", "ftp"];
const at = "2026-06-15T11:00:00Z";
const observed = {
  host: "intern.acme.example",
  port: 8443,
  server_name: "www.acme.example",
  address: "10.0.0.5",
  at,
  presented: [pem_content],
  tls_version: "TLS 1.3",
  cipher: "TLS_AES_128_GCM_SHA256",
  alpn: "h2",
  ocsp_stapled: true,
  latency_ms: 12,
};
/** Reports of agents: presented certificates, and errors. */
const REPORTED = [
  ...["proven", "unproven"].map((possession) => ({ ...observed, possession })),
  ...PROTOCOLS.map((protocol) => ({ ...observed, protocol })),
  {
    host: "10.0.0.6",
    at,
    ocsp_stapled: false,
    latency_ms: null,
    server_name: null,
    presented: [pem_content],
  },
  ...["unreachable", "tls_error"].map((error_kind) => ({
    host: "down.acme.example",
    at,
    error: "No answer.",
    error_kind,
  })),
];

const ACCEPTED: Readonly<Record<string, Accepted>> = {
  exportCertificatesByBody: {
    bodies: [
      undefined,
      {},
      ...["csv", "json", "yaml", "pem"].map((format) => ({ format })),
      { ids, include_pem: true, include_chain: true, fields: fieldsOfExports() },
      { ids: [], include_pem: false, include_chain: false },
      { status: "active", tenant_id: null, id: 1, is_acme: true },
      { status: ["active", "pending"], id: [1, 2], tenant_id: [null, 1] },
      { is_acme: false },
      { is_acme: [true, false] },
    ].map((body) => body as unknown),
  },
  importCertificate: {
    bodies: [
      ...items,
      { pem_content, split: true },
      { pem_content, split: false },
      ...choices.map((choice) => ({ pem_content, ...choice })),
    ],
  },
  importCertificateFile: {
    bodies: [
      { file: pem_content },
      { file: pem_content, private_key_location: "vault:x", tenant: "acme", tags: ["pci"] },
      ...["error", "skip", "update"].map((on_duplicate) => ({ file: pem_content, on_duplicate })),
      ...["true", "false"].map((overwrite) => ({ file: pem_content, on_duplicate: "update", overwrite })),
    ],
  },
  bulkImportCertificates: {
    bodies: [
      ...items.map((item) => [item]),
      ...rows.map((one) => ({ data: [one] })),
      { data: JSON.stringify([row]), format: "json" },
      { data: JSON.stringify([row]), format: null },
      { data: csv, format: "csv" },
      { data: yaml, format: "yaml" },
      { data: pem_content, format: "pem" },
      ...choices.map((choice) => ({ data: [row], ...choice })),
    ],
  },
  bulkImportCertificateData: {
    bodies: [
      ...["auto", "csv", null].map((format) => ({ content: csv, format })),
      { content: JSON.stringify([row]), format: "json" },
      { content: yaml, format: "yaml" },
      { content: pem_content, format: "pem" },
      ...choices.map((choice) => ({ content: csv, ...choice })),
    ],
  },
  validateChain: {
    id: certificates.acmeWeb,
    bodies: [
      undefined,
      {},
      { at: null, policy: null },
      { at: "2026-06-01", policy: {} },
      { at: "2026-06-01T00:00:00Z" },
      { policy: { initial_policies: ["2.23.140.1.2.1"] } },
      ...[true, false].map((flag) => ({
        policy: { require_explicit: flag, inhibit_mapping: flag, inhibit_any: flag },
      })),
    ],
  },
  bulkValidateChain: { bodies: [{ ids }] },
  detectAcme: { id: certificates.acmeWeb, bodies: [undefined, {}] },
  bulkDetectAcme: { bodies: [{ ids }] },
  checkRevocation: { id: certificates.acmeWeb, bodies: [undefined, {}] },
  bulkCheckRevocation: { bodies: [{ ids }] },
  checkCompliance: {
    id: certificates.acmeWeb,
    bodies: [undefined, {}, { policy_ids: null }, { policy_ids: [policies.keySize] }],
  },
  bulkCheckCompliance: {
    bodies: [
      { certificate_ids: ids },
      { certificate_ids: ids, policy_ids: null },
      { certificate_ids: ids, policy_ids: [policies.keySize] },
    ],
  },
  renewCertificate: {
    id: certificates.acmeWeb,
    before: async (app) => {
      await storeCertificates(app, [metadata(1, {
        common_name: "www.acme.example",
        sans: ["www.acme.example"],
        tenant: { slug: "acme" },
        valid_to: "2027-12-31",
      })]);
    },
    bodies: [
      { certificate: NEXT_CERTIFICATE },
      { certificate: NEXT_CERTIFICATE, dry_run: true },
      { pem_content: successor.pem + CHAIN, dry_run: false },
      { pem_content: successor.pem + CHAIN, private_key_location: "vault:new" },
      ...REPLACEMENT_REASONS.map((reason) => ({ certificate: NEXT_CERTIFICATE, reason })),
    ],
  },
  sweepExpired: { bodies: [undefined, {}] },
  bulkStatusUpdate: updated,
  bulkStatusUpdateAtRoot: updated,
  bulkAssignCertificates: assigned,
  bulkAssign: assigned,
  importCertificateSigningRequest: {
    bodies: [
      ...OWNED,
      { requested_by: "Ines", target_ca: "Acme Internal", notes: "Urgent" },
      { renews: certificates.acmeWeb },
      { renews: { id: certificates.acmeWeb } },
      { renews: { id: certificates.acmeWeb, display: "www.acme.example" } },
      { renews: null },
    ].map((own) => ({ pem_content: request.pem, ...own })),
  },
  provisionToken: {
    before: async ({ database }) => {
      const hash = quickHash(PASSWORD);
      await database.write((tx) => tx.run(sql`UPDATE users SET password_hash = ${hash} WHERE id = 1`));
    },
    bodies: [
      {},
      { description: "For tests", expires: "2027-01-01T00:00:00Z", write_enabled: true, allowed_ips: null },
      { expires: null, write_enabled: false, allowed_ips: ["192.0.2.0/24"] },
      { allowed_ips: [] },
    ].map((body) => ({ username: Object.keys(seed.users)[0], password: PASSWORD, ...body })),
  },
  testNotificationChannel: {
    id: seed.channels.mail,
    before: async ({ database }) => {
      await database.write((tx) => tx.run(sql`UPDATE notification_channels SET enabled = 1`));
    },
    bodies: [{ recipient: "alice@acme.example" }],
  },
  acknowledgeCertificate: {
    id: certificates.acmeWeb,
    bodies: [undefined, {}, { reason: "Ines renews it" }],
  },
  remindCertificate: {
    id: certificates.acmeWeb,
    bodies: [undefined, {}, { reason: "Ines is on leave" }],
  },
  tellOwners: {
    bodies: [
      { ids },
      { ids, dry_run: true },
      {
        ids,
        subject: "Renew it",
        texts: { [seed.contacts.web]: "Hello" },
        subjects: { [seed.contacts.web]: "Yours" },
        dry_run: false,
      },
    ],
  },
  snoozeCertificate: {
    id: certificates.acmeWeb,
    bodies: [
      { until: "2026-12-01", reason: "" },
      { until: "2026-12-01T08:00:00Z", reason: "After the freeze" },
    ],
  },
  probeEndpoint: {
    id: seed.endpoints.acme,
    options: {
      probe: () =>
        Promise.resolve([{
          address: "192.0.2.1",
          latencyMs: null,
          failure: { kind: "unreachable", message: "The connection was refused." },
        }]),
    },
    bodies: [undefined, {}],
  },
  bulkProbeEndpoints: { bodies: [{ ids: [seed.endpoints.acme] }] },
  importEndpoints: {
    bodies: [{ content: "a.import.example" }, { content: "b.import.example", dry_run: false }, {
      content: "host,port\na.import.example,8443",
      dry_run: true,
    }],
  },
  pushObservations: {
    bodies: [
      { agent: "dmz" },
      { agent: "scan", source: "scan" },
      {
        agent: "dmz",
        source: "agent",
        observations: REPORTED,
        certificates: [{ location: "/etc/ssl/a.pem", presented: [pem_content] }],
      },
    ],
  },
  testWebhook: { id: Object.values(webhooks)[0] as number, before: enableWebhooks, bodies: [undefined, {}] },
  redeliverWebhookDelivery: { id: deliveries.arrived, before: enableWebhooks, bodies: [undefined, {}] },
  previewIncident: {
    bodies: [{
      criteria: {
        issuers: ["CN=Acme CA"],
        authority_key_ids: ["A8:4A"],
        spki_sha256: ["2C:26"],
        serial_numbers: ["0A:1B"],
        fingerprints: ["2C26"],
        filter: "status=active",
        valid_from__gte: "2026-01-01",
        valid_from__lt: "2026-02-01",
      },
    }, {
      criteria: { valid_from__gte: "2026-01-01T00:00:00Z", valid_from__lt: "2026-02-01T00:00:00Z" },
    }],
  },
  excludeIncidentCertificates: {
    id: seed.incidents.acme,
    bodies: [{ ids: [certificates.acmeWeb], reason: "Not used" }],
  },
  includeIncidentCertificates: { id: seed.incidents.acme, bodies: [{ ids: [certificates.acmeWeb] }] },
  resetSecondFactor: { id: seed.users.bob, bodies: [undefined, {}] },
};

for (const operation of operations.filter(({ runs }) => runs !== undefined)) {
  const { operationId } = operation;
  Deno.test(`${operationId} accepts every variant of its documented body`, async () => {
    const accepted = ACCEPTED[operationId];
    assert.ok(accepted, `Add bodies for ${operationId}`);
    const { id = 1, bodies, before, options } = accepted;
    const schema = bodyOf(operation);
    const used = new Set<string>();
    const refused: string[] = [];
    for (const body of bodies) {
      await using app = await testApp(options);
      await before?.(app);
      const client = await app.as(operation.anonymous ? "nobody" : "superuser");
      const response = await client(operation.path.replace("{id}", String(id)), {
        method: "POST",
        body: operation.requestType === undefined ? body : formOf(body as Record<string, string | string[]>),
      });
      const text = await response.text();
      if (response.ok) markVariants(schema, body, used);
      else refused.push(`${response.status} ${text.slice(0, 300)} to ${JSON.stringify(body)?.slice(0, 300)}`);
    }
    assert.deepEqual(refused, []);
    assert.deepEqual([...variantsOf(schema)].filter((variant) => !used.has(variant)), []);
  });
}

async function enableWebhooks({ database }: TestApp): Promise<void> {
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
}

function fieldsOfExports(): string[] {
  const operation = operations.find(({ operationId }) => operationId === "exportCertificatesByBody");
  return bodyOf(operation as Operation).properties.fields.items.enum;
}

function bodyOf({ path }: Operation): Schema {
  const { content } = document.paths[path].post.requestBody;
  return Object.values<Schema>(content)[0].schema;
}

function formOf(body: Record<string, string | string[]>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const one of [value].flat()) form.append(name, name === "file" ? new File([one], "a.pem") : one);
  }
  return form;
}
