/** View of compliance policies. */

import { isGranted } from "../../../auth/mod.ts";
import { listText } from "../../../base/amounts.ts";
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
import {
  Badge,
  type Content,
  Copyable,
  Form,
  type Html,
  Icon,
  Joined,
  Time,
} from "../../kit/components/mod.ts";
import { type Fact, ObjectLink, type View } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { policyLead } from "./policy_page.tsx";
import { FailingShare } from "./score_bars.tsx";
import { requirementOf, RULE_TEXTS, textOf } from "./rule_texts.ts";
import { checksOf, mayCheckMany } from "./scope.ts";

type ListedPolicy = Policy & {
  readonly requires?: string;
  readonly applies_to?: boolean;
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
    ...(appliesToSome(row) ? { applies_to: true } : {}),
  }));
  if (!["failing", "checked"].some((name) => columns.includes(name))) return rows;
  if (rows.length === 0 || !isGranted(ctx, "view", checks.objectType)) return rows;
  const found = await policyResults({ ctx, policyIds: rows.map(({ id }) => id) });
  return rows.map((row) => ({ ...row, failing: found.get(row.id), checked: found.get(row.id)?.checked_at }));
}

function Failing({ row }: { row: ListedPolicy }): Html | string {
  const results = row.failing;
  if (results === undefined) return "";
  return (
    <>
      {row.enabled === false ? <Badge value="disabled" tone="plain" /> : null} {results.total_checks === 0
        ? row.enabled === false ? null : <span class="faint">not checked</span>
        : <FailingShare sum={results} path={checksOf(row.id, results.failed > 0 ? "fail" : undefined)} />}
    </>
  );
}

function Checked({ row }: { row: ListedPolicy }): Html | string {
  return typeof row.checked === "string" ? <Time at={row.checked} /> : "";
}

const KIND_NAMES: Readonly<Record<Kind, string>> = {
  server: "server",
  client: "client",
  ca: "CA",
  other: "other",
};

/** Returns whether a policy applies to all certificates but those of CAs. */
function hasUsualKinds(kinds: readonly Kind[]): boolean {
  return kinds.length === KINDS.length - 1 && !kinds.includes("ca");
}

/** Returns whether a policy applies to fewer certificates than others. */
function appliesToSome({ tenant, tags = [], kinds = [] }: Partial<Policy>): boolean {
  return tenant != null || tags.length > 0 || !hasUsualKinds(kinds);
}

/** Renders the certificates to which a policy applies: "Certificates of Harbor Bank with PCI DSS". */
function AppliesTo({ policy }: { policy: Policy }): Html {
  const { tenant, tags: some, kinds } = policy;
  const every = kinds.length === KINDS.length || hasUsualKinds(kinds);
  return (
    <>
      {!every
        ? capitalized(`${listText(kinds.map((kind) => KIND_NAMES[kind]), "and")} certificates`)
        : tenant === null && some.length === 0
        ? "All certificates"
        : "Certificates"}
      {tenant === null ? null : (
        <>
          {" of "}
          <ObjectLink brief={tenant} />
        </>
      )}
      {some.length === 0 ? null : (
        <>
          {" with "}
          <Joined items={some.map((tag) => <ObjectLink brief={tag} />)} separator=" or " />
        </>
      )}
      {hasUsualKinds(kinds) ? <span class="faint">, not of CAs</span> : null}
    </>
  );
}

/** Returns the button that runs a policy. */
function checkButton(call: Call, { id }: Pick<Policy, "id">): Content {
  if (!mayCheckMany(call)) return null;
  return (
    <Form call={call} action={`${objectPath(policies, id)}check/`} class="inline">
      <button type="submit">
        <Icon name="check" />Check now
      </button>
    </Form>
  );
}

function factsOf(policy: Policy): readonly Fact[] {
  return [
    ["Rule", textOf(policy.policy_type)?.name ?? policy.policy_type],
    ["Applies to", <AppliesTo policy={policy} />],
    ["Severity", <Badge value={policy.severity} />],
    [
      "Enabled",
      policy.enabled === true ? "yes" : "no: the report leaves it out, and only “Check now” runs it",
    ],
  ];
}

/** Renders the parameters as they are stored, folded. */
function Parameters({ policy: { policy_type, parameters } }: { policy: Policy }): Html {
  return (
    <details class="box">
      <summary>Rule as JSON</summary>
      <Copyable text={JSON.stringify({ policy_type, parameters }, null, 2)} label="Rule" />
    </details>
  );
}

export const policyView: View<ListedPolicy> = {
  resource: policies,
  heading: "Policies",
  columns: [
    {
      name: "requires",
      needs: ["policy_type", "parameters"],
      cell: ({ requires }) => <span class="wraps">{String(requires)}</span>,
      layout: ["p2", "wide-share"],
      under: ({ requires }) => String(requires),
    },
    "severity",
    { name: "failing", needs: ["enabled"], cell: (row) => <Failing row={row} />, layout: [] },
    {
      name: "applies_to",
      needs: ["tenant", "tags", "kinds"],
      cell: (row) => (
        <span class="wraps">
          <AppliesTo policy={row} />
        </span>
      ),
      layout: ["p3", "share"],
    },
    { name: "checked", label: "Last checked", cell: (row) => <Checked row={row} />, layout: ["p3"] },
    "policy_type",
    "enabled",
    "tenant",
    "tags",
    "description",
  ],
  usual: ["requires", "severity", "failing", "applies_to", "checked"],
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
    actions: checkButton(call, policy),
    lead: policyLead(call, policy),
    facts: factsOf(policy),
    without: ["description", "policy_type", "parameters", "severity", "enabled", "kinds", "tenant", "tags"],
    sections: <Parameters policy={policy} />,
  }),
};
