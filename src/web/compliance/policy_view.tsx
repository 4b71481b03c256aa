/** View of compliance policies. */

import { describeParameters, policies } from "../../domain/compliance/mod.ts";
import type { Html } from "../components/mod.ts";
import type { View } from "../objects/mod.ts";

export const policyView: View = {
  resource: policies,
  columns: ["policy_type", "severity", "enabled", "tenant", "tags"],
  filters: ["policy_type", "severity", "enabled", "tenant_id"],
  form: ["name", "description", "policy_type", "parameters", "severity", "enabled", "tenant", "tags"],
  notes: { parameters: () => <ParameterHelp /> },
  empty:
    "No policies yet. A policy defines a requirement, such as minimum key size, maximum validity or approved issuers.",
  related: ({ id }) => [
    ["Results", `/checks/?policy_id=${id}`],
    ["Failures", `/checks/?policy_id=${id}&result=fail`],
    ["Report", `/compliance/?policy_id=${id}`],
  ],
};

/** Renders the parameters of each type. */
function ParameterHelp(): Html {
  return (
    <details class="box field">
      <summary>Parameters of each type</summary>
      <dl class="examples">
        {describeParameters().map(({ type, defaults }) => (
          <>
            <dt>{type.replaceAll("_", " ")}</dt>
            <dd>
              <Parameters defaults={defaults} />
            </dd>
          </>
        ))}
      </dl>
    </details>
  );
}

function Parameters({ defaults }: { defaults: Readonly<Record<string, unknown>> }): Html {
  const names = Object.keys(defaults);
  if (names.length === 0) return <span class="faint">none</span>;
  const open = names.filter((name) => defaults[name] === undefined);
  return open.length === 0
    ? (
      <>
        <code>{JSON.stringify(defaults)}</code> by default
      </>
    )
    : (
      <>
        <code>{JSON.stringify(Object.fromEntries(open.map((name) => [name, ["…"]])))}</code>, required
      </>
    );
}
