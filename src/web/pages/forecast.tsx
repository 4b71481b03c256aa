/** The page of the forecast: renewals per month, by whom, and what could not be issued again. */

import { numberText } from "../../base/amounts.ts";
import { download } from "../../base/download.ts";
import { AppError } from "../../base/errors.ts";
import { BY_HAND, certificates } from "../../domain/certificates/mod.ts";
import { type Forecast, loadForecast, monthName, readForecastQuery } from "../../domain/forecast/mod.ts";
import type { Call, Route } from "../call.ts";
import {
  Choice,
  type Content,
  EmptyState,
  ErrorSummary,
  type Html,
  Icon,
  Section,
  Table,
  withQuery,
} from "../kit/components/mod.ts";
import {
  activeFilters,
  cleanListUrl,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  loadFilters,
} from "../kit/mod.ts";
import { fieldErrorsOf } from "../messages.ts";
import { page } from "../shell/mod.ts";
import { brokenRules, inUse } from "./forecast_rules.tsx";
import { Chart, monthFilter, monthLabel, type Span } from "./dashboard/charts.tsx";

export const forecastRoutes: readonly Route[] = [
  { method: "GET", path: "/forecast/", handle: forecastPage },
  {
    method: "GET",
    path: "/forecast/download/",
    handle: async ({ ctx, query }) => {
      const { forecast, forecastDocument } = await loadForecast();
      return await download(
        ctx,
        forecastDocument(await forecast({ ctx, query: readForecastQuery(query, ctx) })),
      );
    },
  },
];

/** Renders how many renewals there are per month, now and after each change of the rules. */
export function RenewalRates({ rates }: Pick<Forecast, "rates">): Html {
  const [now, ...later] = rates;
  const last = rates.at(-1);
  return (
    <>
      Renewals per month on average: {numberText(now?.renewals ?? 0)}{" "}
      now{later.map(({ from, renewals }) => <>, {numberText(renewals)} from {monthLabel(from)}</>)};{" "}
      {numberText(last?.manual ?? 0)} of {later.length === 0 ? "them" : "the last"}{" "}
      manually, or in an unknown way.
    </>
  );
}

/** What the renewals can be divided by. */
const DIVISIONS = ["owner", "tenant", "issuer"] as const;
type Division = typeof DIVISIONS[number];

/** Numbers of months for which it can be shown. */
const PERIODS = [[3, "3 months"], [12, "12 months"], [37, "3 years"]] as const;

/** Parameters of the forecast that are no filters of certificates. */
const OWN = ["from", "to", "by", "renew_at"];

