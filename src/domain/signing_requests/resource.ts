/** Certificate signing requests, their approval and their result. */

import { z } from "zod";
import { MAX_NAME_CHARS, MAX_NAMES, MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { certificate_signing_requests as table } from "../../db/schema/mod.ts";
import {
  choice,
  datetime,
  defineResource,
  expectedError,
  type Field,
  hex,
  id,
  integer,
  list,
  longColumn,
  type Out,
  reference,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { ALGORITHMS, certificates } from "../certificates/mod.ts";
import { tagsField, tenantField } from "../inventory/mod.ts";
import { prepareRequests } from "./prepare.ts";
import { readRequests } from "./read_requests.ts";
import { suggestionField } from "./suggestion.ts";

const OBJECT_TYPE = "certmgr.certificatesigningrequest";

/** Lifecycle statuses of requests. */
const REQUEST_STATUSES = ["pending", "approved", "rejected", "issued", "expired"] as const;

/** The fields of the key and the encoded request, which the PEM determines. */
const KEY_FIELDS = [
  fingerprintField(),
  choice("algorithm", {
    description: "Algorithm of the public key.",
    choices: ALGORITHMS,
    fallback: "unknown",
  }),
  integer("key_size", {
    description: "Size of the public key in bits.",
    min: 1,
    max: 1_000_000,
    nullable: true,
  }),
  text("spki_sha256", {
    description: "SHA-256 of the public key (SubjectPublicKeyInfo), 64 lower-case digits; null without PEM.",
    readOnly: true,
    nullable: true,
  }),
];

/** The fields of the approval and the issuance. */
const PROGRESS_FIELDS = [
  choice("status", { description: "Lifecycle status.", choices: REQUEST_STATUSES, fallback: "pending" }),
  datetime("requested_date", {
    description: "Time of the request; default: the time of its creation here.",
    nullable: true,
  }),
  text("requested_by", {
    description: "The person who requested the certificate.",
    max: 200,
    defaultOperator: "icontains",
  }),
  text("target_ca", {
    description: "The authority that should issue the certificate.",
    max: 200,
    defaultOperator: "icontains",
  }),
  text("notes", { description: "Notes.", max: 10_000 }),
];

const SUBJECT_FIELDS = [
  text("common_name", {
    description: "Common name; required unless the PEM has it.",
    max: MAX_NAME_CHARS,
    blank: false,
    defaultOperator: "contains",
  }),
  part("organization", "Organization (O)."),
  part("organizational_unit", "Organizational unit (OU)."),
  part("locality", "Locality (L)."),
  part("state", "State or province (ST)."),
  part("country", "Country (C)."),
  list("sans", {
    description:
      "Requested subject alternative names; kinds other than DNS have a prefix (`IP:`, `email:`, `URI:`).",
    max: MAX_NAMES,
    maxChars: MAX_NAME_CHARS,
  }),
  part("subject_string", "The whole subject (RFC 4514)."),
];

/** `certmgr.certificatesigningrequest`. */
export const signingRequests = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/csrs",
  label: "certificate signing request",
  table,
  fields: [
    id(),
    ...SUBJECT_FIELDS,
    ...KEY_FIELDS,
    ...PROGRESS_FIELDS,
    tenantField(),
    reference("resulting_certificate", {
      description: "The certificate that was issued; setting one sets the status `issued`.",
      target: () => certificates,
      keys: [],
      onDelete: "clear",
    }),
    suggestionField(),
    {
      ...longColumn("pem_content", {
        description:
          "The request as PEM; it fills the fields that are not given. Stored without surrounding text, and not " +
          "stored at all if it contains a challenge password.",
        maxChars: MAX_PEM_TEXT_BYTES,
      }),
      label: "Signing request (PEM)",
    },
    tagsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["common_name", "status"],
  displayNeeds: ["common_name"],
  display: (row) => String(row.common_name),
  searchFields: ["common_name", "organization", "subject_string", "requested_by", "target_ca"],
  beforeWrite: readRequests,
  prepare: prepareRequests,
});

export type SigningRequest = Out<typeof signingRequests>;

/** Returns the fields of the subject. Empty ones are filled from the PEM. */
function part<const Name extends string>(name: Name, description: string): Field<Name, string> {
  return text(name, { description, max: MAX_NAME_CHARS, defaultOperator: "icontains" });
}

/** Defines the fingerprint. Empty values need not be unique. */
function fingerprintField(): Field<"fingerprint_sha256", string> {
  const field = hex("fingerprint_sha256", {
    description: "SHA-256 of the request, 64 hexadecimal digits, colons optional; unique.",
    plainColumn: "fingerprint_hex",
    digits: [64, 64],
  });
  const { columns } = field;
  return {
    ...field,
    input: z.union(
      [z.literal(""), field.input as z.ZodType],
      expectedError("Expected 64 hexadecimal digits, colons optional, or nothing"),
    ),
    columns: (value) =>
      value === "" ? { fingerprint_sha256: "", fingerprint_hex: null } : columns?.(value) ?? {},
    fallback: "",
    filters: {
      fingerprint_sha256: { kind: "hex", column: "fingerprint_hex", nullable: true, sortable: true },
    },
  };
}
