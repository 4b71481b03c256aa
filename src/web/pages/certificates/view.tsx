/** View of certificates: their form and the filters of their list. */

import { separateChain } from "../../../domain/certificates/import/mod.ts";
import {
  type Certificate,
  certificates,
  NEEDED_FIELDS,
  PEM_FIELDS,
} from "../../../domain/certificates/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";
import type { Fieldset, View } from "../../kit/mod.ts";
import { addPath } from "../imports/mod.ts";
import { objectPath } from "../../paths.ts";
import { done } from "../../responses.ts";
import { type Assigned, withAssignedTo } from "./assigned_to.tsx";
import { CERTIFICATE_COLUMNS } from "./columns.tsx";
import { LIST_DEFAULTS } from "./list_defaults.ts";
import { deletionAdvice } from "./deletion_advice.tsx";

/** Moves the chain after a certificate to its field. Errors: invalid (`pem_content`). */
async function withSeparateChain(input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const { pem_content: pem } = input;
  if (typeof pem !== "string" || holdsPrivateKey(pem)) return input;
  return { ...input, ...await separateChain(pem) };
}

/** Fields of the form. */
const FIELDS: readonly string[] = [
  "common_name",
  "status",
  "tenant",
  "tags",
  "issuing_ca",
  "private_key_location",
  "acme_auto_renewal",
  "description",
  "comments",
  "renewal_note",
  "archived",
  "pinned",
  "custom_fields",
  "expiry_notices",
  "replaced_by",
  "replacement_reason",
  "move_assignments",
  "pem_content",
  "issuer_chain",
  ...PEM_FIELDS.filter((name) => name !== "common_name"),
];

/** Its sections. */
const SECTIONS: readonly Fieldset[] = [
  { title: "Certificate", fields: ["pem_content"] },
  {
    title: "Inventory",
    fields: ["status", "tenant", "tags", "issuing_ca", "private_key_location", "acme_auto_renewal"],
  },
  { title: "Notes", fields: ["description", "comments", "renewal_note"] },
  { title: "Chain", fields: ["issuer_chain"] },
  {
    title: "Without PEM",
    about: "For a certificate whose PEM you do not have. With a PEM, these fields are read from it.",
    fields: PEM_FIELDS,
    folded: true,
    insteadOf: "pem_content",
  },
  {
    title: "Expiry notices, archive, successor",
    fields: [
      "expiry_notices",
      "archived",
      "pinned",
      "replaced_by",
      "replacement_reason",
      "move_assignments",
    ],
    folded: true,
  },
];

/** The list and the detail page are separate modules. */
export const certificateView: View<Certificate & Assigned> = {
  ...CERTIFICATE_COLUMNS,
  ...LIST_DEFAULTS,
  withMore: async (call, rows, columns) =>
    columns.includes("assigned_to") ? await withAssignedTo(call, rows) : rows,
  filters: [
    "status",
    "tenant_id",
    "owner",
    "assigned_or_served",
    "has_assignments",
    "device_id",
    "virtual_machine_id",
    "service_id",
    "valid_to__gte",
    "valid_to__lte",
    "expiry_status",
    "overdue",
    "chain_status",
    "issuing_ca_id",
    "algorithm",
    "weak_key",
    "issuer",
    "san",
    "tag",
    "is_acme",
    "has_owner",
    "archived",
    "has_findings",
    "finding",
  ],
  fields: {
    status: { together: true, help: "" },
    private_key_location: { together: true, help: "Where the private key is stored, never the key itself." },
    acme_auto_renewal: { help: "" },
    archived: { help: "Lists, notices, calendars and reports leave it out, whatever its status." },
    pinned: { help: "Lists, notices, calendars and reports keep it even if it is archived." },
    expiry_notices: {
      help:
        "Days before the expiry (30d), or the share of the lifetime that is left (33%). Empty: as for its tenant.",
    },
    pem_content: {
      help:
        "With its chain after it, if you have it. Nothing else is needed: names, dates and key are read from it.",
    },
    issuer_chain: { help: "The certificates of its issuers." },
    replaced_by: { help: "The certificate that took over. Sets the status to replaced." },
    replacement_reason: { help: "" },
    move_assignments: { help: "To the successor, if you choose another one." },
    issuing_ca: { help: "Leave empty to have it found by the issuer's key or name, or on its chain." },
    tags: { help: "" },
    tenant: { help: "" },
  },
  form: {
    fields: FIELDS,
    sections: SECTIONS,
    // Fields that contradict the PEM can be corrected.
    locked: ({ pem_content, pem_matches }) =>
      pem_content === "" || pem_matches === false ? [] : ["pem_content", ...PEM_FIELDS],
  },
  deletion: async (call, { ids, back, prevented }) =>
    prevented ? {} : { content: await deletionAdvice(call, ids, back) },
  empty: "No certificates yet. Import them from files, or from a table.",
  create: (call) => ({
    // The chain follows the certificate in one text.
    without: ["issuer_chain", "replacement_reason", "move_assignments"],
    inputOf: withSeparateChain,
    created: ({ id, common_name: name, issuer_chain: chain }) => {
      const issuers = chain.split("-----BEGIN ").length - 1;
      if (issuers === 0) return undefined;
      return done(
        call,
        objectPath(certificates, id),
        `${name} created, with ${
          issuers === 1 ? "the certificate of its issuer" : `${issuers} certificates of its chain`
        }.`,
      );
    },
  }),
};

/** Fields that the form for a certificate without PEM does not have. */
const OF_PEM = ["pem_content", "issuer_chain"];

/** The form for a certificate whose PEM the user does not have: names, dates and key come first. */
export const enteredView: View<Certificate & Assigned> = {
  ...certificateView,
  form: {
    fields: FIELDS.filter((name) => !OF_PEM.includes(name)),
    sections: [
      { title: "Certificate", fields: PEM_FIELDS },
      ...SECTIONS.filter(({ fields }) => !fields.some((name) => [...OF_PEM, ...PEM_FIELDS].includes(name))),
    ],
  },
  create: (call) => ({
    title: "Enter a certificate",
    path: "enter/",
    required: NEEDED_FIELDS,
    above: () => (
      <p class="summary">
        Have the certificate as PEM? <a href={addPath(call.ctx)}>Add it instead</a>.
      </p>
    ),
  }),
};
