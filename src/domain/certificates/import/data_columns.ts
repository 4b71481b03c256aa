/** Columns of tables of metadata (specification, "Resources and their fields"). */

import { EXPORT_FIELDS } from "../export/mod.ts";

/** Columns that every row must fill. */
export const REQUIRED_COLUMNS = [
  "common_name",
  "serial_number",
  "issuer",
  "valid_from",
  "valid_to",
  "fingerprint_sha256",
  "algorithm",
] as const;

/** Columns that a row may fill. The last three are not in the specification's list, but exports have them. */
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
] as const;

/** Columns that are read. */
export const IMPORT_COLUMNS: readonly string[] = [...REQUIRED_COLUMNS, ...OPTIONAL_COLUMNS];

/**
 * Every column that may be there. What an export has beside (`id`, `days_remaining`, `chain_status`, …) follows from
 * the rest, or is the store's own; it is passed over, so that an export comes back as it is.
 */
export const KNOWN_COLUMNS: readonly string[] = [...new Set([...IMPORT_COLUMNS, ...EXPORT_FIELDS])];
