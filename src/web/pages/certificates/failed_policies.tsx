/** The policies that a certificate would fail, before it is issued or stored. */

import { counted, numberText } from "../../../base/amounts.ts";
import { type CheckedPolicy, type FailedPolicy, policies } from "../../../domain/compliance/mod.ts";
import { type Html, Icon, Name } from "../../kit/components/mod.ts";
import { Text } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";

/** Number of policies that a list names. */
export const MAX_NAMED_POLICIES = 10;

/** Renders a warning with the policies and the reasons; nothing without any. `subject`: "The certificate". */
export function FailedPolicies(
  { subject, failed }: { subject: string; failed: readonly FailedPolicy[] },
): Html | null {
  if (failed.length === 0) return null;
  const others = failed.length - MAX_NAMED_POLICIES;
  return (
    <div class="flash warn">
      <Icon name="warning" />
      <div>
        <p>{subject} would fail {counted(failed.length, "policy", "policies")}:</p>
        <ul>
          {failed.slice(0, MAX_NAMED_POLICIES).map((policy) => (
            <li>
              <PolicyLink policy={policy} />: <Text text={policy.message} />
            </li>
          ))}
        </ul>
        {others > 0 ? <p>And {numberText(others)} more.</p> : null}
      </div>
    </div>
  );
}

export function PolicyLink({ policy: { id, name } }: { policy: CheckedPolicy }): Html {
  return <a href={objectPath(policies, id)}>{Name({ text: name })}</a>;
}
