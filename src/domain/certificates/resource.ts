/** Certificates: the inventory itself. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { restrictionSql, visible } from "../../auth/mod.ts";
import { formatDate } from "../../base/clock.ts";
import { MAX_NAME_CHARS, MAX_NAMES, MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { certificates as table } from "../../db/schema/mod.ts";
import { type FilterField, isNothing, type PredicateContext } from "../../filters/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  datetime,
  defineResource,
  expression,
  type Field,
  hex,
  id,
  integer,
  list,
  longText,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { ACME_PROVIDERS } from "../../x509/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { expiryNoticesField, tagsField, tenantField } from "../inventory/mod.ts";
import { expiryFields, expiryFilters } from "./expiry.ts";
import { NO_VERDICT } from "./no_verdict.ts";
import { prepareCertificates } from "./prepare.ts";

const OBJECT_TYPE = "certmgr.certificate";
const ASSIGNMENT = "certmgr.certificateassignment";
const SEARCH = "certificate_search";

/** Key algorithms of the inventory. */
export const ALGORITHMS = ["rsa", "ecdsa", "ed25519", "unknown"] as const;
/** Where a certificate is in its life. */
export const STATUSES = ["active", "expired", "replaced", "revoked", "pending"] as const;
/** Statuses of certificates that are in use, or are about to be. */
export const IN_USE_STATUSES = ["active", "pending"] as const satisfies readonly (typeof STATUSES[number])[];
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

/** `certmgr.certificate`. */
export const certificates: Resource = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/certificates",
  label: "certificate",
  table,
  fields: [
    id(),
    ...identityFields(),
    ...relationFields(),
    ...chainFields(),
    ...expiryFields(),
    ...timestamps(),
  ],
  brief: ["common_name", "serial_number", "status"],
  displayNeeds: ["common_name", "valid_to"],
  display: (row) => `${row.common_name} (expires: ${formatDate(row.valid_to as number)})`,
  searchFields: ["common_name", "issuer", "san"],
  filters: {
    ...expiryFilters,
    has_issuing_ca: presence(({ alias, shown }) => {
      const authority = `${alias}_authority`;
      const column = columnOf(alias, "issuing_ca_id");
      const seen = shown(authorities.objectType, authority);
      return seen === undefined ? sql`${column} IS NOT NULL` : existing(
        sql`certificate_authorities`,
        authority,
        sql`${columnOf(authority, "id")} = ${column} AND ${seen}`,
      );
    }),
    has_assignments: presence(({ alias, shown }) => {
      const assignment = `${alias}_assignment`;
      const own = sql`${columnOf(assignment, "certificate_id")} = ${columnOf(alias, "id")}`;
      const seen = shown(ASSIGNMENT, assignment);
      return existing(
        sql`certificate_assignments`,
        assignment,
        seen === undefined ? own : sql`${own} AND ${seen}`,
      );
    }),
    san: {
      kind: "values",
      defaultOperator: "icontains",
      ids: (condition) =>
        sql`SELECT certificate_id FROM certificate_sans WHERE ${condition(sql`value`, sql`certificate_id`)}`,
      indexed: { table: SEARCH, column: "sans" },
      source: { table: "certificate_sans", column: "value", owner: "certificate_id" },
    },
  },
  unique: [{
    columns: ["serial_hex", "issuer"],
    field: "__all__",
    message: "Certificate with this Serial number and Issuer already exists.",
  }],
  blocks: "certificate_blocks",
  events: true,
  actions: ["import", "renew", "bulk_operations"],
  prepare: prepareCertificates,
});

