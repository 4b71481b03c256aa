/** Rows of the seeded database, as bodies of create requests by a name for each row. Ids follow the order. */

import { CHAIN, pki } from "./pki.ts";

/** A body of a create request. */
type Body = Readonly<Record<string, unknown>>;

export const TENANTS = {
  acme: { name: "Acme Corp", slug: "acme", description: "Anvils", tags: [{ slug: "prod" }] },
  globex: { name: "Globex Corp", slug: "globex" },
  /** It has no objects. */
  idle: { name: "Initech", slug: "initech" },
} satisfies Record<string, Body>;

export const TAGS = {
  prod: { name: "Production", slug: "prod", color: "4caf50" },
  staging: { name: "Staging", slug: "staging" },
  pci: { name: "PCI DSS", slug: "pci", description: "Card data" },
} satisfies Record<string, Body>;

export const AUTHORITIES = {
  internal: {
    name: "Acme Internal",
    type: "internal",
    issuer_pattern: "acme issuing ca",
    is_approved: true,
    contact_email: "pki@acme.example",
    tags: [{ slug: "prod" }],
  },
  acme: { name: "Let's Encrypt", type: "acme", issuer_pattern: "O=Let's Encrypt" },
  idle: { name: "Unused CA", website_url: "https://ca.example/" },
} satisfies Record<string, Body>;

const LETS_ENCRYPT = "C=US, O=Let's Encrypt, CN=R11";

function metadata(cn: string, serial: string, rest: Body): Body {
  return {
    common_name: cn,
    serial_number: serial,
    issuer: "C=US, O=Metadata CA, CN=Issuer 1",
    valid_from: "2026-01-01",
    valid_to: "2026-12-31T23:59:59Z",
    fingerprint_sha256: serial.replaceAll(":", "").padStart(64, "a"),
    algorithm: "rsa",
    key_size: 2048,
    ...rest,
  };
}

/** The current time is 2026-06-15T12:00:00Z. Critical are up to 14 days, warning up to 30. */
export const CERTIFICATES = {
  acmeWeb: {
    pem_content: pki.stored.acme.pem,
    issuer_chain: CHAIN,
    tenant: { slug: "acme" },
    tags: [{ slug: "prod" }, { slug: "pci" }],
    private_key_location: "vault:acme/www",
  },
  acmeCritical: metadata("api.acme.example", "01:00:02", {
    tenant: { slug: "acme" },
    valid_to: "2026-06-29T23:59:59Z",
    tags: [{ slug: "prod" }],
    sans: ["api.acme.example", "API-2.acme.example", "IP:192.0.2.1"],
  }),
  acmeExpired: metadata("old.acme.example", "01:00:03", {
    tenant: { slug: "acme" },
    valid_to: "2026-06-14T23:59:59Z",
    key_size: 1024,
  }),
  acmeWarning: metadata("shop.acme.example", "01:00:04", {
    tenant: { slug: "acme" },
    issuer: LETS_ENCRYPT,
    valid_to: "2026-07-15T00:00:00Z",
    status: "pending",
    algorithm: "ecdsa",
    key_size: 256,
    acme_auto_renewal: true,
  }),
  acmeReplaced: metadata("Www.Acme.example", "01:00:05", {
    tenant: { slug: "acme" },
    valid_to: "2026-07-16T00:00:00Z",
    replaced_by: 1,
    tags: [{ slug: "staging" }],
  }),
  globexWeb: {
    pem_content: pki.stored.globex.pem,
    tenant: { slug: "globex" },
    tags: [{ slug: "prod" }],
    private_key_location: "vault:globex/www",
  },
  globexLastDay: metadata("today.globex.example", "01:00:07", {
    tenant: { slug: "globex" },
    valid_to: "2026-06-15T18:00:00Z",
  }),
  globexJustExpired: metadata("noon.globex.example", "01:00:08", {
    tenant: { slug: "globex" },
    valid_to: "2026-06-15T11:59:59Z",
    issuer: "O=(STAGING) Let's Encrypt, CN=(STAGING) Fake 1",
  }),
  globexRevoked: metadata("mail.globex.example", "01:00:09", {
    tenant: { slug: "globex" },
    status: "revoked",
    algorithm: "ed25519",
    key_size: null,
  }),
  shared: metadata("shared.example", "01:00:0A", {
    algorithm: "unknown",
    key_size: null,
    status: "expired",
    issuer: "Plain words, no attributes",
    fingerprint_sha256: "AB".repeat(32),
  }),
  unicode: metadata("bücher.example", "7F", {
    issuer: 'O=50%_off \\ "Müller", CN=Ünïcode',
    sans: ["xn--bcher-kva.example", "email:post@bücher.example", "URI:https://bücher.example/"],
    tags: [{ slug: "staging" }, { slug: "prod" }],
  }),
  /** The same serial number as `acmeCritical`, by another issuer. */
  twin: metadata("twin.example", "0100 02".replace(" ", ""), { issuer: "CN=Another issuer", key_size: 4096 }),
} satisfies Record<string, Body>;

