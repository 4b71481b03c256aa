/** View of compliance policies. */

import {
  addReportFilters,
  policies,
  POLICY_TYPES,
  type PolicyType,
  ruleOf,
} from "../../domain/compliance/mod.ts";
import type { View } from "../objects/mod.ts";

/** Names of the types of policies, and the conditions of a failure. */
const TYPES: Readonly<Record<PolicyType, readonly [name: string, about: string]>> = {
  min_key_size: ["Minimum key size", "Keys with fewer bits fail."],
  max_validity_days: ["Maximum validity", "Certificates that are valid for more days fail."],
  algorithm_allowed: ["Allowed algorithms", "Keys of other algorithms fail."],
  algorithm_forbidden: ["Forbidden algorithms", "Keys of these algorithms fail."],
  expiry_warning: ["Renewal in time", "Certificates that expire within some days fail."],
  chain_required: [
    "Complete chain",
    "Certificates without their intermediates, or with an invalid chain, fail.",
  ],
  san_required: ["Alternative names", "Certificates with fewer subject alternative names fail."],
  wildcard_forbidden: ["No wildcards", "Certificates with a wildcard name fail."],
  issuer_allowed: ["Allowed issuers", "Certificates of other issuers fail."],
  issuer_forbidden: ["Forbidden issuers", "Certificates of these issuers fail."],
  no_findings: ["No findings", "Certificates that are malformed or unusual fail."],
};

export const policyView: View = {
  resource: policies,
  heading: "Policies",
  columns: ["policy_type", "severity", "enabled", "tenant", "tags"],
  filters: ["policy_type", "severity", "enabled", "tenant_id"],
  form: ["name", "description", "policy_type", "parameters", "severity", "enabled", "tenant", "tags"],
  parts: {
    field: "parameters",
    by: "policy_type",
    choices: () => POLICY_TYPES.map((type) => [type, ...TYPES[type]] as const),
    schemaOf: (type) => ruleOf(type)?.parameters,
  },
  texts: {
    policy_type: (type) => TYPES[type as PolicyType]?.[0] ?? String(type),
  },
  help: {
    description: "",
    severity: "How much a failure matters.",
    enabled: "Whether it is part of the daily run and of checks of all policies.",
    tags: "Only certificates with at least one of these tags are checked. Empty: all certificates.",
  },
  empty:
    "No policies yet. A policy defines a requirement, such as minimum key size, maximum validity or approved issuers.",
  related: ({ id }) => [
    ["Results", `/checks/?policy_id=${id}`, addReportFilters],
    ["Failures", `/checks/?policy_id=${id}&result=fail`, addReportFilters],
    ["Report", `/compliance/?policy_id=${id}`],
  ],
};
