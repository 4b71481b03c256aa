/** How certificates are shown where their pages are made from the definition: the form, and what the list asks for. */

import { certificates } from "../../domain/certificates/mod.ts";
import type { View } from "../objects/mod.ts";

/** The view. Its list and its page of one certificate are particular. */
export const certificateView: View = {
  resource: certificates,
  columns: [],
  filters: [
    "status",
    "expiry_status",
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
  ],
  form: [
    "common_name",
    "status",
    "tenant",
    "tags",
    "issuing_ca",
    "private_key_location",
    "acme_auto_renewal",
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
  empty: "No certificates yet.",
};