export const ASSIGNMENTS = {
  acme: { certificate: 1, assigned_object_type: "dcim.device", assigned_object_id: 1, is_primary: true },
  globex: { certificate: 6, assigned_object_type: "dcim.device", assigned_object_id: 2 },
} satisfies Record<string, Body>;

export const CONTACT_GROUPS = {
  teams: { name: "Teams", slug: "teams" },
  oncall: { name: "On call", slug: "on-call", parent: { slug: "teams" } },
  idle: { name: "Partners", slug: "partners" },
} satisfies Record<string, Body>;

export const CONTACT_ROLES = {
  owner: { name: "Owner", slug: "owner" },
  technical: { name: "Technical", slug: "technical", tags: [{ slug: "prod" }] },
  idle: { name: "Billing", slug: "billing" },
} satisfies Record<string, Body>;

export const CONTACTS = {
  web: {
    name: "Web team",
    email: "web@acme.example",
    groups: [{ slug: "on-call" }],
    tags: [{ slug: "prod" }],
  },
  network: { name: "Network team", phone: "+1 555 0100", group: { slug: "teams" } },
  idle: { name: "Nobody", comments: "Responsible for *nothing*" },
} satisfies Record<string, Body>;

/** Certificate 1 has an owner; its device and its tenant have others. */
export const CONTACT_ASSIGNMENTS = {
  certificate: { object_type: "certmgr.certificate", object_id: 1, contact: 1, role: { slug: "owner" } },
  device: {
    object_type: "dcim.device",
    object_id: 2,
    contact: 2,
    role: { slug: "technical" },
    priority: "primary",
  },
  tenant: { object_type: "tenancy.tenant", object_id: 1, contact: 2, priority: { value: "secondary" } },
  former: { object_type: "tenancy.tenant", object_id: 2, contact: 1, priority: "inactive" },
} satisfies Record<string, Body>;

export const CHOICE_SETS = {
  levels: { name: "Levels", extra_choices: [["low", "Low"], ["high", "High"]] },
  hidden: { name: "Places", extra_choices: ["here", "there"] },
  idle: { name: "Unused", extra_choices: ["only"] },
} satisfies Record<string, Body>;

/** None is required and none is on certificates, so that other tests see objects without values. */
export const CUSTOM_FIELDS = {
  room: { name: "room", type: "text", object_types: ["dcim.device"] },
  level: { name: "level", type: "select", object_types: ["dcim.device"], choice_set: { name: "Levels" } },
  idle: { name: "unused", type: "boolean", object_types: ["ipam.service"] },
} satisfies Record<string, Body>;

export const DEVICES = {
  edge: { name: "edge-1", description: "In front" },
  spare: { name: "edge-2" },
  idle: { name: "box", tenant: { slug: "globex" } },
} satisfies Record<string, Body>;

export const MACHINES = {
  web: { name: "web-1", tenant: { slug: "acme" }, tags: [{ slug: "prod" }] },
  idle: { name: "web-2" },
} satisfies Record<string, Body>;

export const SERVICES = {
  https: { name: "https", ports: [443], parent_object_type: "dcim.device", parent_object_id: 1 },
  idle: { name: "dns", protocol: "udp", ports: [53, 5353], virtual_machine: { name: "web-1" } },
} satisfies Record<string, Body>;

export const REQUESTS = {
  pending: {
    common_name: "wanted.acme.example",
    organization: "Acme Corp",
    requested_by: "alice",
    target_ca: "Acme Internal",
    tenant: { slug: "acme" },
    tags: [{ slug: "prod" }],
  },
  approved: { pem_content: pki.request.pem, status: "approved", tenant: { slug: "globex" } },
  issued: { common_name: "www.acme.example", resulting_certificate: 1, tenant: { slug: "acme" } },
} satisfies Record<string, Body>;

export const POLICIES = {
  keySize: {
    name: "Long keys",
    policy_type: "min_key_size",
    severity: "critical",
    parameters: { min_bits: 2048 },
  },
  idle: { name: "No wildcards", policy_type: "wildcard_forbidden", enabled: false },
} satisfies Record<string, Body>;

