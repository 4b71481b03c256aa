/**
 * Certificates and the tables that belong to them: authorities, texts, names, assignments, signing requests.
 */

import { sql } from "drizzle-orm";
import { blob, integer, sqliteTable, sqliteView, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, named, notes, stamps, timestamp } from "./columns.ts";

/** `certmgr.certificateauthority`. */
export const certificate_authorities = sqliteTable("certificate_authorities", {
  ...named(),
  /** `public`, `internal` or `acme`. */
  type: text().notNull().default("public"),
  issuer_pattern: label(),
  website_url: label(),
  portal_url: label(),
  contact_email: label(),
  is_approved: flag(0),
  pem_content: label(),
  /** Lower-case hex of its certificate's subject key identifier. */
  subject_key_id: text(),
  /** Subject of its certificate. */
  subject: text(),
  instructions: label(),
  renewal_note: label(),
  ...notes(),
  /** When its certificate expires: that of its PEM, else the latest one on the paths of its certificates. */
  valid_to: integer(),
  /** JSON list of the URLs of its revocation lists, for certificates that name none. */
  crl_urls: text().notNull().default("[]"),
  /** Where it says when certificates should be renewed. */
  acme_directory_url: label(),
});

/**
 * `certmgr.certificate`, unique by (`serial_hex`, `issuer`), except those that were found and not accepted. The long texts are in {@link certificate_texts}.
 * Triggers derive {@link certificate_sans} and the search index from this row.
 */
export const certificates = sqliteTable("certificates", {
  id: key(),
  common_name: text().notNull(),
  /** As it was given. */
  serial_number: text().notNull(),
  issuer: text().notNull(),
  subject: label(),
  valid_from: timestamp(),
  valid_to: timestamp(),
  /** As it was given. */
  fingerprint_sha256: text().notNull(),
  algorithm: text().notNull(),
  /** In bits. */
  key_size: integer(),
  status: text().notNull().default("active"),
  tenant_id: integer(),
  private_key_location: label(),
  issuing_ca_id: integer(),
  is_acme: flag(0),
  acme_provider: label(),
  acme_auto_renewal: flag(0),
  replaced_by_id: integer(),
  /** Lower-case hex of the authority key identifier, if the PEM is known. */
  authority_key_id: text(),
  /** Lower-case hex SHA-256 of the SubjectPublicKeyInfo, if the PEM is known. */
  spki_sha256: text(),
  has_pem: flag(0),
  /** Whether the stored fields agree with the stored PEM; null without PEM. */
  pem_matches: integer(),
  chain_status: text(),
  chain_is_valid: integer(),
  chain_depth: integer(),
  chain_validation_message: label(),
  chain_validated_at: integer(),
  ...stamps(),
  /**
   * JSON list of subject alternative names in the certificate's order. {@link certificate_sans} is derived
   * from it.
   */
  sans: text().notNull().default("[]"),
  /** JSON list of thresholds (`30d`, `33%`); null for those of its tenant. */
  expiry_notices: text(),
  /**
   * `active` or `pending`: the status that the expiry sweep replaced by `expired`; null after a user changed
   * the status.
   */
  expired_from: text(),
  /** Where it was found, if no user entered it: `endpoint www.example.com:443`. */
  discovered_via: label(),
  /** JSON list of `{code, message, section}` about the stored PEM; null until it was checked. */
  findings: text().notNull().default("[]"),
  description: label(),
  renewal_note: label(),
  archived: flag(0),
  pinned: flag(0),
  ...notes(),
  /** Why it was replaced; empty without a successor. */
  replacement_reason: label(),
  /** Lower-case hex of `serial_number` without colons and leading zeros; `0` for zero; null if unknown. */
  serial_hex: text().generatedAlwaysAs(
    sql`iif(serial_number = '', NULL, coalesce(nullif(ltrim(lower(replace(serial_number, ':', '')), '0'), ''), '0'))`,
  ),
  /** 64 lower-case hex digits of `fingerprint_sha256`; null if unknown. */
  fingerprint_hex: text().generatedAlwaysAs(
    sql`nullif(lower(replace(fingerprint_sha256, ':', '')), '')`,
  ),
  /** The validity in whole days, rounded. */
  lifetime_days: integer().generatedAlwaysAs(sql`(valid_to - valid_from + 43200000) / 86400000`),
  /** JSON list of usages from the PEM; empty without PEM. */
  usages: text().notNull().default("[]"),
  /** Number of signed certificate timestamps in the PEM. */
  scts: integer().notNull().default(0),
  /** `server`, `client`, `ca` or `other`, from the usages. */
  kind: text().notNull().default("server"),
  /** `RSA`, `P-256`, `ML-DSA-65`; empty without PEM. */
  key_algorithm: label(),
  /** `ecdsa-with-SHA384`; empty without PEM. */
  signature_algorithm: label(),
  /** Whether the service found the authority, and so may find a nearer one; false if it was given. */
  issuing_ca_found: flag(0),
  /** The endpoint in `discovered_via`. */
  discovered_at_id: integer(),
  /** JSON list of the codes of the failures on its path, leaf first. */
  chain_errors: text().notNull().default("[]"),
  /** Whether the chain ends in a public root that is not distrusted; null before its validation. */
  publicly_trusted: integer(),
  revocation_status: text().notNull().default("not_checked"),
  revoked_at: integer(),
  revocation_reason: label(),
  revocation_checked_at: integer(),
  /** When it is checked next; null: not until its status changes. */
  revocation_due: integer().default(0),
  /** The status that a revocation replaced; null after a user changed it. */
  revoked_from: text(),
  /** Since when its status is `unavailable`. */
  revocation_unanswered: integer(),
  renewal_window_start: integer(),
  renewal_window_end: integer(),
  renewal_explanation_url: label(),
  renewal_info_checked_at: integer(),
  /** When its authority is asked next; null: not until its status or its authority changes. */
  renewal_info_due: integer().default(0),
  /** What a user said about its renewals; `unknown`: nothing. */
  automation_given: text().notNull().default("unknown"),
  /** Whether three renewals before it were early, and by certificates that were found. A trigger writes it. */
  renewed_unattended: flag(0),
  /** How it is renewed, from the two columns above, `acme_auto_renewal` and `discovered_via`. */
  automation: text().notNull().generatedAlwaysAs(sql`automation_given`, { mode: "stored" }),
});

