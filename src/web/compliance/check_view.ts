/** View of compliance results. */

import { checks } from "../../domain/compliance/mod.ts";
import type { ApiObject, View } from "../objects/mod.ts";

/** Results are written by runs, so they cannot be edited. */
export const checkView: View = {
  resource: checks,
  columns: ["certificate", "result", "severity", "policy", "checked_at"],
  filters: ["result", "severity", "policy_id", "policy_type"],
  title: { needs: ["message", "result"], of: ({ message, result }) => String(message || result) },
  unshown: ["message"],
  empty: "No compliance checks yet. Check certificates on their pages, or many at once in the list.",
  related: ({ certificate }: ApiObject) => [
    ["All results of this certificate", `/checks/?certificate_id=${(certificate as ApiObject).id}`],
  ],
};
