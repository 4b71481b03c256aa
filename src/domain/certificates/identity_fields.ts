/** Fields of the certificate itself, and what its authority says about its revocation (only revocation checks write these). */

import { readHost } from "../../base/host_name.ts";
import { MAX_NAME_CHARS, MAX_NAMES } from "../../base/limits.ts";
import { readHexDigits } from "../../base/spellings/hex.ts";
import { across, and, compare, type Condition } from "../../filters/mod.ts";
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
  unrecorded,
} from "../../resource/mod.ts";
import { REVOCATION_REASONS } from "../../x509/mod.ts";
import { findingsField } from "./pem_columns.ts";
import { chainField, pemField } from "./pem_texts.ts";

/** What is known. Only `good` and `revoked` are valid answers that were current when the certificate was checked. */
export const REVOCATION_STATUSES = [
  "not_checked",
  "good",
  "revoked",
  "unknown",
  "not_needed",
  "unavailable",
] as const;

export const REVOCATION_FIELDS = [
  withColumn(
    "revoked_from",
    choice("revocation_status", {
      description:
        "What its authority says: `good` only with a valid and current answer; `unknown` if a responder does " +
        "not know it, `unavailable` without a usable answer, `not_needed` for short-lived and self-signed certificates.",
      choices: REVOCATION_STATUSES,
      readOnly: true,
      fallback: "not_checked",
    }),
  ),
  datetime("revoked_at", { description: "When it was revoked.", readOnly: true, nullable: true }),
  choice("revocation_reason", {
    description: "Why it was revoked, in the words of RFC 5280; empty if it was not.",
    choices: ["", ...REVOCATION_REASONS],
    readOnly: true,
    fallback: "",
  }),
  unrecorded(datetime("revocation_checked_at", {
    description: "Time of the last revocation check.",
    readOnly: true,
    nullable: true,
  })),
];

/** Returns the common name in a distinguished name, else its organization, else the whole name. */
export function issuerName(issuer: string): string {
  const part = (type: string): string | undefined =>
    new RegExp(`(?:^|[,+])\\s*${type}=((?:\\\\.|[^,+\\\\])+)`, "i").exec(issuer)?.[1]?.replace(/\\(.)/g, "$1")
      .trim();
  return part("CN") ?? part("O") ?? issuer;
}

/** The search index of certificates. */
export const SEARCH = { table: "certificate_search", unindexed: "unindexed_certificates" } as const;
/** Minimum length of a text that is searched for in the names of other objects. */
const MIN_CHARS = 3;
/** Minimum number of hexadecimal digits that a search finds at either end of a number, and anywhere in it. */
export const [MIN_END_DIGITS, MIN_DIGITS] = [4, 6] as const;

/**
 * Returns what `q` finds besides the texts of a certificate: part of its serial number or fingerprint, an address in
 * another notation, the objects to which it is assigned, and its owner.
 */
export function alsoFound(text: string): readonly Condition[] {
  const hex = readHexDigits(text)?.toLowerCase() ?? "";
  const ends = hex.length < MIN_END_DIGITS
    ? []
    : hex.length < MIN_DIGITS
    ? ["startswith", "endswith"] as const
    : ["contains"] as const;
  const address = text.includes(":") ? readHost(text) : undefined;
  return [
    // With the first comparison, SQLite reads the index of the numbers, and not the rows.
    ...["serial_number", "fingerprint_sha256"].flatMap((name) =>
      ends.map((end) => and(compare(name, "startswith", [""]), compare(name, end, [hex])))
    ),
    // Serial numbers are compared without leading zeros.
    ...ends.length > 0 && hex.startsWith("0")
      ? [compare("serial_number", "startswith", [hex.replace(/^0+(?=.)/, "")])]
      : [],
    ...address === undefined ? [] : [compare("san", "iexact", [`IP:${address}`])],
    ...text.length < MIN_CHARS ? [] : [
      ...["device", "virtual_machine", "service"].map((name) =>
        across(name, compare("name", "icontains", [text]))
      ),
      compare("owner_name", "exact", [text]),
    ],
  ];
}

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
  const { record } = field;
  if (record === undefined) throw new Error(`Field "${field.name}" is not recorded`);
  return {
    ...field,
    record: {
      ...record,
      select: (context) => [
        ...(record.select ?? field.select)(context),
        [name, columnOf(context.alias, name)],
      ],
    },
  };
}
