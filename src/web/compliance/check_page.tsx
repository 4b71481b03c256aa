/** The page of a check: what was found, what the policy expects, and what to do about it. */

import { isGranted } from "../../auth/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { policies } from "../../domain/compliance/mod.ts";
import type { Call } from "../call.ts";
import { ageOf } from "../certificates/mod.ts";
import { Badge, type Content, type Html, Time } from "../components/mod.ts";
import { type ApiObject, ObjectLink, readRows } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { requirementOf, textOf } from "./rule_texts.ts";

/** Reads and renders the finding, the requirement of the policy as it is now, and the next step. Two statements. */
export async function checkLead(call: Call, check: ApiObject): Promise<Content> {
  const [policy, certificate] = await Promise.all([
    readOne(call, policies, check.policy, ["id", "policy_type", "parameters", "last_updated"]),
    readOne(call, certificates, check.certificate, ["id", "last_updated", "status"]),
  ]);
  const failed = check.result === "fail";
  const now = call.ctx.clock.now();
  const age = ageOf(check, { now, changed: [policy?.last_updated, certificate?.last_updated] });
  return (
    <div class="check-summary">
      <p>
        {failed ? <Badge value={String(check.severity)} /> : <Badge value="passed" />}{" "}
        <a href={objectPath(certificates, (check.certificate as ApiObject).id)}>
          <bdi>{String((check.certificate as ApiObject).common_name)}</bdi>
        </a>{" "}
        {failed ? "fails" : "passes"}{" "}
        {check.policy === null ? "a policy that you may not view" : <ObjectLink brief={check.policy} />}
        {age === undefined ? null : " · "}
        {age === undefined ? null : (
          <span class="faint">
            found <Time at={String(check.checked_at)} />,{" "}
            {age === "outdated" ? "before its last change" : age}
          </span>
        )}
      </p>
      <dl class="card">
        <div>
          <dt>Found</dt>
          <dd>{String(check.checked_value)}</dd>
        </div>
        <div>
          <dt>Expected</dt>
          <dd>{String(check.expected_value)}</dd>
          {policy === undefined ? null : <dd class="faint">{requirementOf(policy)}</dd>}
        </div>
        {failed ? <NextStep call={call} check={check} policy={policy} age={age} /> : null}
      </dl>
    </div>
  );
}

function NextStep(
  { call, check, policy, age }: {
    call: Call;
    check: ApiObject;
    policy: ApiObject | undefined;
    age: string | undefined;
  },
): Html {
  const text = textOf(policy?.policy_type ?? (check.policy as ApiObject | null)?.policy_type);
  const path = objectPath(certificates, (check.certificate as ApiObject).id);
  const isRenewal = text?.place === undefined;
  const href = isRenewal
    ? isGranted(call.ctx, "renew", certificates.objectType) ? `${path}renew/` : path
    : `${path}${text?.place}`;
  return (
    <div>
      <dt>Next step</dt>
      <dd>
        <a href={href}>{text?.fix ?? "See its certificate."}</a>
      </dd>
      <dd class="faint">
        {age === undefined ? "Then check it again." : "The result is old: check it again first."}
      </dd>
    </div>
  );
}

async function readOne(
  call: Call,
  resource: typeof policies,
  brief: unknown,
  fields: readonly string[],
): Promise<ApiObject | undefined> {
  if (brief === null || !isGranted(call.ctx, "view", resource.objectType)) return undefined;
  const params = {
    id: (brief as ApiObject).id,
    start: 0,
    limit: 1,
    ...(resource === certificates ? { archived: "any" } : {}),
  };
  return (await readRows(call, resource, { params, fields })).rows[0];
}
