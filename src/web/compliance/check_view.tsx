/** View of compliance results. */

import { certificates } from "../../domain/certificates/mod.ts";
import { checks } from "../../domain/compliance/mod.ts";
import { Badge, truncate } from "../components/mod.ts";
import type { ApiObject, View } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";

/** Results are written by runs, so they cannot be edited. */
export const checkView: View = {
  resource: checks,
  heading: "Checks",
  columns: ["certificate", "result", "severity", "policy", "checked_at"],
  cells: {
    certificate: {
      label: "Certificate",
      needs: [],
      cell: ({ certificate }) => {
        const { id, common_name: name } = certificate as ApiObject;
        return (
          <a href={objectPath(certificates, id)} class="object">
            <bdi>{truncate(String(name))}</bdi>
          </a>
        );
      },
    },
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
  filters: ["result", "severity", "policy_id", "policy_type"],
  title: { needs: ["message", "result"], of: ({ message, result }) => String(message || result) },
  unshown: ["message"],
  empty: "No compliance checks yet. Check certificates on their pages, or many at once in the list.",
  related: ({ certificate }: ApiObject) => [
    ["All results of this certificate", `/checks/?certificate_id=${(certificate as ApiObject).id}`],
  ],
};
