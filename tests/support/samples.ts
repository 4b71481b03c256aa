/** For each resource: what a test needs to write it, and which seeded rows to write on. */

import type { Resource } from "../../src/resource/mod.ts";
import { seed } from "./seed.ts";

/** Bodies and rows for tests that hold for every resource. */
export interface Sample {
  /** A body that creates a row; another one for each number. Absent where rows are only read. */
  readonly create?: (number: number) => Record<string, unknown>;
  /** A body that changes {@link seen}. */
  readonly change?: Record<string, unknown>;
  /** Two seeded rows: one that the actor of a test sees, and one that is hidden from him. */
  readonly seen: number;
  readonly hidden: number;
  /** A seeded row that nothing else hangs on. */
  readonly idle?: number;
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  "certmgr.certificate": {
    create: (number) => ({
      common_name: `sample-${number}.example`,
      serial_number: `5A${String(number).padStart(4, "0")}`,
      issuer: "CN=Sample CA",
      valid_from: "2026-01-01",
      valid_to: "2026-12-31T23:59:59Z",
      fingerprint_sha256: String(number).padStart(64, "0"),
      algorithm: "rsa",
      key_size: 3072,
    }),
    change: { private_key_location: "in the safe" },
    seen: seed.certificates.acmeCritical,
    hidden: seed.certificates.globexWeb,
    idle: seed.certificates.shared,
  },
  "certmgr.certificateauthority": {
    create: (number) => ({ name: `Sample CA ${number}`, type: "internal" }),
    change: { is_approved: true, description: "Good" },
    seen: seed.authorities.acme,
    hidden: seed.authorities.internal,
    idle: seed.authorities.idle,
  },
  "certmgr.certificateassignment": {
    create: (number) => ({
      certificate: seed.certificates.acmeCritical + number,
      assigned_object_type: "dcim.device",
      assigned_object_id: 1,
    }),
    change: { notes: "Behind the load balancer" },
    seen: seed.assignments.acme,
    hidden: seed.assignments.globex,
    idle: seed.assignments.globex,
  },
  "certmgr.certificatesigningrequest": {
    create: (number) => ({ common_name: `sample-${number}.example`, organization: "Samples" }),
    change: { status: "approved", notes: "Seen by two" },
    seen: seed.requests.pending,
    hidden: seed.requests.approved,
    idle: seed.requests.issued,
  },
  "certmgr.compliancepolicy": {
    create: (number) => ({ name: `Sample ${number}`, policy_type: "wildcard_forbidden" }),
    change: { description: "Because of the audit", enabled: false },
    seen: seed.policies.keySize,
    hidden: seed.policies.idle,
    idle: seed.policies.idle,
  },
  "certmgr.compliancecheck": { seen: seed.checks.passed, hidden: seed.checks.failed },
  "dcim.device": {
    create: (number) => ({ name: `sample-${number}` }),
    change: { description: "In the cellar" },
    seen: seed.devices.edge,
    hidden: seed.devices.spare,
    idle: seed.devices.idle,
  },
  "virtualization.virtualmachine": {
    create: (number) => ({ name: `sample-${number}`, tags: [{ slug: "prod" }] }),
    change: { description: "On the cluster" },
    seen: seed.machines.web,
    hidden: seed.machines.idle,
    idle: seed.machines.idle,
  },
  "ipam.service": {
    create: (number) => ({ name: `sample-${number}`, ports: [8000 + number] }),
    change: { protocol: "sctp", ports: [80, 443] },
    seen: seed.services.https,
    hidden: seed.services.idle,
    idle: seed.services.idle,
  },
  "tenancy.tenant": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "Anvils and more" },
    seen: seed.tenants.acme,
    hidden: seed.tenants.globex,
    idle: seed.tenants.idle,
  },
  "extras.tag": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}`, color: "00ff00" }),
    change: { description: "Everything that customers see" },
    seen: seed.tags.prod,
    hidden: seed.tags.staging,
    idle: seed.tags.pci,
  },
  "users.user": {
    create: (number) => ({ username: `sample-${number}`, password: "correct horse battery" }),
    change: { email: "alice@acme.example" },
    seen: seed.users.alice,
    hidden: seed.users.bob,
    idle: seed.users.carol,
  },
  "users.group": {
    create: (number) => ({ name: `sample ${number}` }),
    change: { description: "Day and night" },
    seen: seed.groups.operators,
    hidden: seed.groups.idle,
    idle: seed.groups.idle,
  },
  "users.token": {
    create: (number) => ({ user: seed.users.alice, description: `Sample ${number}` }),
    change: { description: "Laptop" },
    seen: seed.tokens.alice,
    hidden: seed.tokens.bob,
    idle: seed.tokens.bob,
  },
  "certmgr.calendarfeed": {
    create: (number) => ({ name: `Sample ${number}`, filter: "tenant=acme&expired=false", alarm_days: 14 }),
    change: { name: "Team Web", filter: "status=active" },
    seen: seed.feeds.alice,
    hidden: seed.feeds.bob,
    idle: seed.feeds.bob,
  },
  "users.objectpermission": {
    create: (number) => ({
      name: `Sample ${number}`,
      object_types: ["extras.tag"],
      actions: ["view"],
      constraints: null,
    }),
    change: { description: "Because of the audit" },
    seen: seed.permissions.acmeViewers,
    hidden: seed.permissions.idle,
    idle: seed.permissions.idle,
  },
  "core.objectchange": { seen: 2, hidden: 1 },
  "extras.webhook": {
    create: (number) => ({
      name: `Sample ${number}`,
      object_types: ["certmgr.certificate"],
      events: ["created", "deleted"],
      payload_url: `https://hooks.acme.example/${number}`,
      secret: "ASecretOfTwentyFour/Chars",
      conditions: { status: "active" },
      enabled: false,
    }),
    change: { events: ["updated"], payload_url: "https://hooks.acme.example/elsewhere" },
    seen: seed.webhooks.inventory,
    hidden: seed.webhooks.globex,
    idle: seed.webhooks.idle,
  },
  "extras.webhookdelivery": { seen: seed.deliveries.arrived, hidden: seed.deliveries.dead },
};

/** The sample of a resource. A resource without one is not tested, so that is an error. */
export function sampleOf(resource: Resource): Sample {
  const sample = SAMPLES[resource.objectType];
  if (sample === undefined) {
    throw new Error(`No sample for ${resource.objectType} in tests/support/samples.ts`);
  }
  return sample;
}
