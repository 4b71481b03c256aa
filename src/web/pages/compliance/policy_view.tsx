/** Compliance policies: their list, and the page of one with its results. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText, percentText } from "../../../base/amounts.ts";
import {
  checks,
  policies,
  type Policy,
  POLICY_TYPES,
  type PolicyResults,
  policyResults,
  ruleOf,
} from "../../../domain/compliance/mod.ts";
import { type Kind, KINDS } from "../../../x509/mod.ts";
import type { Call } from "../../call.ts";
import { capitalized } from "../../messages.ts";
import { Badge, type Content, Section, Time } from "../../kit/components/mod.ts";
import { defineView, PostButton } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { FailingShare } from "./score_bars.tsx";
import { requirementOf, RULE_TEXTS, textOf } from "./rule_texts.ts";
import { checksOf, mayCheckMany, nextCheck, readUnchecked, uncheckedBy, uncheckedText } from "./scope.ts";

type ListedPolicy = Policy & {
  readonly requires?: string;
  readonly failing?: PolicyResults | undefined;
  readonly checked?: string | null | undefined;
};

/** Adds what policies require, and their results if the user may view any. Two statements. */
async function withResults(
  { ctx }: Call,
  given: readonly Policy[],
  columns: readonly string[],
): Promise<readonly ListedPolicy[]> {
  const rows = given.map((row) => ({
    ...row,
    ...(columns.includes("requires") ? { requires: requirementOf(row) } : {}),
  }));
  if (!["failing", "checked"].some((name) => columns.includes(name))) return rows;
  if (rows.length === 0 || !isGranted(ctx, "view", checks.objectType)) return rows;
  const found = await policyResults({ ctx, policyIds: rows.map(({ id }) => id) });
  return rows.map((row) => ({ ...row, failing: found.get(row.id), checked: found.get(row.id)?.checked_at }));
}

const KIND_NAMES: Readonly<Record<Kind, string>> = {
  server: "server",
  client: "client",
  ca: "CA",
  other: "other",
};

export const policyView = defineView<ListedPolicy>({
  resource: policies,
  columns: [
    {
      name: "requires",
      needs: ["policy_type", "parameters"],
      cell: ({ requires }) => <span class="wraps">{String(requires)}</span>,
      layout: ["p2", "folds", "wide-share"],
    },
    "severity",
    {
      name: "failing",
      needs: ["enabled"],
      cell: ({ id, enabled, failing: results }) =>
        results === undefined ? "" : (
          <>
            {enabled ? null : <Badge value="disabled" tone="plain" />} {results.total_checks > 0
              ? <FailingShare sum={results} path={checksOf(id, results.failed > 0 ? "fail" : undefined)} />
              : enabled
              ? <span class="faint">not checked</span>
              : null}
          </>
        ),
      layout: [],
    },
    {
      name: "checked",
      label: "Last checked",
      cell: ({ checked }) => checked ? <Time at={checked} /> : "",
      layout: ["p3"],
    },
    "tenant",
    "tags",
    "kinds",
    "policy_type",
    "enabled",
    "description",
  ],
  usual: ["requires", "severity", "failing", "tenant", "tags", "checked"],
  withMore: withResults,
  filters: ["policy_type", "severity", "enabled", "tenant_id"],
  form: {
    fields: [
      "name",
      "description",
      "policy_type",
      "parameters",
      "severity",
      "enabled",
      "kinds",
      "tenant",
      "tags",
    ],
  },
  parts: {
    field: "parameters",
    by: "policy_type",
    choices: () => POLICY_TYPES.map((type) => [type, RULE_TEXTS[type].name, RULE_TEXTS[type].about] as const),
    schemaOf: (type) => ruleOf(type)?.parameters,
  },
  fields: {
    kinds: {
      choices: () => KINDS.map((kind) => [kind, capitalized(KIND_NAMES[kind])] as const),
      help: "Which certificates are checked: a server's, a client's, those of CAs, or others.",
    },
    policy_type: { text: (type) => textOf(type)?.name ?? String(type) },
    description: { help: "" },
    severity: { help: "How much a failure matters." },
    enabled: { help: "Whether it is part of reports, scores and of checks of all policies." },
    tags: { help: "Only certificates with at least one of these tags are checked. Empty: all certificates." },
  },
  empty:
    "No policies yet. A policy defines a requirement, such as minimum key size, maximum validity or approved issuers.",
  detail: (call, policy) => ({
    actions: !mayCheckMany(call) ? null : (
      <PostButton
        call={call}
        action={`${objectPath(policies, policy.id)}check/`}
        label="Check now"
        icon="check"
      />
    ),
    lead: policyLead(call, policy),
    facts: [
      ["Rule", textOf(policy.policy_type)?.name ?? policy.policy_type],
      ["Severity", <Badge value={policy.severity} />],
      ["Enabled", policy.enabled ? "yes" : "no: the report leaves it out, and only “Check now” runs it"],
    ],
    without: ["description", "policy_type", "parameters", "severity", "enabled"],
  }),
});

/** Reads and renders the requirement and the results. Three statements. */
async function policyLead(call: Call, policy: Policy): Promise<Content> {
  const { ctx } = call;
  const { id } = policy;
  const requirement = (
    <div class="requirement">
      <p>
        <Badge value={policy.severity} />
        {policy.enabled ? null : <Badge value="disabled" tone="plain" />}
        <span>{requirementOf(policy)}</span>
      </p>
      {policy.description === "" ? null : <p class="faint">{policy.description}</p>}
    </div>
  );
  if (!isGranted(ctx, "view", checks.objectType)) return requirement;
  const [found, unchecked] = await Promise.all([
    policyResults({ ctx, policyIds: [id] }),
    readUnchecked(call, { unchecked: uncheckedBy(id), policyIds: [id] }),
  ]);
  const results = found.get(id);
  if (results === undefined) return requirement;
  const { total_checks: total, passed, failed, compliance_score: score, checked_at: at } = results;
  return (
    <>
      {requirement}
      <Section id="results" title="Results" class="card results">
        {total === 0 ? <p>No certificate has been checked yet.</p> : (
          <>
            <p class="rate">
              <strong>{percentText(score)}</strong>{" "}
              <a href={checksOf(id)}>
                {numberText(passed)} of {counted(total, "certificate passes", "certificates pass")}
              </a>
            </p>
            <p>
              {failed === 0
                ? "None fails."
                : <a href={checksOf(id, "fail")}>{counted(failed, "fails", "fail")}</a>}
              {at === null ? null : (
                <span class="faint">
                  {" · last checked "}
                  <Time at={at} />
                </span>
              )}
            </p>
          </>
        )}
        {unchecked === undefined || unchecked.count === 0 ? null : (
          <p>
            <a href={unchecked.path}>
              {counted(unchecked.count, "certificate is", "certificates are")} not checked
            </a>{" "}
            <span class="faint">({uncheckedText(unchecked)}{nextCheck(call)})</span>
          </p>
        )}
      </Section>
    </>
  );
}
