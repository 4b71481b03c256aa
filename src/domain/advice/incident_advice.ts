/** What follows from incidents, and from revocations that suggest one. */

import { formatDatetime } from "../../base/clock.ts";
import { incidents } from "../incidents/mod.ts";
import { type CertificateFacts, SEVERAL_REVOKED } from "./certificate_facts.ts";
import { type Action, type CertificateAdvice, doing } from "./schema.ts";

/** The incidents that demand a replacement, or that of an authority that has revoked several certificates. */
export function incidentAdvice(facts: CertificateFacts, renewal: Action | null): CertificateAdvice[] {
  const { certificate: { issuer }, revokedTogether, now } = facts;
  const [demand, ...others] = facts.incidents.filter(({ state }) => state === "open");
  if (demand !== undefined) {
    const { id, name, deadline } = demand;
    const isLate = deadline !== null && deadline < now;
    return [{
      code: "in_incident",
      severity: isLate ? "critical" : "warning",
      params: {
        incident: id,
        name,
        deadline: deadline === null ? null : formatDatetime(deadline),
        is_late: isLate,
        others: others.map((other) => ({ incident: other.id, name: other.name })),
      },
      action: renewal,
    }];
  }
  return revokedTogether < SEVERAL_REVOKED ? [] : [{
    code: "issuer_revokes",
    severity: "warning",
    params: { revoked: revokedTogether, issuer },
    action: doing("add", incidents),
  }];
}
