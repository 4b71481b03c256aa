/** Columns of metadata tables. */

import { EXPORT_FIELDS } from "../export/mod.ts";
import { NEEDED_FIELDS } from "../mod.ts";

/** Columns that every row must fill. */
export const REQUIRED_COLUMNS = NEEDED_FIELDS;

/** Columns that a row may fill. */
export const OPTIONAL_COLUMNS = [
  "key_size",
  "status",
  "sans",
  "tenant",
  "private_key_location",
  "pem_content",
  "issuer_chain",
  "tags",
  "issuing_ca",
  "acme_auto_renewal",
  "description",
  "comments",
  "renewal_note",
  "archived",
  "pinned",
  "expiry_notices",
  "custom_fields",
  "assignments",
] as const;

/** Columns that an import reads. */
export const IMPORT_COLUMNS: readonly string[] = [...REQUIRED_COLUMNS, ...OPTIONAL_COLUMNS];

/**
 * All accepted columns. The other columns of an export (`id`, `days_remaining`, `chain_status`, …) are ignored, so that
 * an export can be imported unchanged.
 */
export const KNOWN_COLUMNS: readonly string[] = [...new Set([...IMPORT_COLUMNS, ...EXPORT_FIELDS])];
