/**
 * Columns of tables, recognized by their headings: ignoring case and punctuation, and by common synonyms.
 */

import { headingReader } from "../../../base/spellings/headings.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
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

/** Other headings of a column, reduced to letters and digits. */
const SYNONYMS: Readonly<Record<string, string>> = {
  common_name: "cn subjectcn subjectcommonname certificatename name domain domainname fqdn hostname host",
  serial_number: "serial serialno serialnr sn certificateserial certificateserialnumber",
  issuer: "issuerdn issuername issuedby certificateauthority ca",
  valid_from: "from notbefore validfromdate validsince start starts startdate issuedate issuedon issued " +
    "effectivedate",
  valid_to: "to until till notafter validuntil validtill expires expireson expiry expirydate expiration " +
    "expirationdate end ends enddate expiresat expire",
  fingerprint_sha256: "sha256fingerprint sha256 fingerprint thumbprintsha256 sha256thumbprint",
  algorithm: "keyalgorithm publickeyalgorithm keytype alg algo keyalg keyalgo",
  key_size: "keylength keybits bits publickeysize size",
  status: "state",
  sans: "san subjectaltname subjectaltnames subjectalternativename subjectalternativenames altnames " +
    "alternativenames dnsnames domains",
  tenant: "tenantname customer",
  private_key_location: "keylocation privatekeypath keypath keystorage",
  pem_content: "pem certificatepem certificate",
  issuer_chain: "chain chainpem cabundle intermediates",
  tags: "tag labels",
  comments: "comment notes note remarks remark",
  description: "desc",
};

/** Headings that are never a field: the column that a preview adds to rows with errors. */
const IGNORED = ["errors"];

/** Columns whose cells are not read. */
const UNREAD = "";

const columnBy = headingReader([
  ...IGNORED.map((name) => [name, UNREAD] as const),
  ...Object.entries(SYNONYMS).flatMap(([column, names]) =>
    names.split(" ").map((name) => [name, column] as const)
  ),
  ...KNOWN_COLUMNS.map((name) => [name, name] as const),
]);

/**
 * Returns the column for a heading; null if its cells are not read, and the heading itself if it is unknown.
 */
export function columnMeant(heading: string): string | null {
  if (heading === "") return null;
  if (KNOWN_COLUMNS.includes(heading) || heading.startsWith(CUSTOM_PREFIX)) return heading;
  const meant = columnBy(heading) ?? heading;
  return meant === UNREAD ? null : meant;
}

/** Returns whether an import reads the column, so that cells can be assigned to it. */
export function isImportColumn(name: string): boolean {
  return IMPORT_COLUMNS.includes(name) || name.startsWith(CUSTOM_PREFIX);
}
