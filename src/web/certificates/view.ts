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
    pinned: "It stays in them although it is archived.",
    expiry_notices:
      "When webhooks are notified: days before the expiry (30d; 0d is the day itself) and parts of the lifetime that are left (33%). Empty: as for its tenant, else as for the service.",
  },
  empty: "No certificates yet.",
};
