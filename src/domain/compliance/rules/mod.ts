/** The rules, by the type of policy that applies them. They have no side effects. */

import type { z } from "zod";
import { algorithmAllowed, algorithmForbidden } from "./algorithms.ts";
import { chainRequired } from "./chain_required.ts";
import { expiryWarning } from "./expiry_warning.ts";
import { issuerAllowed } from "./issuer_allowed.ts";
import { issuerForbidden } from "./issuer_forbidden.ts";
import { maxValidityDays } from "./max_validity_days.ts";
import { minKeySize } from "./min_key_size.ts";
import { noFindings } from "./no_findings.ts";
import { sanRequired } from "./san_required.ts";
import type { Rule } from "./types.ts";
import { wildcardForbidden } from "./wildcard_forbidden.ts";

const ALL = [
  minKeySize,
  maxValidityDays,
  algorithmAllowed,
  algorithmForbidden,
  expiryWarning,
  chainRequired,
  sanRequired,
  wildcardForbidden,
  issuerAllowed,
  issuerForbidden,
  noFindings,
] as const;

/** The types of policies: one for each rule. */
export type PolicyType = typeof ALL[number]["type"];

/** Every {@link PolicyType}. */
export const POLICY_TYPES: readonly PolicyType[] = ALL.map((one) => one.type);

const BY_TYPE: ReadonlyMap<string, Rule> = new Map(ALL.map((one) => [one.type, one]));

/** Returns the rule of a type; undefined for an unknown type. */
export function ruleOf(type: unknown): Rule | undefined {
  return typeof type === "string" ? BY_TYPE.get(type) : undefined;
}

export type { CertificateFacts, RequestFacts, RuleResult } from "./types.ts";

/** A parameter of a rule with its default, which is undefined if the parameter is required. */
export interface ParameterDescription {
  readonly type: PolicyType;
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** Describes the parameters of all rules, in their order. */
export function describeParameters(): ParameterDescription[] {
  return ALL.map(({ type, parameters }) => ({ type, defaults: defaultsOf(parameters.shape) }));
}

function defaultsOf(shape: Readonly<Record<string, z.ZodType>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, schema.safeParse(undefined).data]),
  );
}
