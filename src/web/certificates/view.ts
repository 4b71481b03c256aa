/** View of certificates: their form and the filters of their list. */

import { certificates } from "../../domain/certificates/mod.ts";
import type { View } from "../objects/mod.ts";

/** Fields that are read from the PEM. */
const FROM_PEM = [
  "common_name",
  "pem_content",
  "serial_number",
  "issuer",
  "valid_from",
  "valid_to",
  "fingerprint_sha256",
  "algorithm",
  "key_size",
  "sans",
];

/** The list and the detail page are separate modules. */
export const certificateView: View = {
  resource: certificates,
  columns: [],
  filters: [
    "status",
    "expiry_status",
    "overdue",
    "chain_status",
    "tenant_id",
    "issuing_ca_id",
    "algorithm",
    "key_size__lt",
    "issuer",
    "san",
    "tag",
    "valid_to__gte",
    "valid_to__lte",
    "has_assignments",
    "is_acme",
    "has_owner",
    "archived",
    "has_findings",
    "finding",
  ],
  fieldsets: [
    { title: "Certificate", fields: ["pem_content", "issuer_chain"] },
    {
      title: "Owner and place",
      fields: ["status", "tenant", "tags", "issuing_ca", "private_key_location", "acme_auto_renewal"],
    },
    { title: "Notes", fields: ["description", "comments", "renewal_note"] },
    {
      title: "Without PEM",
      about: "For a certificate whose PEM you do not have. With a PEM, these fields are read from it.",
      fields: FROM_PEM.filter((name) => name !== "pem_content"),
      folded: true,
    },
    {
      title: "Expiry notices, archive, successor",
      fields: ["expiry_notices", "archived", "pinned", "replaced_by"],
      folded: true,
    },
  ],
  form: [
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
    "pem_content",
    "issuer_chain",
    "serial_number",
    "issuer",
    "valid_from",
    "valid_to",
    "fingerprint_sha256",
    "algorithm",
    "key_size",
    "sans",
  ],
  // Fields that contradict the PEM can be corrected.
  locked: ({ pem_content, pem_matches }) => pem_content === "" || pem_matches === false ? [] : FROM_PEM,
  help: {
    status: "",
    acme_auto_renewal: "",
    archived: "Lists, notices, calendars and reports leave it out, whatever its status.",
    pinned: "Lists, notices, calendars and reports keep it even if it is archived.",
    expiry_notices:
      "Days before the expiry (30d), or the share of the lifetime that is left (33%). Empty: as for its tenant.",
    pem_content: "Nothing else is needed: names, dates and key are read from it.",
    issuer_chain: "The certificates of its issuers.",
    private_key_location: "Where the private key is stored, never the key itself.",
    replaced_by: "The certificate that took over. Sets the status to replaced.",
    issuing_ca: "Leave empty to have it found by the issuer's key or name.",
    tags: "",
    tenant: "",
  },
  empty: "No certificates yet.",
};
