/** For each resource, the values that a test needs to write it, and the seeded rows that it can change. */

import type { Resource } from "../../src/resource/mod.ts";
import { seed } from "./seed.ts";

/** Bodies and rows for tests of every resource. */
export interface Sample {
  /** Returns a body that creates a row, a different one for each number. Undefined if rows are read-only. */
  readonly create?: (number: number) => Record<string, unknown>;
  /** A body that changes {@link seen}. */
  readonly change?: Record<string, unknown>;
  /** Values that a PUT of {@link seen} has to repeat because they cannot change. */
  readonly fixed?: Record<string, unknown>;
  /** Two seeded rows: one that the caller in a test may view, and one that is hidden from them. */
  readonly seen: number;
  readonly hidden: number;
  /** A seeded row to which no other row refers. */
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
  "certmgr.incident": {
    create: (number) => ({ name: `Sample ${number}`, criteria: { serial_numbers: [`0A:0${number % 10}`] } }),
    change: { description: "Worse than it looked", deadline: "2026-07-01T00:00:00Z" },
    seen: seed.incidents.acme,
    hidden: seed.incidents.idle,
    idle: seed.incidents.idle,
  },
  "certmgr.revocationcheck": { seen: seed.revocationChecks.good, hidden: seed.revocationChecks.unavailable },
  "certmgr.revocationlist": { seen: seed.revocationLists.read, hidden: seed.revocationLists.failed },
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
    create: (number) => ({
      name: `sample-${number}`,
      ports: [8000 + number],
      parent_object_type: "dcim.device",
      parent_object_id: seed.devices.spare,
    }),
    change: { description: "Two ports", ports: [80, 443] },
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
  "tenancy.contact": {
    create: (number) => ({ name: `Sample ${number}`, email: `sample-${number}@acme.example` }),
    change: { title: "Head of DNS", link: "https://oncall.example/dns" },
    seen: seed.contacts.web,
    hidden: seed.contacts.network,
    idle: seed.contacts.idle,
  },
  "tenancy.contactgroup": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "Day and night" },
    seen: seed.contactGroups.teams,
    hidden: seed.contactGroups.oncall,
    idle: seed.contactGroups.idle,
  },
  "tenancy.contactrole": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "Renews in time" },
    seen: seed.contactRoles.owner,
    hidden: seed.contactRoles.technical,
    idle: seed.contactRoles.idle,
  },
  "tenancy.contactassignment": {
    create: (number) => ({
      object_type: "certmgr.certificate",
      object_id: seed.certificates.acmeCritical + number,
      contact: { name: "Web team" },
      role: seed.contactRoles.owner,
    }),
    change: { priority: { value: "primary", label: "Primary" } },
    seen: seed.contactAssignments.certificate,
    hidden: seed.contactAssignments.device,
    idle: seed.contactAssignments.former,
  },
  "extras.tag": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}`, color: "00ff00" }),
    change: { description: "Everything that customers see" },
    seen: seed.tags.prod,
    hidden: seed.tags.staging,
    idle: seed.tags.pci,
  },
  "tenancy.tenantgroup": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.tenantGroups,
  },
  "dcim.region": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.regions,
  },
  "dcim.sitegroup": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.siteGroups,
  },
  "dcim.site": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.sites,
  },
  "dcim.location": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}`, site: 1 }),
    change: { description: "In the records" },
    ...seed.locations,
  },
  "dcim.manufacturer": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.manufacturers,
  },
  "dcim.devicetype": {
    create: (number) => ({ manufacturer: 1, model: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.deviceTypes,
  },
  "dcim.devicerole": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.deviceRoles,
  },
  "dcim.platform": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.platforms,
  },
  "virtualization.clustertype": {
    create: (number) => ({ name: `Sample ${number}`, slug: `sample-${number}` }),
    change: { description: "In the records" },
    ...seed.clusterTypes,
  },
  "virtualization.cluster": {
    create: (number) => ({ name: `sample-${number}`, type: 1 }),
    change: { description: "In the records" },
    ...seed.clusters,
  },
  "extras.customfield": {
    create: (number) => ({
      name: `sample_${number}`,
      type: "text",
      object_types: ["dcim.device"],
    }),
    fixed: { name: "room" },
    change: { label: "Room", filter_logic: { value: "exact", label: "Exact" } },
    seen: seed.customFields.room,
    hidden: seed.customFields.level,
    idle: seed.customFields.idle,
  },
  "extras.customfieldchoiceset": {
    create: (number) => ({ name: `Sample ${number}`, extra_choices: [["a", "A"], ["b", "B"]] }),
    change: { description: "How much it matters" },
    seen: seed.choiceSets.levels,
    hidden: seed.choiceSets.hidden,
    idle: seed.choiceSets.idle,
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
  "certmgr.savedview": {
    create: (number) => ({
      name: `Sample ${number}`,
      object_type: "certmgr.certificate",
      query: "status=active&ordering=valid_to&columns=common_name,owner",
    }),
    change: { name: "Soon", query: "show=all&expiry_status=critical" },
    seen: seed.savedViews.alice,
    hidden: seed.savedViews.bob,
    idle: seed.savedViews.bob,
  },
  "certmgr.endpoint": {
    create: (number) => ({ host: `sample-${number}.example`, interval_minutes: 60 }),
    change: { description: "Behind the load balancer", enabled: false },
    seen: seed.endpoints.acme,
    hidden: seed.endpoints.globex,
    idle: seed.endpoints.mail,
  },
  "certmgr.observation": { seen: seed.observations.acme, hidden: seed.observations.globex },
  "certmgr.scanjob": {
    create: (number) => ({ name: `Sample ${number}`, networks: [`10.0.${number}.0/28`] }),
    change: { rate: 10, enabled: false },
    seen: seed.scanJobs.lab,
    hidden: seed.scanJobs.idle,
    idle: seed.scanJobs.idle,
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
  "core.auditevent": { seen: seed.audit.signIn, hidden: seed.audit.failure },
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
  "certmgr.notificationchannel": {
    create: (number) => ({
      name: `Sample ${number}`,
      kind: "email",
      settings: { from: `certs-${number}@acme.example` },
      enabled: false,
    }),
    change: { enabled: false, settings: { from: "team@acme.example" } },
    seen: seed.channels.mail,
    hidden: seed.channels.chat,
    idle: seed.channels.idle,
  },
  "certmgr.subscription": {
    create: (number) => ({
      name: `Sample ${number}`,
      channel: seed.channels.mail,
      recipients: ["alice@acme.example"],
      events: ["expiring"],
      thresholds: ["30d", "10%"],
      at: "07:30",
      time_zone: "Europe/Berlin",
      enabled: false,
    }),
    change: { filter: "tenant=acme&status=active", mode: "weekly" },
    seen: seed.subscriptions.alice,
    hidden: seed.subscriptions.bob,
    idle: seed.subscriptions.idle,
  },
  "certmgr.notificationdelivery": { seen: seed.notices.sent, hidden: seed.notices.dead },
  "extras.webhookdelivery": { seen: seed.deliveries.arrived, hidden: seed.deliveries.dead },
};

/** Returns the sample of a resource. Throws if there is none, because the resource would not be tested. */
export function sampleOf(resource: Resource): Sample {
  const sample = SAMPLES[resource.objectType];
  if (sample === undefined) {
    throw new Error(`No sample for ${resource.objectType} in tests/support/samples.ts`);
  }
  return sample;
}
