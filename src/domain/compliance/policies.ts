/** Compliance policies: a rule, its parameters, and the certificates to which it applies. */

import { concerns, encoded, ofIssues } from "../../base/findings.ts";
import { z } from "zod";
import { compliance_policies as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  choicesField,
  defineResource,
  documented,
  json,
  type Out,
  text,
  toJsonSchema,
  unexpected,
  type WriteStep,
} from "../../resource/mod.ts";
import { KINDS } from "../../x509/mod.ts";
import { tagsField, tenantField } from "../inventory/mod.ts";
import { describeParameters, POLICY_TYPES, ruleOf } from "./rules/mod.ts";

const OBJECT_TYPE = "certmgr.compliancepolicy";

/** Severities of failures, most severe first. */
export const SEVERITIES = ["critical", "warning", "info"] as const;

const PARAMETERS = z.record(z.string(), z.unknown(), {
  error: ({ input }) => encoded(unexpected("an object", input)),
});

/** `certmgr.compliancepolicy`. No PATCH (specification, Resource collections). */
export const policies = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/compliance-policies",
  page: "policies",
  label: "compliance policy",
  labelPlural: "compliance policies",
  table,
  fields: [
    text("name", { description: "Name; unique.", required: true, max: 200 }),
    text("description", { description: "What it is for.", max: 1_000 }),
    choice("policy_type", { description: "The rule to apply.", choices: POLICY_TYPES, required: true }),
    choice("severity", { description: "Severity of a failure.", choices: SEVERITIES, fallback: "warning" }),
    boolean("enabled", { description: "Whether it runs when a request names no policies.", fallback: true }),
    json("parameters", {
      description: "Parameters of the rule; omitted ones have their defaults.",
      schema: documented(PARAMETERS, () => ({
        ...toJsonSchema(PARAMETERS),
        description: parametersDescription(),
      })),
      fallback: {},
    }),
    { ...tenantField(), description: "Only this tenant's certificates are checked; null: all." },
    {
      ...tagsField(OBJECT_TYPE),
      description: "Only certificates with at least one of these tags are checked; an empty list: all.",
    },
    choicesField("kinds", {
      table,
      description: "Kinds of certificates that are checked. By default, all but those of authorities (`ca`).",
      choices: KINDS,
      fallback: KINDS.filter((kind) => kind !== "ca"),
    }),
  ],
  brief: ["name", "policy_type", "severity"],
  search: { fields: ["name", "description"] },
  methods: { collection: ["GET", "POST", "PUT", "DELETE"], item: ["GET", "PUT", "DELETE"] },
  unique: ["name"],
  actions: ["manage_compliance"],
  written: { action: "manage_compliance", knownOnly: true },
  hooks: { prepare: validateParameters },
});

export type Policy = Out<typeof policies>;

/** Describes the parameters of each rule with their defaults, for the API document. */
function parametersDescription(): string {
  const rules = describeParameters().map(({ type, defaults }) => {
    const named = Object.entries(defaults).map(([name, value]) =>
      `\`${name}\` (${
        value === undefined
          ? "a list of texts, required"
          : Array.isArray(value)
          ? "a list of texts, default empty"
          : `a whole number, default ${value}`
      })`
    );
    return `\`${type}\`: ${named.join(", ") || "none"}`;
  });
  return `Parameters of the rule, an object. ${rules.join("; ")}. Others are refused.`;
}

/**
 * Checks the parameters of every draft that gives a type or parameters, and keeps them as they were given. If only the
 * type changes, the policy gets none, because parameters differ between types.
 */
function validateParameters({ drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) {
    const { input, before, errors } = draft;
    const type = input.policy_type ?? before?.policy_type;
    const rule = ruleOf(type);
    const given = "parameters" in input;
    if (rule === undefined || concerns(errors, "parameters") || !given && type === before?.policy_type) {
      continue;
    }
    const read = rule.parameters.safeParse(given ? input.parameters : {});
    if (read.success) {
      if (!given) input.parameters = {};
    } else errors.push(...ofIssues(read.error, "parameters"));
  }
  return Promise.resolve();
}
