/** Certificate signing requests: what was asked for, of whom, and what came of it. */

import { z } from "zod";
import { MAX_NAME_CHARS, MAX_NAMES, MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { certificate_signing_requests as table } from "../../db/schema/mod.ts";
import {
  choice,
  datetime,
  defineResource,
  type Field,
  hex,
  id,
  integer,
  list,
  longColumn,
  reference,
  text,
  timestamps,
  wants,
} from "../../resource/mod.ts";
import { ALGORITHMS, certificates } from "../certificates/mod.ts";
import { tagsField, tenantField } from "../inventory/mod.ts";
import { prepareRequests } from "./prepare.ts";
import { readRequests } from "./read_requests.ts";
import { suggestionField } from "./suggestion.ts";

const OBJECT_TYPE = "certmgr.certificatesigningrequest";

/** Where a request is in its life. */
const REQUEST_STATUSES = ["pending", "approved", "rejected", "issued", "expired"] as const;

/** `certmgr.certificatesigningrequest`. */
export const signingRequests = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/csrs",
  label: "certificate signing request",
  table,
  fields: [
    id(),
    ...subjectFields(),
    ...keyFields(),
    ...courseFields(),
    tenantField(),
    reference("resulting_certificate", {
      description: "The certificate that was issued; giving one sets the status `issued`.",
      target: () => certificates,
      keys: [],
      onDelete: "clear",
    }),
    suggestionField(),
    longColumn("pem_content", {
      description:
        "The request as PEM; what it says fills the fields that are not given. Kept without the text around it, " +
        "and not at all where it carries a challenge password.",
      maxChars: MAX_PEM_TEXT_BYTES,
    }),
    tagsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["common_name", "status"],
  displayNeeds: ["common_name"],
  display: (row) => String(row.common_name),
  searchFields: ["common_name", "organization", "subject_string", "requested_by", "target_ca"],
  events: true,
  beforeWrite: readRequests,
  prepare: prepareRequests,
});

/** Who is named. All are read from the PEM where they are empty. */
function subjectFields(): Field[] {
  const part = (name: string, description: string): Field =>
    text(name, { description, max: MAX_NAME_CHARS, defaultOperator: "icontains" });
  return [
    text("common_name", {
      description: "Common name; required where no PEM has it.",
      max: MAX_NAME_CHARS,
      blank: false,
      defaultOperator: "contains",
    }),
    part("organization", "Organisation (O)."),
    part("organizational_unit", "Organisational unit (OU)."),
    part("locality", "Locality (L)."),
    part("state", "State or province (ST)."),
    part("country", "Country (C)."),
    list("sans", {
      description:
        "Requested subject alternative names; other kinds than DNS carry a prefix (`IP:`, `email:`, `URI:`).",
      max: MAX_NAMES,
      maxChars: MAX_NAME_CHARS,
    }),
    part("subject_string", "The whole subject (RFC 4514)."),
  ];
}

/** What the request's bytes and its key settle. With a PEM they cannot say anything else. */
function keyFields(): Field[] {
  return [
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
      description:
        "SHA-256 of the public key (SubjectPublicKeyInfo), 64 lower-case digits; null without a PEM.",
      readOnly: true,
      nullable: true,
    }),
  ];
}

/** Hexadecimal digits, or nothing; what is not known is equal to nothing. */
function fingerprintField(): Field {
  const field = hex("fingerprint_sha256", {
    description: "SHA-256 of the request, 64 hexadecimal digits, colons optional; unique.",
    plainColumn: "fingerprint_hex",
    digits: [64, 64],
  });
  const { columns } = field as Required<Pick<Field, "columns">>;
  return {
    ...field,
    input: z.union(
      [z.literal(""), field.input as z.ZodType],
      wants("Expected 64 hexadecimal digits, colons optional, or nothing"),
    ),
    columns: (value) => value === "" ? { fingerprint_sha256: "", fingerprint_hex: null } : columns(value),
    fallback: "",
    filters: {
      fingerprint_sha256: { kind: "hex", column: "fingerprint_hex", nullable: true, sortable: true },
    },
  };
}

/** How it goes on. */
function courseFields(): Field[] {
  return [
    choice("status", {
      description: "Where it is in its life.",
      choices: REQUEST_STATUSES,
      fallback: "pending",
    }),
    datetime("requested_date", {
      description: "When it was asked for; the moment of its recording unless given.",
      nullable: true,
    }),
    text("requested_by", { description: "Who asked.", max: 200, defaultOperator: "icontains" }),
    text("target_ca", { description: "Who is to issue.", max: 200, defaultOperator: "icontains" }),
    text("notes", { description: "Remarks.", max: 10_000 }),
  ];
}
