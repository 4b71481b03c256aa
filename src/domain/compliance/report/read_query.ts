/** Reads the parameters of a report. */

import { addFinding, ALL_FIELDS, type Finding, finding } from "../../../base/findings.ts";
import { authorize, type Context } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { type Condition, mapIn, parseQuery } from "../../../filters/mod.ts";
import { quote, readPaging } from "../../../resource/mod.ts";
import { SET_ASIDE } from "../../certificates/mod.ts";
import { checks } from "../checks.ts";

/** Formats of a report. */
export const REPORT_FORMATS = ["json", "csv"] as const;

/** The parameters of a report. */
export interface ReportQuery {
  /** The filter of checks. */
  readonly filter: Condition;
  /**
   * Whether archived certificates count: only if the parameters name certificates or request archived ones.
   */
  readonly withArchived: boolean;
  /** Whether the parameters name policies; only then disabled ones count. */
  readonly namesPolicies: boolean;
  /** The checks that are counted, as parameters of the list of checks. */
  readonly listed: URLSearchParams;
  /** The page of failing certificates. */
  readonly limit: number;
  readonly offset: number;
  readonly format: typeof REPORT_FORMATS[number];
}

/** These filters apply to the check's certificate, because a check has no tenant, owner or status. */
const ALIASES: Readonly<Record<string, string>> = {
  tenant_id: "certificate__tenant_id",
  owner: "certificate__owner",
  has_owner: "certificate__has_owner",
  status: "certificate__status",
};
/** The filter of checks for certificates in use. */
const IN_USE = "certificate__in_use";
/** The value of `status` for certificates of every status. */
export const ANY_STATUS = "any";
/**
 * Parameters that are not filters. `brief` and `exclude` have no effect, but NetBox's clients may send them
 * with any request.
 */
const RESERVED: ReadonlySet<string> = new Set(["limit", "offset", "format", "brief", "exclude"]);

/**
 * Reads the parameters of a report: every filter of checks, `tenant_id`, `owner`, `has_owner` and `status`.
 * Without a status, only certificates in use count, unless the parameters name certificates. Errors:
 * forbidden, invalid (by parameter).
 */
export function readReportQuery(params: URLSearchParams, ctx: Context): ReportQuery {
  authorize(ctx, "view", checks.map);
  const renamed = new URLSearchParams([
    ...[...params].filter(([name]) => name !== "status").map(([name, value]) => [aliasOf(name), value]),
    ...certificateScope(params),
  ]);
  const parsed = parseQuery(renamed, mapIn(ctx, checks.map), { reserved: RESERVED });
  const errors = parsed.errors.map(({ field = ALL_FIELDS, ...one }): Finding => {
    const given = Object.keys(ALIASES).find((alias) => ALIASES[alias] === field && params.has(alias));
    return { ...one, field: given ?? field };
  });
  const { limit, offset } = readPaging(params, errors, ctx);
  const format = readFormat(params.get("format"), errors);
  if (errors.length > 0) throw invalid(errors);
  const selection = selectionOf(params);
  const listed = new URLSearchParams([...renamed].filter(([name]) => !RESERVED.has(name)));
  addSelection(listed, selection);
  return { filter: parsed.condition, ...selection, listed, limit, offset, format };
}

/** Adds parameters to those of a list of checks, so that it selects the checks that the report counts. */
export function addReportFilters(params: URLSearchParams): void {
  const [scope, selection] = [certificateScope(params), selectionOf(params)];
  for (const [name, value] of scope) params.append(name, value);
  addSelection(params, selection);
}

type Selection = Pick<ReportQuery, "namesPolicies" | "withArchived">;

function selectionOf(params: URLSearchParams): Selection {
  return {
    namesPolicies: ["policy", "policy_id"].some((name) => params.has(name)),
    withArchived: [...params.keys()].some((name) =>
      namesCertificates(name) || name.startsWith(`certificate__${SET_ASIDE.filter}`)
    ),
  };
}

function addSelection(listed: URLSearchParams, { namesPolicies, withArchived }: Selection): void {
  if (!namesPolicies && !listed.has("policy_enabled")) listed.set("policy_enabled", "true");
  if (!withArchived && !listed.has(IN_USE)) listed.set(`certificate__${SET_ASIDE.filter}`, "false");
}

/** Returns the filters of checks by the status of their certificates, by default for certificates in use. */
function certificateScope(params: URLSearchParams): readonly [name: string, value: string][] {
  const given = params.getAll("status");
  if (given.includes(ANY_STATUS)) return [];
  if (given.length > 0) return given.map((status) => [aliasOf("status"), status]);
  return [...params.keys()].some(namesCertificates) ? [] : [[IN_USE, "true"]];
}

function namesCertificates(name: string): boolean {
  return ["certificate", "certificate_id", "certificate__id"].includes(name) ||
    name === IN_USE || name.startsWith(aliasOf("status"));
}

function aliasOf(name: string): string {
  const [first = ""] = name.split("__");
  const alias = Object.hasOwn(ALIASES, first) ? ALIASES[first] : undefined;
  return alias === undefined ? name : alias + name.slice(first.length);
}

function readFormat(given: string | null, errors: Finding[]): ReportQuery["format"] {
  const format = REPORT_FORMATS.find((one) => one === (given || "json"));
  if (format !== undefined) return format;
  addFinding(errors, "format", finding("expected_one_of", { choices: REPORT_FORMATS, value: quote(given) }));
  return "json";
}
