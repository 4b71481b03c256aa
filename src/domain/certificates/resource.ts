/** The resource of certificates. */

import { finding } from "../../base/findings.ts";
import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { visibleSql } from "../../auth/mod.ts";
import { formatDate } from "../../base/clock.ts";
import type { Row, RowOf } from "../../db/mod.ts";
import { certificates as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  customFieldsField,
  datetime,
  defineResource,
  type Draft,
  type InputOf,
  integer,
  json,
  type Out,
  reference,
  type Resource,
  text,
  unrecorded,
  type WriteCall,
  type WriteStep,
} from "../../resource/mod.ts";
import { ACME_PROVIDERS, FAILURE_CODES } from "../../x509/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { ownerField, ownerFilters } from "../contacts/mod.ts";
import { breaksRuleFilters } from "../rules/mod.ts";
import { expiryNoticesField, tagsField, tenantField } from "../inventory/mod.ts";
import { archivedFilter, NOTE_FIELDS, SET_ASIDE } from "./archive.ts";
import { complianceFilters, inUseSql } from "./compliance_filters.ts";
import { EXPIRY_FIELDS, expiryFilters } from "./expiry.ts";
import { REPLACEMENT_REASONS } from "./replacement.ts";
import { NO_CHAIN_STATUS } from "./issuing_authority.ts";
import { prepareCertificates } from "./prepare.ts";
import {
  alsoFound,
  IDENTITY_FIELDS,
  REVOCATION_FIELDS,
  SEARCH,
  STATUSES,
  withColumn,
} from "./identity_fields.ts";
import { findingFilters, listed, USAGE_FIELDS } from "./pem_columns.ts";
import {
  ASSIGNMENT,
  assignmentFilters,
  authorityFilters,
  existing,
  incidentFilters,
  isProvisional,
  presence,
} from "./presence.ts";
import { RENEWAL_INFO_FIELDS, renewalInfoFilters } from "./renewal_info_fields.ts";
import { rowCount, SERVED_FIELDS, servedFilters } from "./served.ts";

const OBJECT_TYPE = "certmgr.certificate";

export { ALGORITHMS, STATUSES } from "./identity_fields.ts";

/** Results of chain validation. */
export const CHAIN_STATUSES = [
  "valid",
  "self_signed",
  "no_chain",
  "incomplete",
  "invalid_signature",
  "expired",
  "not_yet_valid",
  "parse_error",
] as const;

/** How certificates are renewed. */
export const AUTOMATIONS = ["acme", "agent", "est_scep", "cloud", "manual", "unknown"] as const;
/** Those of certificates that a person has to renew, as far as is known. */
export const BY_HAND: readonly (typeof AUTOMATIONS)[number][] = ["manual", "unknown"];

const RELATION_FIELDS = [
  tenantField(),
  withColumn(
    "issuing_ca_found",
    reference("issuing_ca", {
      description:
        "The nearest authority above it; if not given, found by key or name, after chain validation on its path.",
      target: (): Resource => authorities,
      keys: ["name"],
      onDelete: "clear",
      resetRule: { on: ["pem_content"], columns: NO_CHAIN_STATUS },
    }),
  ),
  boolean("is_acme", {
    description: "Whether an ACME provider issued it: never for authorities and self-signed certificates.",
    readOnly: true,
    fallback: false,
  }),
  choice("acme_provider", {
    description: "The ACME provider; empty when there is none.",
    choices: ["", ...ACME_PROVIDERS],
    readOnly: true,
    fallback: "",
  }),
  boolean("acme_auto_renewal", { description: "Whether it is renewed automatically.", fallback: false }),
  withColumn("automation_given", {
    ...choice("automation", {
      description:
        "How it is renewed: `acme`, `agent` (another program), `est_scep`, `cloud` or `manual`. If not given or `unknown`, " +
        "it follows from `acme_auto_renewal`, from the folder in which an agent found it, or from three early renewals " +
        "by certificates that nobody entered.",
      choices: AUTOMATIONS,
      fallback: "unknown",
    }),
    columns: (value): Row => ({ automation_given: String(value) }),
    // The change log has what users say: the rest follows from other fields and certificates.
    record: { read: ({ automation_given: given }) => given },
  }),
  reference("replaced_by", {
    description: "Its successor; setting one sets the status `replaced`. Cycles are not allowed.",
    target: (): Resource => certificates,
    keys: [],
    onDelete: "clear",
  }),
  choice("replacement_reason", {
    description:
      "Why it was replaced: `renewal` (default with a successor), `reissue`, `key_compromise`, `ca_incident` " +
      "or `other`; empty without a successor.",
    choices: ["", ...REPLACEMENT_REASONS],
    fallback: "",
  }),
  rowCount("assignment_count", "Number of assignments that the caller may view.", {
    objectType: ASSIGNMENT,
    table: "certificate_assignments",
  }),
  ...SERVED_FIELDS,
  ownerField(),
  expiryNoticesField("its tenant's, else the service's"),
  tagsField(OBJECT_TYPE),
  customFieldsField(OBJECT_TYPE),
];

