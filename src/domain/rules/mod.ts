/**
 * Rules of root programs and of the CA/Browser Forum for publicly trusted certificates, as dated data: how long
 * certificates and validations of domains may last, and which usages may be combined.
 */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ValidityRule } from "../../auth/mod.ts";
import { DAY_MS, type Millis, parseDatetime } from "../../base/clock.ts";
import { invalidField } from "../../base/errors.ts";
import { andAll } from "../../db/mod.ts";
import { columnOf, type FilterField, type PredicateContext } from "../../filters/mod.ts";
import type { Usage } from "../../x509/mod.ts";
import shippedData from "./rules_data.json" with { type: "json" };

/** Maximum size of a file with rules in bytes. */
export const MAX_RULES_FILE_BYTES = 1_000_000;

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/).refine((text) => parseDatetime(text) !== undefined, {
  error: "Expected a date such as 2027-03-15",
});

export const RuleSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,100}$/).describe(
    "The rule. One entry for each date on which it changes.",
  ),
  applies_to: z.enum(["server_auth", "code_signing", "email_protection"]).describe(
    "The usage of the publicly trusted certificates to which it applies.",
  ),
  organizations: z.array(z.string().min(1).max(200)).min(1).max(100).optional().describe(
    "Organizations of the issuers to which it applies, as certificates have them; all if there are none.",
  ),
  from: day.describe("Date of issue from which it applies."),
  max_days: z.int().positive().nullable().describe("Maximum number of days; null where it is no duration."),
  effect: z.string().max(1_000),
  source: z.string().max(1_000),
}).refine(({ organizations, max_days }) => organizations === undefined || max_days === null, {
  path: ["organizations"],
  error: "Expected none for a rule with max_days",
});

const CLIENT_AUTH = "public-client-auth";
const SHORT_LIVED = "br-short-lived";
/** Rules whose days are not the lifetime of a certificate, so that no certificate breaks them. */
const OTHER_DAYS = ["br-dcv-reuse", SHORT_LIVED];

/** Returns whether a rule limits the lifetime of a certificate, if it has a number of days. */
export function isLifetime(name: string): boolean {
  return name !== CLIENT_AUTH && !OTHER_DAYS.includes(name);
}

/** Returns whether a certificate can break a rule. */
export function isBreakable({ name, max_days }: Pick<ValidityRule, "name" | "max_days">): boolean {
  return name === CLIENT_AUTH || isLifetime(name) && max_days !== null;
}

/** The rules of this release. */
export const SHIPPED_RULES: readonly ValidityRule[] = z.array(RuleSchema).parse(shippedData);

