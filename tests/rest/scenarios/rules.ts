/** Rules for publicly trusted certificates, and the forecast of renewals. */

import assert from "node:assert/strict";
import { readerOf, stranger } from "../../support/actors.ts";
import { scenario } from "../../support/scenario.ts";

const ROOT = "/api/plugins/certmgr/";
const RULES = `${ROOT}validity-rules/`;
const FORECAST = `${ROOT}forecast/`;

scenario("Rules: every signed-in user lists them", {
  as: stranger(),
  get: RULES,
  status: 200,
  json: ({ count, results }) => assert.ok(count === results.length && count > 8),
});
scenario("Rules: an unknown parameter is refused", {
  as: "superuser",
  get: `${RULES}?name=br-server-validity`,
  status: 400,
  equals: { name: ["Unknown parameter. Expected none."] },
});
scenario("Forecast: a month, by tenant, for the certificates that the caller may view", {
  as: readerOf("acme"),
  get: `${FORECAST}?from=2026-07&to=2026-07&by=tenant&renew_at=0.5`,
  status: 200,
  json: ({ renew_at, periods, groups }) => {
    assert.deepEqual([renew_at, periods.length, periods[0].period], [0.5, 1, "2026-07"]);
    assert.ok(groups.every(({ tenant }: { tenant: { slug: string } }) => tenant.slug === "acme"));
  },
});
scenario("Forecast: wrong parameters are named", {
  as: "superuser",
  get: `${FORECAST}?from=July&by=week&renew_at=2`,
  status: 400,
  equals: {
    from: ['Expected a month from 1970-01 to 2036-05, not "July".'],
    by: ['Expected one of month, owner, tenant, issuer, not "week".'],
    renew_at: ['Expected a number from 0.1 to 1, not "2".'],
  },
});
scenario("Forecast: without permissions it answers 403", { as: stranger(), get: FORECAST, status: 403 });
