/** Validates the parameters of policies by the schema of their rule, which also fills in defaults. */

import { issueMessages, refuse, type WriteStep } from "../../resource/mod.ts";
import { ruleOf } from "./rules/mod.ts";

/**
 * Parses the parameters of every draft that gives a type or parameters. If only the type changes, the policy
 * gets the defaults of the new type, because parameters differ between types.
 */
export function validateParameters({ drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) {
    const { input, before, errors } = draft;
    const type = input.policy_type ?? before?.policy_type;
    const rule = ruleOf(type);
    const given = "parameters" in input;
    if (rule === undefined || errors.parameters !== undefined || !given && type === before?.policy_type) {
      continue;
    }
    const read = rule.parameters.safeParse(given ? input.parameters : {});
    if (read.success) input.parameters = read.data;
    else for (const message of issueMessages(read.error)) refuse(draft, "parameters", message);
  }
  return Promise.resolve();
}