/** Reads the text of a file that replaces the rules. Throws an Error that names the first fault. */
export function readRulesFile(content: string): readonly ValidityRule[] {
  const { data, error } = z.array(RuleSchema).min(1).safeParse(JSON.parse(content));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join(".") || "The file"}: ${issue?.message}.`);
}

/**
 * Returns the entry of each rule that is in force for certificates that are issued at a time: those for all issuers, and
 * those for some issuers that began later.
 */
export function rulesAt<Dated extends Pick<ValidityRule, "name" | "from" | "organizations">>(
  rules: readonly Dated[],
  at: Millis,
): Dated[] {
  const latest = new Map<string, Dated>();
  const begun = rules.filter((rule) => startOf(rule) <= at);
  for (const rule of begun.filter(({ organizations }) => organizations === undefined)) {
    const known = latest.get(rule.name);
    if (known === undefined || known.from < rule.from) latest.set(rule.name, rule);
  }
  const own = begun.filter(({ name, from, organizations }) =>
    organizations !== undefined && from > (latest.get(name)?.from ?? "")
  );
  return [...latest.values(), ...own];
}

/** The facts about a certificate that rules need. */
export interface RuledCertificate {
  /** Distinguished name (RFC 4514). */
  readonly issuer: string;
  readonly usages: readonly Usage[];
  readonly validFrom: Millis;
  readonly validTo: Millis;
  readonly publiclyTrusted: boolean | null;
}

/** Returns the rules that a publicly trusted certificate breaks if it is issued at a time as it is. */
export function brokenRules(
  certificate: RuledCertificate,
  { rules, at }: { rules: readonly ValidityRule[]; at: Millis },
): ValidityRule[] {
  const { usages, publiclyTrusted, issuer } = certificate;
  if (publiclyTrusted !== true || usages.includes("ca")) return [];
  return rulesAt(rules, at).filter((rule) => {
    if (!usages.includes(rule.applies_to)) return false;
    if (rule.organizations?.every((name) => !`, ${issuer},`.includes(organizationIn(name)))) return false;
    if (rule.name === CLIENT_AUTH) return usages.includes("client_auth");
    return isLifetime(rule.name) && rule.max_days !== null &&
      lifetimeDays(certificate) > rule.max_days;
  });
}

/**
 * Returns the validity period in days, rounded up: a day is 86,400 seconds, a fraction counts as a day (BR 6.3.2), and
 * the last second is included (RFC 5280 §4.1.2.5).
 */
export function lifetimeDays(
  { validFrom, validTo }: Pick<RuledCertificate, "validFrom" | "validTo">,
): number {
  return Math.ceil((validTo - validFrom + 1_000) / DAY_MS);
}

/** Returns the text of an organization in a name between `, ` and `,`. */
function organizationIn(name: string): string {
  return `, O=${name.replaceAll(",", "\\,")},`;
}

/** Returns whether a certificate is so short-lived, by the rule of the day of its issue, that it needs no revocation. */
export function isShortLived(
  rules: readonly ValidityRule[],
  certificate: Pick<RuledCertificate, "validFrom" | "validTo">,
): boolean {
  const limit = rulesAt(rules, certificate.validFrom).find(({ name }) => name === SHORT_LIVED)?.max_days ?? 0;
  return lifetimeDays(certificate) <= limit;
}

function startOf({ from }: Pick<ValidityRule, "from">): Millis {
  return parseDatetime(from) ?? 0;
}

/**
 * Returns `breaks_rule` and `rule_date`: a publicly trusted certificate in use breaks the rule that is in force on the
 * date, like {@link brokenRules}.
 * @param inUse The condition for certificates in use, which cannot be imported here.
 */
export function breaksRuleFilters(
  inUse: (context: PredicateContext) => SQL,
): Readonly<Record<"breaks_rule" | "rule_date", FilterField>> {
  return {
    breaks_rule: {
      kind: "predicate",
      type: "choice",
      choices: [...new Set(SHIPPED_RULES.map(({ name }) => name))],
      // A file has rules of its own.
      isOpen: true,
      qualifiedBy: "rule_date",
      description:
        "Is in use, and could not be issued again as it is at `rule_date` (default: now) because of the rule",
      condition(value: string, context): SQL {
        const [name = "", date = ""] = value.split("@");
        const choices = [...new Set([...SHIPPED_RULES, ...context.rules].map((one) => one.name))];
        if (!choices.includes(name)) {
          throw invalidField("breaks_rule", "expected_one_of", { choices, value: JSON.stringify(name) });
        }
        const inForce = rulesAt(context.rules, parseDatetime(date) ?? context.now)
          .filter((one) => one.name === name);
        if (inForce.length === 0) return sql`0`;
        const column = (name: string): SQL => columnOf(context.alias, name);
        const hasUsage = (usage: string): SQL => sql`instr(${column("usages")}, ${`"${usage}"`}) > 0`;
        const broken = inForce.map(({ max_days, applies_to, organizations }) => {
          const limited = name === CLIENT_AUTH
            ? hasUsage("client_auth")
            : max_days === null || !isLifetime(name)
            ? sql`0`
            : sql`${column("valid_to")} - ${column("valid_from")} + 1000 > ${max_days * DAY_MS}`;
          const issued = organizations?.map((one) =>
            sql`instr(', ' || ${column("issuer")} || ',', ${organizationIn(one)}) > 0`
          );
          return andAll(hasUsage(applies_to), limited, issued && sql`(${sql.join(issued, sql` OR `)})`);
        });
        return sql`${column("publicly_trusted")} = 1 AND (${sql.join(broken, sql` OR `)})
          AND NOT ${hasUsage("ca")} AND ${inUse(context)}`;
      },
    },
    rule_date: {
      kind: "predicate",
      type: "datetime",
      description: "The date for `breaks_rule`; selects nothing by itself",
      condition: () => sql`1`,
    },
  };
}
