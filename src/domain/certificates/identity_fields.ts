/** Fields of the certificate itself. */

import { MAX_NAME_CHARS, MAX_NAMES } from "../../base/limits.ts";
import {
  boolean,
  choice,
  columnOf,
  datetime,
  type Field,
  hex,
  integer,
  list,
  text,
} from "../../resource/mod.ts";

import { findingsField } from "./findings.ts";
import { chainField, pemField } from "./pem_texts.ts";

/** The search index of certificates. */
export const SEARCH = { table: "certificate_search", unindexed: "unindexed_certificates" } as const;
/** Key algorithms of the inventory. */
export const ALGORITHMS = ["rsa", "ecdsa", "ed25519", "unknown"] as const;
/** Lifecycle statuses. */
export const STATUSES = ["active", "expired", "replaced", "revoked", "pending"] as const;

/** Returns whether a certificate is neither replaced nor revoked. */
export function isCurrent({ status }: { readonly status: typeof STATUSES[number] }): boolean {
  return status !== "replaced" && status !== "revoked";
}

/**
 * The fields of the certificate itself. `prepare` fills those that are not given from `pem_content`.
 */
export const IDENTITY_FIELDS = [
  text("common_name", {
    description:
      "Common name; if there is none, the first DNS name, IP address, URI, e-mail address or other name, " +
      "else the subject, else the serial number.",
    max: MAX_NAME_CHARS,
    blank: false,
    defaultOperator: "contains",
    indexed: { ...SEARCH, column: "common_name" },
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
    indexed: { ...SEARCH, column: "issuer" },
  }),
  datetime("valid_from", { description: "Start of the validity (`notBefore`)." }),
  withPluginFilters(
    datetime("valid_to", { description: "Expiry (`notAfter`); not before `valid_from`." }),
  ),
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
  withColumn(
    "expired_from",
    choice("status", { description: "Lifecycle status.", choices: STATUSES, fallback: "active" }),
  ),
  list("sans", {
    description: "Subject alternative names; kinds other than DNS have a prefix (`IP:`, `email:`, `URI:`).",
    max: MAX_NAMES,
    maxChars: MAX_NAME_CHARS,
  }),
  pemField(),
  chainField(),
  boolean("pem_matches", {
    description: "Whether fingerprint, serial number and validity agree with the PEM; null without PEM.",
    readOnly: true,
    nullable: true,
  }),
  findingsField(),
  // A renewal keeps the location of the same key.
  withColumn(
    "spki_sha256",
    text("private_key_location", {
      description: "Where the private key is stored, as a hint; never the key itself.",
      max: 500,
      defaultOperator: "icontains",
    }),
  ),
];

/** Adds the filters `__lte` and `__gte` under the names that NetBox's certificate plugin uses. */
function withPluginFilters<Of extends Field>(field: Of): Of {
  const bound = { kind: "datetime", column: "valid_to", nullable: false, sortable: false } as const;
  return {
    ...field,
    filters: {
      ...field.filters,
      valid_to_before: { ...bound, defaultOperator: "lte" },
      valid_to_after: { ...bound, defaultOperator: "gte" },
    },
  };
}

/** Makes a field also read a column that no field shows, for operations that write it. */
export function withColumn<Of extends Field>(name: string, field: Of): Of {
  return {
    ...field,
    selectRecord: (context) => [
      ...(field.selectRecord ?? field.select)(context),
      [name, columnOf(context.alias, name)],
    ],
  };
}
