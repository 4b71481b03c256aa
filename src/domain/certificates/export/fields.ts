/** Fields of exports, and how their values are written. */

import type { Context } from "../../../auth/mod.ts";
import type { Row } from "../../../db/mod.ts";
import type { ExportValue } from "../../../formats/mod.ts";
import { CUSTOM_COLUMN, CUSTOM_PREFIX, parseNested, requireField } from "../../../resource/mod.ts";
import { certificates, type StoredFindings } from "../mod.ts";

/** Fields of an export by default. */
export const DEFAULT_FIELDS = [
  "id",
  "common_name",
  "serial_number",
  "fingerprint_sha256",
  "issuer",
  "valid_from",
  "valid_to",
  "days_remaining",
  "algorithm",
  "key_size",
  "status",
  "tenant",
  "sans",
] as const;

/** Additional fields that `fields` may select. */
export const EXTENDED_FIELDS = [
  "is_expired",
  "is_expiring_soon",
  "expiry_status",
  "private_key_location",
  "assignment_count",
  "created",
  "last_updated",
] as const;

/** All names that `fields` may contain, including those of long texts. */
export const EXPORT_FIELDS: readonly string[] = [
  ...DEFAULT_FIELDS,
  ...EXTENDED_FIELDS,
  "issuing_ca",
  "is_acme",
  "acme_provider",
  "acme_auto_renewal",
  "chain_status",
  "expiry_notices",
  "findings",
  "owner",
  "discovered_via",
  "endpoint_count",
  "first_seen",
  "last_seen",
  "description",
  "comments",
  "renewal_note",
  "archived",
  "pinned",
  "tags",
  "pem_content",
  "issuer_chain",
];

/**
 * Returns the function that reads a field's value: tenants, authorities and owners by name, tags by slug,
 * datetimes in UTC without a zone.
 */
export function exportReader(name: string): (row: Row, ctx: Context) => ExportValue {
  if (name.startsWith(CUSTOM_PREFIX)) return customReader(name.slice(CUSTOM_PREFIX.length));
  const { read } = requireField(certificates, name);
  switch (name) {
    case "tenant":
    case "issuing_ca":
      return (row) => (parseNested(row[name]) as { name: string } | null)?.name ?? null;
    case "owner":
      return (row, ctx) => (read(row, ctx) as { contact: { name: string } } | null)?.contact.name ?? null;
    case "tags":
      return (row) => (parseNested(row[name]) as { slug: string }[] | null ?? []).map(({ slug }) => slug);
    case "findings":
      return (row, ctx) =>
        (read(row, ctx) as StoredFindings).map(({ code, message, section }) =>
          `${code}: ${message} (${section})`
        );
    case "valid_from":
    case "valid_to":
    case "created":
    case "last_updated":
    case "first_seen":
    case "last_seen":
      return (row, ctx) => (read(row, ctx) as string | null)?.slice(0, -1) ?? null;
    default:
      return (row, ctx) => read(row, ctx) as ExportValue;
  }
}

/** Returns the field from which an exported column is read. */
export function exportedField(name: string): string {
  return name.startsWith(CUSTOM_PREFIX) ? CUSTOM_COLUMN : name;
}

/**
 * Returns the function that reads the value of a custom field: objects by id, as imports accept them, and
 * JSON as text.
 */
function customReader(name: string): (row: Row, ctx: Context) => ExportValue {
  const { read } = requireField(certificates, CUSTOM_COLUMN);
  return (row, ctx) => {
    const value = (read(row, ctx) as Record<string, unknown>)[name] ?? null;
    if (value === null || typeof value !== "object") return value as ExportValue;
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
    return "url" in value && "id" in value ? value.id as number : JSON.stringify(value);
  };
}