/** Renders `GET /forecast/?by=owner&<filters of certificates>`. */
async function forecastPage(call: Call): Promise<Response> {
  const clean = await cleanListUrl(call, certificates);
  if (clean instanceof Response) return clean;
  const [{ ctx }, { url }] = [call, clean];
  const params = new URLSearchParams(url.search);
  const by = DIVISIONS.find((one) => one === params.get("by")) ?? "owner";
  if (!params.has("by")) params.set("by", by);
  const list = new URL(url);
  for (const name of OWN) list.searchParams.delete(name);
  const filters = await loadFilters(call, { resource: certificates, clean: { ...clean, url: list } });
  let made: Forecast | undefined;
  let period: Html | null = null;
  let errors = {};
  try {
    const query = readForecastQuery(params, ctx);
    made = await (await loadForecast()).forecast({ ctx, query });
    period = (
      <Choice
        label="Period"
        chosen={String(query.months)}
        choices={PERIODS.map(([months, label]) => ({
          name: String(months),
          label,
          path: withQuery(url, { to: monthName(query.first + months - 1) }),
        }))}
      />
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    errors = fieldErrorsOf(error);
  }
  const active = await activeFilters(call, { url: list, resource: certificates, filters });
  return page(
    call,
    {
      title: "Forecast",
      ...(made === undefined ? { status: 400 } : {}),
      actions: made === undefined ? null : (
        <>
          <button type="button" class="secondary" data-print hidden>Print</button>
          <a role="button" class="secondary" href={`/forecast/download/?${params}`}>
            <Icon name="download" />Export CSV
          </a>
        </>
      ),
    },
    <>
      <ErrorSummary
        errors={errors}
        shown={filters.rows.map(({ name }) => name)}
        labels={labelsOfFilters(filters)}
      />
      <div class="list-bar">
        <FilterForm
          call={call}
          url={url}
          filters={filters}
          errors={errors}
          except={OWN}
          usual={["tenant_id", "owner", "issuing_ca_id"]}
        />
        {period}
      </div>
      <FilterChips url={list} active={active} />
      {made === undefined
        ? null
        : made.periods.every(({ due, renewals }) => due + renewals === 0)
        ? <EmptyState text="No certificate in use has to be renewed in these months." />
        : (
          <>
            <p>
              <strong>
                {monthLabel(made.periods[0]?.period ?? "")} to{" "}
                {monthLabel(made.periods.at(-1)?.period ?? "")}.
              </strong>{" "}
              <RenewalRates rates={made.rates} /> Each certificate is renewed after{" "}
              {numberText(Math.round(made.renew_at * 100))}{" "}
              % of its lifetime, again and again; public ones last no longer than the rules of the day allow.
            </p>
            <Charts made={made} list={list} />
            {await brokenRules(call, list)}
            <Groups made={made} by={by} url={url} list={list} />
          </>
        )}
    </>,
  );
}

function Charts({ made, list }: { made: Forecast; list: URL }): Html {
  const spanOf = (period: string, index: number): Omit<Span, "count"> => ({
    label: monthLabel(period),
    short: index % 6 === 3 ? monthLabel(period) : "",
    minor: index % 12 !== 3,
  });
  const total = (name: "renewals" | "manual"): number =>
    made.periods.reduce((sum, period) => sum + period[name], 0);
  const [renewals, manual] = [total("renewals"), total("manual")];
  return (
    <div class="columns even">
      <Section id="renewals" title="How many renewals?" class="card">
        <Chart
          title="Renewals"
          unit="Month"
          counted="Renewals"
          spans={made.periods.map(({ period, renewals, manual }, index) => ({
            ...spanOf(period, index),
            count: renewals,
            parts: [manual, renewals - manual],
          }))}
          parts={[
            {
              label: "Manually or unknown",
              count: manual,
              path: `/certificates/${inUse(list, `automation=${BY_HAND.join("&automation=")}`)}`,
            },
            {
              label: "Automatic",
              count: renewals - manual,
              path: `/certificates/${inUse(list, `automation__n=${BY_HAND.join("&automation__n=")}`)}`,
            },
          ]}
        />
      </Section>
      <Section id="due" title="What expires as it is?" class="card">
        <Chart
          title="Expiries"
          unit="Month"
          spans={made.periods.map(({ period, due }, index) => ({
            ...spanOf(period, index),
            path: `/certificates/${inUse(list, monthFilter(period))}`,
            count: due,
          }))}
        />
      </Section>
    </div>
  );
}

function Groups(
  { made, by, url, list }: {
    made: Forecast;
    by: Division;
    url: URL;
    list: URL;
  },
): Html {
  type Group = Forecast["groups"][number];
  const filter = { owner: "owner", tenant: "tenant_id", issuer: "issuer__exact" }[by];
  const none = { owner: "No owner", tenant: "No tenant", issuer: "Others" }[by];
  const keyOf = (group: Group): readonly [text: string, key: string] | undefined => {
    const object = group[by];
    if (object === null || object === undefined) return undefined;
    return typeof object === "string" ? [object, object] : [object.display, String(object.id)];
  };
  const name = (group: Group): Content => {
    const [text, key] = keyOf(group) ?? [];
    return key === undefined
      ? none
      : (
        <a href={`/certificates/${inUse(list, String(new URLSearchParams({ [filter]: key })))}`}>
          <bdi>{text}</bdi>
        </a>
      );
  };
  const months = (group: Group): Content => {
    const key = keyOf(group)?.[1];
    const text = numberText(group.renewals);
    return key === undefined
      ? text
      : <a href={withQuery(url, { [filter]: key })} title="Month by month">{text}</a>;
  };
  return (
    <section aria-labelledby="groups">
      <div class="card-head">
        <h2 id="groups">Whose are they?</h2>
        <Choice
          label="Divide by"
          chosen={by}
          choices={DIVISIONS.map((one) => ({
            name: one,
            label: one.charAt(0).toUpperCase() + one.slice(1),
            path: `${withQuery(url, { by: one })}#groups`,
          }))}
        />
      </div>
      <Table<Group & { id?: number }>
        caption={`Renewals by ${by}`}
        rows={made.groups.toSorted((one, other) => other.manual - one.manual)}
        columns={[
          { label: by.charAt(0).toUpperCase() + by.slice(1), cell: name },
          { label: "Renewals", layout: ["number"], cell: months },
          { label: "Manually or unknown", layout: ["number"], cell: ({ manual }) => numberText(manual) },
          { label: "Expire as they are", layout: ["number", "p3"], cell: ({ due }) => numberText(due) },
        ]}
      />
    </section>
  );
}