/** What the certificate itself says. All may be left out where `pem_content` has them; `prepare` sees to it. */
function identityFields(): Field[] {
  return [
    text("common_name", {
      description: "Common name; without one the first DNS name, else the subject.",
      max: MAX_NAME_CHARS,
      blank: false,
      defaultOperator: "contains",
      indexed: { table: SEARCH, column: "common_name" },
    }),
    hex("serial_number", {
      description: "Serial number, 1 to 64 hexadecimal digits, colons optional.",
      plainColumn: "serial_hex",
      digits: [1, 64],
      number: true,
    }),
    text("issuer", {
      description: "The issuer's distinguished name.",
      max: MAX_NAME_CHARS,
      blank: false,
      defaultOperator: "icontains",
      indexed: { table: SEARCH, column: "issuer" },
    }),
    datetime("valid_from", { description: "First moment of the validity." }),
    datetime("valid_to", { description: "Last moment of the validity; not before `valid_from`." }),
    hex("fingerprint_sha256", {
      description: "SHA-256 of the certificate, 64 hexadecimal digits, colons optional.",
      plainColumn: "fingerprint_hex",
      digits: [64, 64],
    }),
    choice("algorithm", { description: "Algorithm of the public key.", choices: ALGORITHMS }),
    integer("key_size", {
      description: "Size of the public key in bits.",
      min: 1,
      max: 1_000_000,
      nullable: true,
    }),
    withSweep(
      choice("status", { description: "Where it is in its life.", choices: STATUSES, fallback: "active" }),
    ),
    list("sans", {
      description:
        "Subject alternative names; other kinds than DNS carry a prefix (`IP:`, `email:`, `URI:`).",
      max: MAX_NAMES,
      maxChars: MAX_NAME_CHARS,
    }),
    longText("pem_content", {
      description: "The certificate as PEM; what it says fills the fields that are not given.",
      table: "certificate_texts",
      own: "certificate_id",
      maxChars: MAX_PEM_TEXT_BYTES,
    }),
    longText("issuer_chain", {
      description: "PEM of the intermediate certificates, in any order.",
      table: "certificate_texts",
      own: "certificate_id",
      maxChars: MAX_PEM_TEXT_BYTES,
    }),
    boolean("pem_matches", {
      description: "Whether fingerprint, serial number and validity agree with the PEM; null without one.",
      readOnly: true,
      nullable: true,
    }),
    text("private_key_location", {
      description: "A hint where the private key is kept; never the key.",
      max: 500,
      defaultOperator: "icontains",
    }),
  ];
}

function relationFields(): Field[] {
  return [
    tenantField(),
    reference("issuing_ca", {
      description: "The authority that issued it; found by its key or name when none is given.",
      target: () => authorities,
      keys: ["name"],
      onDelete: "clear",
      resetRule: { on: ["pem_content"], columns: NO_VERDICT },
    }),
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
    boolean("acme_auto_renewal", { description: "Whether it renews by itself.", fallback: false }),
    reference("replaced_by", {
      description: "Its successor; giving one sets the status `replaced`. Successors never lead back to it.",
      target: () => certificates,
      keys: [],
      onDelete: "clear",
    }),
    expression("assignment_count", {
      description: "Assignments that the caller may see.",
      output: z.int(),
      sql: ({ alias, ctx }) => {
        const seen = visible(ctx, ASSIGNMENT);
        if (isNothing(seen)) return sql`0`;
        const inner = `${alias}_assignments`;
        const restricted = restrictionSql(ctx, seen, ASSIGNMENT, inner);
        return sql`(SELECT count(*) FROM certificate_assignments AS ${sql.identifier(inner)} WHERE ${
          columnOf(inner, "certificate_id")
        } = ${columnOf(alias, "id")}${restricted === undefined ? sql`` : sql` AND ${restricted}`})`;
      },
    }),
    expiryNoticesField("its tenant's, or else the service's"),
    tagsField(OBJECT_TYPE),
  ];
}

/** The stored result of chain validation; null until there was one. */
function chainFields(): Field[] {
  return [
    choice("chain_status", {
      description: "Result of the last chain validation.",
      choices: CHAIN_STATUSES,
      readOnly: true,
      nullable: true,
    }),
    boolean("chain_is_valid", { description: "Whether that chain holds.", readOnly: true, nullable: true }),
    integer("chain_depth", { description: "Certificates on the path.", readOnly: true, nullable: true }),
    text("chain_validation_message", { description: "The result in a sentence.", readOnly: true }),
    // Not recorded: the same verdict a day later is no change.
    unrecorded(
      datetime("chain_validated_at", {
        description: "When it was validated.",
        readOnly: true,
        nullable: true,
      }),
    ),
  ];
}

function presence(condition: (context: PredicateContext) => SQL): FilterField {
  return {
    kind: "predicate",
    type: "boolean",
    condition: (value, context) => value ? condition(context) : sql`NOT (${condition(context)})`,
  };
}

function existing(table: SQL, alias: string, condition: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM ${table} AS ${sql.identifier(alias)} WHERE ${condition})`;
}

/** Writers of a status also read whether the expiry sweep set the stored one. */
function withSweep(field: Field): Field {
  return {
    ...field,
    selectRecord: (context) => [
      ...field.select(context),
      ["expired_from", columnOf(context.alias, "expired_from")],
    ],
  };
}

function unrecorded(field: Field): Field {
  const { record: _, ...rest } = field;
  return rest;
}