export const INCIDENTS = {
  acme: {
    name: "Acme's keys were public",
    kind: "key_compromise",
    criteria: { filter: "tenant=acme&status=active" },
    deadline: "2026-06-20T00:00:00Z",
  },
  idle: { name: "An old one", criteria: { serial_numbers: ["FFFF"] }, status: "closed" },
} satisfies Record<string, Body>;

/** Only runs write results, so these are stored by SQL. */
export const CHECKS = {
  passed: { certificate_id: 1, policy_id: 1, result: "pass", severity: "critical", message: "256 bits" },
  failed: { certificate_id: 3, policy_id: 1, result: "fail", severity: "critical", message: "1024 bits" },
} as const;

/** Only checks write what authorities say, so these rows are stored by SQL. */
export const REVOCATION_CHECKS = {
  good: {
    certificate_id: 1,
    source: "crl",
    source_url: "http://crl.acme.example/1.crl",
    status: "good",
    signer: "CN=Acme Issuing CA",
    message: "Not revoked, says CN=Acme Issuing CA.",
  },
  unavailable: {
    certificate_id: 3,
    source: "ocsp",
    source_url: "http://ocsp.globex.example/",
    status: "unavailable",
    signer: "",
    message: "The connection was refused.",
  },
} as const;

export const REVOCATION_LISTS = {
  read: {
    source_url: "http://crl.acme.example/1.crl",
    issuer: "CN=Acme Issuing CA",
    crl_number: "07",
    error: "",
  },
  failed: {
    source_url: "http://crl.globex.example/1.crl",
    issuer: "",
    crl_number: "",
    error: "The connection was refused.",
  },
} as const;

export const GROUPS = {
  operators: { name: "operators", description: "Who keep it running" },
  idle: { name: "nobody yet" },
} satisfies Record<string, Body>;

export const USERS = {
  root: { is_superuser: true },
  alice: {},
  bob: { is_active: false },
  carol: {},
} satisfies Record<string, Body>;

export const PERMISSIONS = {
  acmeViewers: {
    name: "View Acme",
    object_types: ["certmgr.certificate"],
    actions: ["view"],
    constraints: { tenant__slug: "acme" },
    groups: [{ name: "operators" }],
    users: [{ username: "alice" }],
  },
  idle: { name: "Nothing", object_types: ["extras.tag"], actions: ["view"], enabled: false },
} satisfies Record<string, Body>;

export const TOKENS = {
  alice: { user: { username: "alice" }, description: "Alice's" },
  bob: { user: { username: "bob" }, write_enabled: false },
} satisfies Record<string, Body>;

/** None is enabled, so that nothing is sent by an unrelated test. */
export const WEBHOOKS = {
  inventory: {
    name: "Inventory",
    object_types: [
      "certmgr.certificate",
      "certmgr.certificateassignment",
      "certmgr.certificatesigningrequest",
    ],
    events: ["created", "updated", "deleted"],
    payload_url: "https://hooks.acme.example/inventory",
    enabled: false,
    secret: "SeededSecretOfInventory",
    additional_headers: { "X-Api-Key": "SeededHeaderOfInventory" },
    tags: [{ slug: "prod" }],
  },
  globex: {
    name: "Globex",
    object_types: ["certmgr.certificate"],
    events: ["created"],
    payload_url: "https://hooks.globex.example/",
    enabled: false,
    conditions: { tenant__slug: "globex" },
  },
  idle: {
    name: "Nobody listens",
    object_types: ["certmgr.certificatesigningrequest"],
    events: ["deleted"],
    payload_url: "http://idle.example/",
    enabled: false,
  },
} satisfies Record<string, Body>;

const ABOUT = { object_type: "certmgr.certificate", object_id: 1 };

/** Only the sender writes messages, so these are stored by SQL. */
export const DELIVERIES = {
  arrived: {
    ...ABOUT,
    webhook_id: 1,
    event_id: "msg-arrived",
    event: "updated",
    state: "delivered",
    attempts: 2,
    response_status: 204,
    response_body: "",
    duration_ms: 12,
    failure: null,
    error: "",
    next_attempt: null,
    body: '{"event":"updated"}',
  },
  dead: {
    ...ABOUT,
    webhook_id: 2,
    event_id: "msg-dead",
    event: "created",
    state: "dead",
    attempts: 9,
    response_status: 503,
    response_body: "Try later",
    duration_ms: 950,
    failure: "refused",
    error: "Status 503",
    next_attempt: null,
    body: '{"event":"created"}',
  },
} as const;

