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
scenario("Rules: those of a name, page by page", {
  as: stranger(),
  get: `${RULES}?name=br-server-validity&limit=2&offset=1`,
  status: 200,
  json: ({ count, next, previous, results }) => {
    assert.deepEqual([count, results.map(({ max_days }: { max_days: number }) => max_days)], [4, [200, 100]]);
    assert.match(next, /offset=3/);
    assert.match(previous, /offset=0/);
  },
});
scenario("Rules: an unknown parameter is refused", {
  as: "superuser",
  get: `${RULES}?source=x`,
  status: 400,
  equals: { source: ["Unknown parameter. Expected limit or offset or name or applies_to."] },
});
scenario("Rules: the size of a page is a number", {
  as: "superuser",
  get: `${RULES}?limit=all`,
  status: 400,
  equals: { limit: ['Expected a whole number of 0 or more, not "all".'] },
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
