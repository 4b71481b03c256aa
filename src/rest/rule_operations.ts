/** Rules for publicly trusted certificates, and the renewals that they cause. */

import { z } from "zod";
import {
  Forecast,
  FORECAST_GROUPS,
  FORECAST_PARAMETERS,
  loadForecast,
  readForecastQuery,
} from "../domain/forecast/mod.ts";
import { invalid } from "../base/errors.ts";
import type { Finding } from "../base/findings.ts";
import { readPaging } from "../resource/mod.ts";
import { RuleSchema } from "../domain/rules/mod.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { jsonResponse, listResponse } from "./http.ts";
import { type Call, get, type Operation, pageOf, type Parameter } from "./operation.ts";
import { filterParameters, PAGING, refuseUnknown } from "./parameters.ts";

const TAG = "plugins/certmgr";
const MONTH = { type: "string", pattern: "^\\d{4}-\\d{2}$" };

const PARAMETERS: Readonly<Record<typeof FORECAST_PARAMETERS[number], Omit<Parameter, "name">>> = {
  from: { description: "The first month; default: the current one.", schema: MONTH },
  to: { description: "The last month; default: three years after the first.", schema: MONTH },
  by: {
    description: "What groups are made of; `month`: nothing.",
    schema: { type: "string", enum: FORECAST_GROUPS, default: "month" },
  },
  renew_at: {
    description: "The part of the lifetime after which certificates are renewed.",
    schema: { type: "number", minimum: 0.1, maximum: 1, default: 0.67 },
  },
};

const RULE_FILTERS = (["name", "applies_to"] as const).map((name) => ({
  name,
  description: `${name} equals the value.`,
  schema: { type: "string" },
  repeatable: true,
}));

function listRules(call: Call): Response {
  const { ctx, query } = call;
  refuseUnknown(query, [...PAGING, ...RULE_FILTERS].map(({ name }) => name));
  const errors: Finding[] = [];
  const { limit, offset } = readPaging(query, errors, ctx);
  if (errors.length > 0) throw invalid(errors);
  const found = ctx.settings.rules.filter((rule) =>
    RULE_FILTERS.every(({ name }) => !query.has(name) || query.getAll(name).includes(rule[name]))
  );
  const results = found.slice(offset, offset + limit);
  return listResponse(call, { count: found.length, nextStart: null, results, query: { limit, offset } });
}

export function ruleOperations(): Operation[] {
  return [
    get(`/api/${TAG}/validity-rules/`, {
      operationId: "listValidityRules",
      summary: "List the rules for publicly trusted certificates",
      description:
        "For every signed-in user. One entry for each date on which a rule changes, in their order.",
      parameters: () => [...PAGING, ...RULE_FILTERS],
      responses: { 200: { description: "The rules.", schema: z.object(pageOf(RuleSchema)) } },
      handle: (call) => Promise.resolve(listRules(call)),
    }),
    get(`/api/${TAG}/forecast/`, {
      operationId: "getForecast",
      summary: "Forecast the renewals of each month",
      description:
        "Needs `view` on certificates. Counts the certificates in use that the filters select. Each one is renewed when " +
        "`renew_at` of its lifetime has passed, again and again, each time for as long as now, but if it is publicly " +
        "trusted, for no longer than the rules of that day allow. Renewals that are late happen now.",
      parameters: () => [
        ...FORECAST_PARAMETERS.map((name) => ({ name, ...PARAMETERS[name] })),
        ...filterParameters(certificates),
      ],
      responses: { 200: { description: "Numbers by month, and by group.", schema: Forecast } },
      handle: async ({ ctx, query: params }) => {
        const query = readForecastQuery(params, ctx);
        return jsonResponse(await (await loadForecast()).forecast({ ctx, query }));
      },
    }),
  ];
}
