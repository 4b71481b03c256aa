/** How the results of policies are shown. */

import { checks } from "../../domain/compliance/mod.ts";
import type { ApiObject, View } from "../objects/mod.ts";

/** The view. Results are written by runs: nothing can be changed here. */
export const checkView: View = {
  resource: checks,
  columns: ["certificate", "result", "severity", "policy", "checked_at"],
  filters: ["result", "severity", "policy_id", "policy_type"],
  title: { needs: ["message", "result"], of: ({ message, result }) => String(message || result) },
  unshown: ["message"],
  empty:
    "Nothing has been checked yet. Certificates are checked when somebody asks: on their pages, in their list.",
  related: ({ certificate }: ApiObject) => [
    ["All results of the certificate", `/checks/?certificate_id=${(certificate as ApiObject).id}`],
  ],
};