/**
 * The PEM of a certificate, in a separate table so that lists and scans never read it. It is empty if there
 * is no row.
 */
export const certificate_texts = sqliteTable("certificate_texts", {
  certificate_id: integer().primaryKey(),
  /** The text, unless it follows from `der`. */
  pem_content: label(),
  /** The DER of which `encodePem` makes the text; null for other texts. */
  der: blob({ mode: "buffer" }),
});

/** The texts of chains, each stored once. */
export const issuer_chains = sqliteTable("issuer_chains", {
  id: key(),
  /** Lower-case hex of the text's hash. */
  sha256: text().notNull(),
  content: text().notNull(),
});

/**
 * The chains of certificates. A chain is empty if there is no row. Triggers delete chains that no certificate
 * has.
 */
export const certificate_issuer_chains = sqliteTable("certificate_issuer_chains", {
  certificate_id: integer().primaryKey(),
  chain_id: integer().notNull(),
});

/** One row for each name in `certificates.sans`, for searches by name. Only triggers write it. */
export const certificate_sans = sqliteTable("certificate_sans", {
  certificate_id: integer().notNull(),
  /** From 0, in the certificate's order. */
  position: integer().notNull(),
  value: text().notNull(),
});

/** The certificates that are not in the full-text index yet. Triggers put them into it in groups. */
export const unindexed_certificates = sqliteView("unindexed_certificates", {
  id: integer().notNull(),
  common_name: text().notNull(),
  issuer: text().notNull(),
  sans: text().notNull(),
}).existing();

/** Renewals that nobody had a hand in. */
export const unattended_renewals = sqliteView("unattended_renewals", {
  old_id: integer().notNull(),
  new_id: integer().notNull(),
}).existing();

/** One row for each code in `certificates.findings`, for searches by code. Only triggers write it. */
export const certificate_findings = sqliteTable("certificate_findings", {
  code: text().notNull(),
  certificate_id: integer().notNull(),
});

/** `certmgr.certificateassignment`: a certificate is in use on a device, a virtual machine or a service. */
export const certificate_assignments = sqliteTable("certificate_assignments", {
  id: key(),
  certificate_id: integer().notNull(),
  assigned_object_type: text().notNull(),
  assigned_object_id: integer().notNull(),
  is_primary: flag(0),
  notes: label(),
  ...stamps(),
  /** Whether the service made it, because an endpoint of the object serves the certificate. */
  automatic: flag(0),
});

/** `certmgr.certificatesigningrequest`. */
export const certificate_signing_requests = sqliteTable("certificate_signing_requests", {
  id: key(),
  common_name: text().notNull(),
  organization: label(),
  organizational_unit: label(),
  locality: label(),
  state: label(),
  country: label(),
  /** JSON list of names. */
  sans: text().notNull().default("[]"),
  /** As it was given; empty if unknown. */
  fingerprint_sha256: label(),
  /** 64 lower-case hex digits, unique; null if unknown. */
  fingerprint_hex: text(),
  algorithm: text().notNull().default("unknown"),
  key_size: integer(),
  status: text().notNull().default("pending"),
  requested_date: integer(),
  requested_by: label(),
  target_ca: label(),
  notes: label(),
  subject_string: label(),
  tenant_id: integer(),
  renews_id: integer(),
  resulting_certificate_id: integer(),
  pem_content: label(),
  /** Lower-case hex SHA-256 of the SubjectPublicKeyInfo, if the PEM is known. */
  spki_sha256: text(),
  ...stamps(),
});

/**
 * Thresholds that a validity period has reached. A row with another `valid_to` than the certificate's is
 * outdated.
 */
export const expiry_notices_passed = sqliteTable("expiry_notices_passed", {
  certificate_id: integer().notNull(),
  /** `30d` or `33%`. */
  threshold: text().notNull(),
  valid_to: timestamp(),
  /** Whether there was an event; false if a nearer one was reached at the same time. */
  announced: integer().notNull(),
  passed_at: timestamp(),
});

/** Number of certificates in each block of 1,024 ids. Triggers write it. */
export const certificate_blocks = sqliteTable("certificate_blocks", {
  /** `id >> 10`. */
  block: integer().primaryKey(),
  n: integer().notNull(),
});

/** Certificates that are archived and not pinned. Only triggers write it. */
export const archived_certificates = sqliteTable("archived_certificates", {
  certificate_id: integer().primaryKey(),
});
