/**
 * Compliance checks: the latest result of each policy for each certificate. Read-only; only compliance runs write
 * them.
 */

import { sql } from "drizzle-orm";
import { compliance_checks as table } from "../../db/schema/mod.ts";
import {
  choice,
  columnOf,
  datetime,
  defineResource,
  type Out,
  reference,
  type Resource,
  text,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { policies, SEVERITIES } from "./policies.ts";
import { POLICY_TYPES } from "./rules/mod.ts";

/**
 * `certmgr.compliancecheck`. Users who may view a certificate may also view its results. Results are not
 * changes: they have no change records, and are deleted with their certificate or policy without any.
 */
export const checks = defineResource({
  objectType: "certmgr.compliancecheck",
  path: "plugins/certmgr/compliance-checks",
  page: "checks",
  label: "compliance check",
  table,
  fields: [
    reference("policy", {
      description: "The policy; null if the caller may not view it.",
      target: (): Resource => policies,
      keys: ["name"],
      readOnly: true,
      onDelete: "drop",
    }),
    reference("certificate", {
      description: "The certificate that was checked.",
      target: (): Resource => certificates,
      keys: [],
      nullable: false,
      readOnly: true,
      onDelete: "drop",
    }),
    choice("result", { description: "Result of the check.", choices: ["pass", "fail"], readOnly: true }),
    choice("severity", {
      description: "Severity of the policy at the time of the check.",
      choices: SEVERITIES,
      readOnly: true,
    }),
    text("message", { description: "The result in a sentence.", readOnly: true }),
    text("checked_value", { description: "Value of the certificate.", readOnly: true }),
    text("expected_value", { description: "Value that the policy requires.", readOnly: true }),
    datetime("checked_at", { description: "Time of the check.", readOnly: true }),
  ],
  brief: ["result", "severity", "checked_at"],
  displayNeeds: ["result", "message"],
  display: (row) => `${row.result}: ${row.message}`,
  search: { fields: ["message"] },
  filters: {
    severity_rank: { kind: "integer", column: "severity_rank", nullable: false, sortable: true },
    certificate_valid_to: {
      kind: "datetime",
      column: "certificate_valid_to",
      nullable: false,
      sortable: true,
    },
    policy_enabled: {
      kind: "predicate",
      type: "boolean",
      condition: (value, { alias }) =>
        sql`${columnOf(alias, "policy_id")} IN (SELECT id FROM compliance_policies WHERE enabled = ${
          value ? 1 : 0
        })`,
    },
    policy_type: {
      kind: "predicate",
      type: "choice",
      choices: POLICY_TYPES,
      condition: (value, { alias, shown }) => {
        const policy = `${alias}_policy`;
        const seen = shown(policies.map, policy);
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

export type Check = Out<typeof checks>;
