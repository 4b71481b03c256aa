/** View of certificates: their form and the filters of their list. */

import { separateChain } from "../../../domain/certificates/import/mod.ts";
import { type Certificate, PEM_FIELDS } from "../../../domain/certificates/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";
import { defineView } from "../../kit/mod.ts";
import { type Assigned, withAssignedTo } from "./cells.tsx";
import { CERTIFICATE_COLUMNS } from "./columns.tsx";
import { LIST_DEFAULTS } from "./list_defaults.ts";

/** The list and the detail page are separate modules. */
export const certificateView = defineView<Certificate & Assigned>({
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
    "expires_within",
    "valid_to__gte",
    "valid_from__gte",
    "lifetime_days",
    "automation",
    "expiry_status",
    "overdue",
    "chain_status",
    "revocation_status",
    "issuing_ca_id",
    "algorithm",
    "weak_key",
    "signature_algorithm",
    "usage",
    "issuer",
    "san",
    "tag_id",
    "tls_version",
    "has_owner",
    "archived",
    "has_findings",
    "finding",
  ],
  fields: {
    status: { together: true, help: "" },
    private_key_location: { together: true, help: "Where the private key is stored, never the key itself." },
    automation: { help: "Unknown: the service finds it out from agents and from early renewals, if it can." },
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
    issuing_ca: { help: "Leave empty to have it found by the issuer's key or name, or on its chain." },
    tags: { help: "" },
    tenant: { help: "" },
  },
  form: {
    fields: [
      "common_name",
      "status",
      "tenant",
      "tags",
      "issuing_ca",
      "private_key_location",
      "automation",
      "description",
      "comments",
      "renewal_note",
      "archived",
      "pinned",
      "custom_fields",
      "expiry_notices",
      "replaced_by",
      "replacement_reason",
      "pem_content",
      "issuer_chain",
      ...PEM_FIELDS.filter((name) => name !== "common_name"),
    ],
    sections: [
      { title: "Certificate", fields: ["pem_content"] },
      {
        title: "Inventory",
        fields: ["status", "tenant", "tags", "issuing_ca", "private_key_location", "automation"],
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
        ],
        folded: true,
      },
    ],
  },
  empty: "No certificates yet. Import them from files, or from a table.",
  create: () => ({
    // The chain follows the certificate in one text.
    without: ["issuer_chain", "replacement_reason"],
    // The chain after a certificate is moved to its field. Errors: invalid (`pem_content`).
    inputOf: async (input) => {
      const { pem_content: pem } = input;
      return typeof pem !== "string" || holdsPrivateKey(pem)
        ? input
        : { ...input, ...await separateChain(pem) };
    },
  }),
});
