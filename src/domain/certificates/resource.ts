/** The resource of certificates. */

import { type SQL, sql } from "drizzle-orm";
import { visibleSql } from "../../auth/mod.ts";
import { formatDate } from "../../base/clock.ts";
import type { RowOf } from "../../db/mod.ts";
import { certificates as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  customFieldsField,
  datetime,
  defineResource,
  type Draft,
  type Field,
  id,
  type InputOf,
  integer,
  type Out,
  reference,
  type Resource,
  text,
  timestamps,
  unrecorded,
  type WriteCall,
  type WriteStep,
} from "../../resource/mod.ts";
import { ACME_PROVIDERS } from "../../x509/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { ownerField, ownerFilters } from "../contacts/mod.ts";
import { expiryNoticesField, tagsField, tenantField } from "../inventory/mod.ts";
import { assignmentFilters } from "./assignment_filters.ts";
import { archivedFilter, NOTE_FIELDS, SET_ASIDE } from "./archive.ts";
import { complianceFilters } from "./compliance_filters.ts";
import { EXPIRY_FIELDS, expiryFilters } from "./expiry.ts";
import { findingFilters } from "./findings.ts";
import { moveToSuccessors, REPLACEMENT_REASONS } from "./replacement.ts";
import { NO_CHAIN_STATUS } from "./issuing_authority.ts";
import { prepareCertificates } from "./prepare.ts";
import { IDENTITY_FIELDS, SEARCH, STATUSES, withColumn } from "./identity_fields.ts";
import { USAGE_FIELDS } from "./pem_columns.ts";
import { ASSIGNMENT, existing, isProvisional, presence } from "./presence.ts";
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
  moveChoice(),
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

/** The fields with the stored result of chain validation; null before the first. */
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
  // Not recorded, because the same result at a later time is not a change.
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
    id(),
    ...IDENTITY_FIELDS,
    ...USAGE_FIELDS,
    ...NOTE_FIELDS,
    ...RELATION_FIELDS,
    ...CHAIN_FIELDS,
    ...EXPIRY_FIELDS,
    ...timestamps(),
  ],
  brief: ["common_name", "serial_number", "status"],
  displayNeeds: ["common_name", "valid_to"],
  display: (row) => `${row.common_name} (expires: ${formatDate(row.valid_to)})`,
  searchFields: ["common_name", "issuer", "san"],
  filters: {
    ...expiryFilters,
    ...servedFilters,
    ...findingFilters,
    ...ownerFilters,
    ...assignmentFilters,
    archived: archivedFilter,
    ...complianceFilters,
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
    message: "Certificate with this Serial number and Issuer already exists.",
  }],
  blocks: "certificate_blocks",
  divided: {
    field: "status",
    values: STATUSES,
    orders: ["valid_to", "common_name"],
    filters: ["status", "in_use"],
  },
  setAside: SET_ASIDE,
  actions: ["import", "renew", "acknowledge", "bulk_operations"],
  prepare: prepareCertificates,
  beforeStore: moveToSuccessors,
});

export type Certificate = Out<typeof certificates>;
export type CertificateRow = RowOf<typeof table>;
type Input = InputOf<(typeof IDENTITY_FIELDS | typeof NOTE_FIELDS | typeof RELATION_FIELDS)[number]>;
/** A certificate that is being created or updated. */
export type CertificateDraft = Draft<CertificateRow, Input>;
export type CertificateStep = WriteStep<CertificateRow, Input>;
export type CertificateCall = WriteCall<Certificate, CertificateRow>;

/** Defines the choice about a new successor, which is not stored. */
function moveChoice(): Field<"move_assignments", boolean> {
  const { columns: _, ...field } = boolean("move_assignments", {
    description: "Whether the assignments move to a `replaced_by` that this request sets.",
    writeOnly: true,
    filter: false,
    fallback: true,
  });
  return field;
}