/**
 * The fields with the stored result of chain validation; null before the first. Those that follow from the status, and
 * its time, are not recorded, because the same result at a later time is not a change.
 */
const CHAIN_FIELDS = [
  choice("chain_status", {
    description: "Result of the last chain validation.",
    choices: CHAIN_STATUSES,
    readOnly: true,
    nullable: true,
  }),
  boolean("chain_is_valid", { description: "Whether the chain is valid.", readOnly: true, nullable: true }),
  integer("chain_depth", {
    description: "Number of certificates on the path.",
    readOnly: true,
    nullable: true,
  }),
  text("chain_validation_message", { description: "The result as a sentence.", readOnly: true }),
  {
    ...unrecorded(json("chain_errors", {
      description: "Codes of the failures on the path of the last validation, leaf first.",
      schema: z.array(z.enum(FAILURE_CODES)),
      readOnly: true,
    })),
    filters: { chain_error: listed("chain_errors", FAILURE_CODES) },
  },
  unrecorded(boolean("publicly_trusted", {
    description: "Whether the chain is valid and ends in a public root that is not distrusted.",
    readOnly: true,
    nullable: true,
  })),
  unrecorded(
    datetime("chain_validated_at", {
      description: "Time of the validation.",
      readOnly: true,
      nullable: true,
    }),
  ),
];

/** `certmgr.certificate`. */
export const certificates = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/certificates",
  label: "certificate",
  table,
  fields: [
    ...IDENTITY_FIELDS,
    ...USAGE_FIELDS,
    ...NOTE_FIELDS,
    ...RELATION_FIELDS,
    ...CHAIN_FIELDS,
    ...EXPIRY_FIELDS,
    ...REVOCATION_FIELDS,
    ...RENEWAL_INFO_FIELDS,
  ],
  brief: ["common_name", "serial_number", "status"],
  displayNeeds: ["common_name", "valid_to"],
  display: (row) => `${row.common_name} (expires: ${formatDate(row.valid_to)})`,
  search: { fields: ["common_name", "issuer", "san"], also: alsoFound },
  filters: {
    ...expiryFilters,
    ...servedFilters,
    ...findingFilters,
    ...ownerFilters,
    ...assignmentFilters,
    ...authorityFilters,
    archived: archivedFilter,
    ...complianceFilters,
    ...breaksRuleFilters(({ alias, shown }) => inUseSql(alias, shown)),
    ...incidentFilters,
    ...renewalInfoFilters,
    has_issuing_ca: presence(({ alias, shown }) => {
      const authority = `${alias}_authority`;
      const column = columnOf(alias, "issuing_ca_id");
      const seen = shown(authorities.map, authority);
      const own = sql`${columnOf(authority, "id")} = ${column}`;
      return seen === undefined
        ? sql`${column} IS NOT NULL`
        : existing(sql`certificate_authorities`, authority, own, seen);
    }),
    san: {
      kind: "values",
      defaultOperator: "icontains",
      ids: (condition) => sql`SELECT certificate_id FROM certificate_sans WHERE ${condition(sql`value`)}`,
      indexed: { ...SEARCH, column: "sans" },
      list: "sans",
      source: { table: "certificate_sans", column: "value" },
    },
  },
  unique: [{
    columns: ["serial_hex", "issuer"],
    ignored: {
      decidedBy: "status",
      column: "fingerprint_hex",
      // A visible one with the same fingerprint is a duplicate: the caller can accept it.
      condition: ({ ctx, alias, value }): SQL => {
        const seen = visibleSql(ctx, certificates.map, alias) ?? sql`1`;
        return sql`(${isProvisional(alias)} AND (${
          columnOf(alias, "fingerprint_hex")
        } IS NOT ${value} OR (${seen}) IS NOT TRUE))`;
      },
    },
    field: "__all__",
    finding: finding("not_unique", { object: "Certificate", fields: "Serial number and Issuer" }),
  }],
  listed: {
    blocks: "certificate_blocks",
    divided: {
      field: "status",
      values: STATUSES,
      orders: ["valid_to", "common_name"],
      filters: ["status", "in_use"],
    },
    setAside: SET_ASIDE,
  },
  actions: ["import", "renew", "acknowledge", "bulk_operations"],
  hooks: { prepare: prepareCertificates },
});

export type Certificate = Out<typeof certificates>;
export type CertificateRow = RowOf<typeof table>;
type Input = InputOf<(typeof IDENTITY_FIELDS | typeof NOTE_FIELDS | typeof RELATION_FIELDS)[number]>;
/** A certificate that is being created or updated. */
export type CertificateDraft = Draft<CertificateRow, Input>;
export type CertificateStep = WriteStep<CertificateRow, Input>;
export type CertificateCall = WriteCall<Certificate, CertificateRow>;
