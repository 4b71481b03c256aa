/** View of compliance results. */

import { checks } from "../../domain/compliance/mod.ts";
import { Badge } from "../components/mod.ts";
import type { ApiObject, View } from "../objects/mod.ts";

/** Results are written by runs, so they cannot be edited. */
export const checkView: View = {
  resource: checks,
  heading: "Checks",
  nameLabel: "Certificate",
  listName: {
    needs: ["certificate"],
    of: ({ certificate }) => String((certificate as ApiObject).common_name),
  },
  columns: ["result", "severity", "policy", "checked_at"],
  sentences: { result: "message" },
  cells: {
    // What passes needs no attention, however severe a failure would be.
    severity: {
      label: "Severity",
      needs: ["result"],
      cell: ({ severity, result }) => (
        <Badge value={String(severity)} {...(result === "fail" ? {} : { tone: "plain" as const })} />
      ),
    },
  },
  tabs: [["Failing", { result: "fail" }]],
  opensFirstTab: true,
  filters: ["result", "severity", "policy_id", "policy_type"],
  title: { needs: ["message", "result"], of: ({ message, result }) => String(message || result) },
  unshown: ["message"],
  empty: "No compliance checks yet. Check certificates on their pages, or many at once in the list.",
  related: ({ certificate }: ApiObject) => [
    ["All results of this certificate", `/checks/?certificate_id=${(certificate as ApiObject).id}`],
  ],
};
