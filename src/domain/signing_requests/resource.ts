/** Certificate signing requests, their approval and their result. */

import { addFinding, concerns, finding } from "../../base/findings.ts";
import { z } from "zod";
import { getTableName, sql } from "drizzle-orm";
import { visibleSql } from "../../auth/mod.ts";
import { MAX_NAME_CHARS, MAX_NAMES, MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import type { ObjectRow } from "../../db/mod.ts";
import { certificate_signing_requests as table } from "../../db/schema/mod.ts";
import {
  choice,
  datetime,
  defineResource,
  type Draft,
  expectedError,
  type Field,
  hex,
  integer,
  list,
  longColumn,
  type Out,
  plainHex,
  reference,
  refuse,
  text,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import { escapeValue, readRequest, requestFields } from "../../x509/mod.ts";
import { ALGORITHMS, certificates, divideNames } from "../certificates/mod.ts";
import { tagsField, tenantField } from "../inventory/mod.ts";
import {
  contradiction,
  FIXED_BY_PEM,
  isSameValue,
  MAX_AUTHORITY_CHARS,
  readRequests,
  takeOver,
} from "./read_requests.ts";
import { suggestionField } from "./suggestion.ts";

const OBJECT_TYPE = "certmgr.certificatesigningrequest";

/** Derives fields and validates. One statement if a fingerprint is given, and one for certificates to renew. */
async function prepareRequests(
  step: WriteStep<ObjectRow, Values & { requested_date?: number; sans?: string[] }>,
): Promise<void> {
  await takeOver(step);
  for (const draft of step.drafts) {
    requireName(draft);
    keepFixed(draft);
    divideNames(draft, () => {
      const { request } = readRequest(String(draft.input.pem_content ?? ""));
      return request === undefined ? [] : requestFields(request).sans;
    });
    composeSubject(draft);
    const { input, before, row } = draft;
    const issued = input.resulting_certificate;
    if (typeof issued === "number" && issued !== before?.resulting_certificate_id) input.status = "issued";
    if (before === undefined) row.requested_date = input.requested_date ?? step.ctx.clock.now();
  }
  await refuseDuplicates(step);
}

function requireName({ input, before, replaces, errors }: Draft): void {
  if (before !== undefined && !replaces) return;
  if (
    input.common_name === undefined && !concerns(errors, "common_name") && !concerns(errors, "pem_content")
  ) {
    addFinding(errors, "common_name", finding("required"));
  }
}

/** The parts of a subject in the order of its text. */
const SUBJECT_PARTS = {
  C: "country",
  ST: "state",
  L: "locality",
  O: "organization",
  OU: "organizational_unit",
  CN: "common_name",
} as const;

function subjectOf(values: Readonly<Values>): string {
  return Object.entries(SUBJECT_PARTS).flatMap(([type, part]) =>
    values[part] ? [`${type}=${escapeValue(String(values[part]))}`] : []
  ).join(", ").slice(0, MAX_NAME_CHARS);
}

/** Composes the subject of a request without PEM from its parts, unless one was given. */
function composeSubject({ input, before }: Draft): void {
  if (input.subject_string || input.pem_content || before?.pem_content) return;
  if (before !== undefined && before.subject_string !== subjectOf(before)) return;
  input.subject_string = subjectOf({ ...before, ...input });
}

/** Refuses changes of fields that the stored PEM determines. */
function keepFixed(draft: Draft): void {
  const { input, before } = draft;
  if (before === undefined || before.pem_content === "" || "pem_content" in input) return;
  for (const name of FIXED_BY_PEM) {
    if (name in input && !isSameValue(name, input[name], before[name])) {
      refuse(draft, name, contradiction(before[name]));
    }
  }
}

/** Refuses requests that already exist (without naming hidden ones) or occur twice in the call. */
async function refuseDuplicates({ ctx, tx, drafts }: WriteStep): Promise<void> {
  const claims = drafts.flatMap((draft) => {
    const given = draft.input.fingerprint_sha256;
    if (typeof given !== "string" || given === "") return [];
    const field = draft.input.spki_sha256 ? "pem_content" : "fingerprint_sha256";
    return [{ draft, field, hex: plainHex(given, { number: false }) }];
  });
  if (claims.length === 0) return;
  const first = new Map<string, number>();
  for (const { draft, field, hex } of claims) {
    const earlier = first.get(hex);
    if (earlier === undefined) first.set(hex, drafts.indexOf(draft));
    else refuse(draft, field, finding("duplicate_in_batch", { noun: "item", place: earlier }));
  }
  const alias = getTableName(table);
  const map = ctx.mapOf(OBJECT_TYPE);
  const seen = visibleSql(ctx, map, alias) ?? sql`1`;
  const rows = await tx.all<{ place: number; id: number; common_name: string; seen: number }>(
    sql`SELECT claimed.key AS place, ${table}.id AS id, common_name, (${seen}) IS TRUE AS seen
        FROM json_each(${JSON.stringify(claims.map((claim) => claim.hex))}) AS claimed
        CROSS JOIN ${table} ON fingerprint_hex = claimed.value`,
  );
  for (const { place, id, common_name, seen } of rows) {
    const { draft, field } = claims[place] ?? {};
    if (draft === undefined || field === undefined || id === draft.id) continue;
    refuse(draft, field, finding("request_exists", seen === 1 ? { name: common_name, id } : {}));
  }
}

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
    max: MAX_AUTHORITY_CHARS,
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
    ...SUBJECT_FIELDS,
    ...KEY_FIELDS,
    ...PROGRESS_FIELDS,
    tenantField(),
    reference("renews", {
      description:
        "The certificate that the issued one will replace. A new request takes over the names, tenant, tags and authority " +
        "that it does not have. The renewal with a certificate that has its key sets `resulting_certificate`.",
      target: () => certificates,
      keys: [],
      onDelete: "clear",
    }),
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
      shown: { label: "Signing request (PEM)" },
    },
    tagsField(OBJECT_TYPE),
  ],
  brief: ["common_name", "status"],
  displayNeeds: ["common_name"],
  display: (row) => String(row.common_name),
  search: { fields: ["common_name", "organization", "subject_string", "requested_by", "target_ca"] },
  hooks: { beforeWrite: readRequests, prepare: prepareRequests },
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
      expectedError("64 hexadecimal digits, colons optional, or nothing"),
    ),
    columns: (value) =>
      value === "" ? { fingerprint_sha256: "", fingerprint_hex: null } : columns?.(value) ?? {},
    fallback: "",
    filters: {
      fingerprint_sha256: { kind: "hex", column: "fingerprint_hex", nullable: true, sortable: true },
    },
  };
}
