/** The rules, by the type of policy that applies them. They have no side effects. */

import type { z } from "zod";
import { algorithmAllowed, algorithmForbidden, minKeySize, signatureForbidden } from "./algorithms.ts";
import { chainRequired, noFindings, notDistrusted, notRevoked } from "./trust.ts";
import {
  expiryWarning,
  issuerAllowed,
  issuerForbidden,
  maxValidityDays,
  sanRequired,
  wildcardForbidden,
} from "./contents.ts";
import type { Rule } from "./types.ts";
import { rulesInForce, sctsPresent, usageAllowed, usageForbidden } from "./usages.ts";

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
  usageAllowed,
  usageForbidden,
  signatureForbidden,
  notDistrusted,
  rulesInForce,
  sctsPresent,
  notRevoked,
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

export type { CertificateFacts, RuleResult } from "./types.ts";

/** A parameter of a rule with its default, which is undefined if the parameter is required. */
interface ParameterDescription {
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
