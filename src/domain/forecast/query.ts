/** The parameters and the shape of a forecast. */

import { z } from "zod";
import { authorize, type Context } from "../../auth/mod.ts";
import { type Millis, parseDatetime } from "../../base/clock.ts";
import { invalid } from "../../base/errors.ts";
import { addFinding, type Finding, finding } from "../../base/findings.ts";
import { type Condition, mapIn, parseQuery } from "../../filters/mod.ts";
import { BRIEF, quote, unexpected, withoutSetAside } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";

/** Maximum number of months of a forecast, and of months after the current one: each renewal until then is computed. */
const MAX_MONTHS = 120;
/** January 1970. */
const FIRST_MONTH = 1970 * 12;
const DEFAULT_MONTHS = 37;
/** Part of the lifetime after which certificates are renewed by default: two thirds. */
const RENEW_AT = 0.67;

export const FORECAST_GROUPS = ["month", "owner", "tenant", "issuer"] as const;
export const FORECAST_PARAMETERS = ["from", "to", "by", "renew_at"] as const;

const Counts = {
  due: z.int().describe("Certificates in use that expire in it, as they are."),
  renewals: z.int().describe("Renewals, if each certificate is renewed again and again."),
  manual: z.int().describe("Those of certificates whose `automation` is `manual` or `unknown`."),
};

export const Forecast = z.object({
  renew_at: z.number(),
  rates: z.array(z.object({
    from: z.string().describe("The first month: the next one, then each in which a rule changes."),
    renewals: z.int().describe("Renewals per month until the next entry."),
    manual: Counts.manual,
  })),
  periods: z.array(z.object({ period: z.string().describe("A month, `2027-03`."), ...Counts })),
  groups: z.array(z.object({
    owner: BRIEF.nullable().optional(),
    tenant: BRIEF.nullable().optional(),
    issuer: z.string().nullable().optional(),
    ...Counts,
  })).describe(
    "Sums by `by`, the most renewals first; empty by month. Those without a visible object are under null.",
  ),
});
export type Forecast = z.infer<typeof Forecast>;

export interface ForecastQuery {
  readonly filter: Condition;
  /** The first month, counted from the year 0. */
  readonly first: number;
  readonly months: number;
  readonly by: typeof FORECAST_GROUPS[number];
  readonly renewAt: number;
}

/** Reads the parameters of a forecast: those of its own, and the filters of certificates. Errors: forbidden, invalid. */
export function readForecastQuery(params: URLSearchParams, ctx: Context): ForecastQuery {
  authorize(ctx, "view", certificates.map);
  const { condition, errors } = parseQuery(params, mapIn(ctx, certificates.map), {
    reserved: new Set(FORECAST_PARAMETERS),
  });
  const current = monthNumber(ctx.clock.now());
  const latest = current + MAX_MONTHS - 1;
  const first = readMonth(params, "from", { errors, earliest: FIRST_MONTH, latest }) ?? current;
  const end = Math.min(first + MAX_MONTHS - 1, latest);
  const last = readMonth(params, "to", { errors, earliest: first, latest: end }) ??
    Math.min(first + DEFAULT_MONTHS - 1, end);
  const by = FORECAST_GROUPS.find((one) => one === (params.get("by") ?? "month"));
  if (by === undefined) {
    addFinding(
      errors,
      "by",
      finding("expected_one_of", { choices: FORECAST_GROUPS, value: quote(params.get("by")) }),
    );
  }
  const renewAt = Number(params.get("renew_at") ?? RENEW_AT);
  if (!(renewAt >= 0.1 && renewAt <= 1)) {
    addFinding(errors, "renew_at", unexpected("a number from 0.1 to 1", params.get("renew_at")));
  }
  if (by === undefined || errors.length > 0) throw invalid(errors);
  const filter = withoutSetAside(certificates, condition, params.keys());
  return { filter, first, months: last - first + 1, by, renewAt };
}

/** Reads a month as the number of months since the year 0. */
function readMonth(
  params: URLSearchParams,
  name: string,
  { errors, earliest, latest }: { errors: Finding[]; earliest: number; latest: number },
): number | undefined {
  const given = params.get(name);
  if (given === null || given === "") return undefined;
  if (/^\d{4}-\d{2}$/.test(given) && parseDatetime(`${given}-01`) !== undefined) {
    const month = Number(given.slice(0, 4)) * 12 + Number(given.slice(5)) - 1;
    if (month >= earliest && month <= latest) return month;
  }
  addFinding(
    errors,
    name,
    unexpected(`a month from ${monthName(earliest)} to ${monthName(latest)}`, given),
  );
  return undefined;
}

/** Returns the month of a time as the number of months since the year 0. */
export function monthNumber(at: Millis): number {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns the first time of a month. */
export function monthStart(month: number): Millis {
  return Date.UTC(Math.floor(month / 12), month % 12, 1);
}

/** Returns `2027-03` for a number of months. */
export function monthName(month: number): string {
  return `${Math.floor(month / 12)}-${String(month % 12 + 1).padStart(2, "0")}`;
}
