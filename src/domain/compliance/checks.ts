/** Compliance checks: the latest result of each policy on each certificate. Written by runs, by nothing else. */

import { sql } from "drizzle-orm";
import { compliance_checks as table } from "../../db/schema/mod.ts";
import {
  choice,
  columnOf,
  datetime,
  defineResource,
  id,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { policies, SEVERITIES } from "./policies.ts";
import { POLICY_TYPES } from "./rules/mod.ts";

/**
 * `certmgr.compliancecheck`. A result is part of its certificate: it is there only for those who may view that too.
 * Results are no edits, so they have no change records, and go with their certificate or policy without any.
 */
export const checks: Resource = defineResource({
  objectType: "certmgr.compliancecheck",
  path: "plugins/certmgr/compliance-checks",
  label: "compliance check",
  table,
  fields: [
    id(),
    reference("policy", {
      description: "The policy; null where the caller may not see it.",
      target: () => policies,
      keys: ["name"],
      readOnly: true,
      onDelete: "drop",
    }),
    reference("certificate", {
      description: "The certificate that was judged.",
      target: () => certificates,
      keys: [],
      nullable: false,
      readOnly: true,
      onDelete: "drop",
    }),
    choice("result", { description: "What was found.", choices: ["pass", "fail"], readOnly: true }),
    choice("severity", {
      description: "The policy's severity at that time.",
      choices: SEVERITIES,
      readOnly: true,
    }),
    text("message", { description: "The finding in a sentence.", readOnly: true }),
    text("checked_value", { description: "What the certificate has.", readOnly: true }),
    text("expected_value", { description: "What the policy wants.", readOnly: true }),
    datetime("checked_at", { description: "When it was judged.", readOnly: true }),
    ...timestamps(),
  ],
  brief: ["result", "severity", "checked_at"],
  displayNeeds: ["result", "message"],
  display: (row) => `${row.result}: ${row.message}`,
  searchFields: ["message"],
  filters: {
    policy_type: {
      kind: "predicate",
      type: "choice",
      choices: POLICY_TYPES,
      condition: (value, { alias, shown }) => {
        const policy = `${alias}_policy`;
        const seen = shown(policies.objectType, policy);
        return sql`${columnOf(alias, "policy_id")} IN (SELECT id FROM compliance_policies AS ${
          sql.identifier(policy)
        } WHERE policy_type = ${value}${seen === undefined ? sql`` : sql` AND ${seen}`})`;
      },
    },
  },
  methods: { collection: ["GET"], item: ["GET"] },
  within: "certificate",
  untracked: true,
});
