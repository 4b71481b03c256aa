/** What an export may hold, and how each value is written. */

import type { Context } from "../../../auth/mod.ts";
import type { Row } from "../../../db/mod.ts";
import type { ExportValue } from "../../../formats/mod.ts";
import { requireField } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";

/** Fields of an export that names none (specification, Export). */
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

/** Fields that may be named beside them. */
export const EXTENDED_FIELDS = [
  "is_expired",
  "is_expiring_soon",
  "expiry_status",
  "private_key_location",
  "assignment_count",
  "created",
  "last_updated",
] as const;

/** Every name that `fields` may hold; the long texts come by it too. */
export const EXPORT_FIELDS: readonly string[] = [
  ...DEFAULT_FIELDS,
  ...EXTENDED_FIELDS,
  "issuing_ca",
  "is_acme",
  "acme_provider",
  "acme_auto_renewal",
  "chain_status",
  "expiry_notices",
  "tags",
  "pem_content",
  "issuer_chain",
];

/** Reads a field's value for an export: tenants and authorities by name, tags by slug, datetimes without a zone (UTC). */
export function exportReader(name: string): (row: Row, ctx: Context) => ExportValue {
  const { read } = requireField(certificates, name);
  switch (name) {
    case "tenant":
    case "issuing_ca":
      return (row, ctx) => (read(row, ctx) as { name: string } | null)?.name ?? null;
    case "tags":
      return (row, ctx) => (read(row, ctx) as { slug: string }[]).map((tag) => tag.slug);
    case "valid_from":
    case "valid_to":
    case "created":
    case "last_updated":
      return (row, ctx) => (read(row, ctx) as string).replace(/Z$/, "");
    default:
      return (row, ctx) => read(row, ctx) as ExportValue;
  }
}
