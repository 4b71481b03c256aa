import assert from "node:assert/strict";
import fc from "fast-check";
import { DAY_MS } from "../../src/base/clock.ts";
import { update } from "../../src/db/mod.ts";
import { certificates } from "../../src/db/schema/mod.ts";
import { forecast, lifetimeLimits, renewalsOf } from "../../src/domain/forecast/forecast.ts";
import { readForecastQuery } from "../../src/domain/forecast/mod.ts";
import { SHIPPED_RULES } from "../../src/domain/rules/mod.ts";
import { readerOf, stranger } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";

const limits = lifetimeLimits(SHIPPED_RULES, ["server_auth"]);

/** The rules of public server certificates, written down a second time. */
function mostDays(at: number): number {
  if (at >= Date.UTC(2029, 2, 15)) return 47;
  if (at >= Date.UTC(2027, 2, 15)) return 100;
  if (at >= Date.UTC(2026, 2, 15)) return 200;
  return at >= Date.UTC(2020, 8, 1) ? 398 : Infinity;
}

Deno.test("renewals are those of an independent simulation, and no certificate lasts longer than the rule of its day", () => {
  const now = Date.UTC(2026, 10, 29);
  fc.assert(fc.property(
    fc.integer({ min: -800, max: 300 }),
    fc.integer({ min: 1, max: 4_000 }),
    fc.constantFrom(0.1, 0.5, 0.67, 1),
    fc.boolean(),
    (began, days, renewAt, isPublic) => {
      const validFrom = now + began * DAY_MS;
      const certificate = {
        validFrom,
        validTo: validFrom + days * DAY_MS - 1_000,
        limits: isPublic ? limits : [],
      };
      const end = now + 1_200 * DAY_MS;
      const found = [...renewalsOf(certificate, { now, end, renewAt })];
      const expected: number[] = [];
      let next = Math.max(now, validFrom + days * DAY_MS * renewAt);
      while (next < end) {
        expected.push(next);
        const lasts = isPublic ? Math.min(days, mostDays(next)) : days;
        next += Math.max(1, lasts * renewAt) * DAY_MS;
      }
      assert.deepEqual(found.map(({ at }) => at), expected);
      for (const { at, lifetime } of found) {
        assert.ok(lifetime <= days * DAY_MS && (!isPublic || lifetime <= mostDays(at) * DAY_MS));
      }
    },
  ));
});

Deno.test("of two rules, the stricter one limits; authorities have no limit", () => {
  const both = lifetimeLimits(SHIPPED_RULES, ["server_auth", "email_protection"]);
  assert.equal(both.findLast(({ from }) => from <= Date.UTC(2023, 0, 1))?.days, 398);
  assert.deepEqual(lifetimeLimits(SHIPPED_RULES, ["server_auth", "ca"]), []);
});

Deno.test("the sum of the groups is the total, whatever they are made of", async () => {
  await using app = await testApp();
  await app.ctx.database.write((tx) => tx.run(update(certificates).set({ publicly_trusted: 1 })));
  const made = async (query: string) =>
    await forecast({ ctx: app.ctx, query: readForecastQuery(new URLSearchParams(query), app.ctx) });
  const { periods, groups: none } = await made("");
  assert.deepEqual(none, []);
  assert.equal(periods.length, 37);
  const sum = (all: readonly { due: number; renewals: number; manual: number }[]) =>
    all.reduce((total, one) => [total[0]! + one.due, total[1]! + one.renewals, total[2]! + one.manual], [
      0,
      0,
      0,
    ]);
  assert.ok(sum(periods)[1]! > 10);
  for (const by of ["owner", "tenant", "issuer"]) {
    const { groups } = await made(`by=${by}`);
    assert.ok(groups.length > 1, by);
    assert.deepEqual(sum(groups), sum(periods), by);
  }
});

Deno.test("invalid parameters are named, and hidden certificates are not counted", async () => {
  await using app = await testApp();
  const path = "/api/plugins/certmgr/forecast/";
  const client = await app.as("superuser");
  for (
    const [query, field] of [
      ["from=2026", "from"],
      ["to=2026-13", "to"],
      ["from=2026-05&to=2026-04", "to"],
      ["from=2026-01&to=2046-01", "to"],
      // Each renewal until then would be computed, while nothing else is served.
      ["from=9999-12&renew_at=0.1", "from"],
      ["from=2036-05&to=2036-06", "to"],
      ["from=0050-01", "from"],
      ["by=week", "by"],
      ["renew_at=0", "renew_at"],
      ["renew_at=nan", "renew_at"],
      ["nonsense=1", "nonsense"],
    ] as const
  ) {
    const response = await client(`${path}?${query}`);
    assert.equal(response.status, 400, query);
    assert.deepEqual(Object.keys(await response.json()), [field], query);
  }
  const owned = await callJson(await app.as(readerOf("acme")), `${path}?by=tenant`);
  const all = await callJson(client, `${path}?by=tenant`);
  const acme = all.groups.find(({ tenant }: { tenant: { slug: string } | null }) => tenant?.slug === "acme");
  assert.deepEqual(owned.groups, [acme]);
  const { status } = await (await app.as(stranger()))(path);
  assert.equal(status, 403);
});

Deno.test("every signed-in user lists the rules", async () => {
  await using app = await testApp();
  const path = "/api/plugins/certmgr/validity-rules/";
  const { count, results } = await callJson(await app.as(stranger()), path);
  assert.deepEqual([count, results], [SHIPPED_RULES.length, SHIPPED_RULES]);
  assert.equal((await (await app.as("nobody"))(path)).status, 401);
  assert.equal((await (await app.as("superuser"))(`${path}?x=1`)).status, 400);
});