/** Keys of the feeds below: anyone who knows one can read the calendar. */
export const FEED_KEYS = { alice: "FeedOfAlice".padEnd(40, "0"), bob: "FeedOfBob".padEnd(40, "0") } as const;

/** Feeds belong to their creators, so these are stored by SQL. Bob is inactive. */
export const FEEDS = {
  alice: { user_id: 2, name: "Alice's", filter: "common_name__ic=acme", alarm_days: 7 },
  bob: { user_id: 3, name: "Bob's", filter: "", alarm_days: null },
} as const;

/** Saved views belong to their creators, so these are stored by SQL. Bob is inactive. */
export const SAVED_VIEWS = {
  alice: {
    user_id: 2,
    name: "Expiring",
    object_type: "certmgr.certificate",
    query: "expiry_status=critical",
    shared: 1,
  },
  bob: { user_id: 3, name: "Bob's", object_type: "certmgr.certificate", query: "", shared: 0 },
} as const;

export const ENDPOINTS = {
  acme: {
    host: "www.acme.example",
    tenant: { slug: "acme" },
    assigned_object_type: "dcim.device",
    assigned_object_id: 1,
    tags: [{ slug: "prod" }],
  },
  globex: { host: "www.globex.example", tenant: { slug: "globex" } },
  mail: { host: "192.0.2.25", port: 25, protocol: "smtp", server_name: "mail.acme.example" },
} satisfies Record<string, Body>;

export const SCAN_JOBS = {
  lab: { name: "Lab", networks: ["10.1.0.0/30"], ports: [443, 8443], rate: 20 },
  idle: { name: "Idle", networks: ["10.2.0.0/30"], enabled: false },
} satisfies Record<string, Body>;

/** Certificates that the endpoints presented, the newest observation first. */
export const OBSERVATIONS = {
  acme: {
    endpoint_id: 1,
    certificate_id: 1,
    address: "192.0.2.1",
    state: "ok",
    state_message: "As expected.",
    possession: "proven",
  },
  globex: {
    endpoint_id: 2,
    certificate_id: 5,
    address: "192.0.2.2",
    state: "ok",
    state_message: "As expected.",
    possession: "proven",
  },
} satisfies Record<string, Body>;
/** None is enabled, so that only tests that enable one send messages. */
export const CHANNELS = {
  mail: { name: "Mail", kind: "email", settings: { from: "certs@acme.example" }, enabled: false },
  chat: {
    name: "Chat of Globex",
    kind: "slack",
    settings: { url: "https://hooks.globex.example/services/SeededChannel" },
    enabled: false,
  },
  idle: { name: "Idle", kind: "ntfy", settings: { topic: "certificates" }, enabled: false },
} satisfies Record<string, Body>;

export const SUBSCRIPTIONS = {
  alice: {
    name: "Alice's",
    user: { username: "alice" },
    channel: 1,
    recipients: ["alice@acme.example"],
    events: ["expiring", "expired"],
    filter: "tenant=acme",
    enabled: false,
  },
  bob: {
    name: "Bob's",
    user: { username: "bob" },
    channel: 2,
    events: ["expired"],
    mode: "immediate",
    enabled: false,
  },
  idle: { name: "Weekly", user: { username: "bob" }, channel: 2, events: ["renewed"], enabled: false },
} satisfies Record<string, Body>;

/** Only the sender writes messages, so these are stored by SQL. */
export const NOTICES = {
  sent: {
    channel_id: 1,
    subscription_id: 1,
    message_id: "notice-sent",
    event: "digest",
    notices: 3,
    recipient: "alice@acme.example",
    message: '{"name":"","userId":null,"notices":[],"more":0}',
    state: "delivered",
    attempts: 1,
    response_status: 250,
    duration_ms: 20,
    failure: null,
    error: "",
    next_attempt: null,
  },
  dead: {
    channel_id: 2,
    subscription_id: 2,
    message_id: "notice-dead",
    event: "expired",
    notices: 1,
    recipient: "",
    message: '{"name":"","userId":null,"notices":[],"more":0}',
    state: "dead",
    attempts: 9,
    response_status: 404,
    duration_ms: 30,
    failure: "refused",
    error: "The receiver answered 404.",
    next_attempt: null,
  },
} as const;

/** Only sign-ins write the audit log, so these rows are stored by SQL. */
export const AUDIT = {
  signIn: { event: "sign_in", user_id: 2, username: "alice", address: "192.0.2.1", detail: "password" },
  failure: { event: "sign_in_failed", user_id: 3, username: "bob", address: "192.0.2.2", detail: "password" },
} as const;
