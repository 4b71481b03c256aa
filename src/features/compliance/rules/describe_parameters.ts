/** What each rule may be given, for whoever fills in a policy. */

import { z } from "zod";
import { POLICY_TYPES, type PolicyType, ruleOf } from "./mod.ts";

/** A rule's parameters with their defaults; undefined where a policy has to give one. */
export interface ParameterDescription {
  readonly type: PolicyType;
  readonly defaults: Readonly<Record<string, unknown>>;
}

let described: readonly ParameterDescription[] | undefined;

/** All rules, in their order. */
export function describeParameters(): readonly ParameterDescription[] {
  return described ??= POLICY_TYPES.map((type) => ({ type, defaults: defaultsOf(type) }));
}

function defaultsOf(type: PolicyType): Record<string, unknown> {
  const schema = z.toJSONSchema(ruleOf(type)?.parameters as z.ZodType, {
    io: "input",
    unrepresentable: "any",
  });
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map((
      [name, one],
    ) => [name, (one as { default?: unknown }).default]),
  );
}
