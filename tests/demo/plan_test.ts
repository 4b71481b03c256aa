/** The plan of the demo inventory, before anything is stored. */

import assert from "node:assert/strict";
import { planEndpoints } from "../../demo/endpoints.ts";
import { HISTORY_DAYS, planCertificates, type PlannedCertificate } from "../../demo/plan.ts";
import { seeded } from "../../demo/random.ts";

const SEEDS = ["certmgr", "1", "another"];

function planOf(seed: string): PlannedCertificate[] {
  const random = seeded(seed);
  return planCertificates(planEndpoints(random), random);
}

/** Returns the certificates that no other one replaces. */
function lastOnes(plan: readonly PlannedCertificate[]): PlannedCertificate[] {
  const replaced = new Set(plan.map(({ replaces }) => replaces));
  return plan.filter((one) => !replaced.has(one));
}

Deno.test("the same seed results in the same plan, another seed in another plan", () => {
  assert.deepEqual(planOf("certmgr"), planOf("certmgr"));
  assert.notDeepEqual(planOf("certmgr"), planOf("1"));
});

for (const seed of SEEDS) {
  Deno.test(`a plan has several hundred certificates, expired ones and ones that expire soon, later and much later (seed "${seed}")`, () => {
    const plan = planOf(seed);
    assert.ok(plan.length > 320 && plan.length < 450, `${plan.length} certificates`);
    const ends = lastOnes(plan).map(({ to }) => to);
    assert.ok(Math.min(...ends) >= -60 && Math.max(...ends) <= 397);
    for (const [low, high, least] of [[-60, -1, 4], [0, 14, 4], [15, 30, 4], [31, 397, 150]] as const) {
      const found = ends.filter((to) => to >= low && to <= high).length;
      assert.ok(found >= least, `${found} end from day ${low} to ${high}, expected at least ${least}`);
    }
  });

  Deno.test(`a certificate is added while it is valid, and after the one that it replaces (seed "${seed}")`, () => {
    for (const { arrives, from, to, replaces, endpoint } of planOf(seed)) {
      const text = `${endpoint.commonName}: ${from} to ${to}, comes on ${arrives}`;
      assert.ok(arrives >= -HISTORY_DAYS && arrives <= 0 && arrives >= from && arrives <= to, text);
      if (replaces !== undefined) assert.ok(replaces.arrives < arrives && replaces.to < to, text);
    }
  });
}

Deno.test("serial numbers are positive, of full length and all different", () => {
  const serials = planOf("certmgr").map(({ serial }) => serial);
  assert.ok(
    serials.every((serial) =>
      serial.length === 16 && (serial[0] as number) >= 0x40 && (serial[0] as number) < 0x80
    ),
  );
  assert.equal(new Set(serials.map((serial) => serial.toHex())).size, serials.length);
});

Deno.test("names are under domains that nobody can own (RFC 2606)", () => {
  const names = planOf("certmgr").flatMap(({ endpoint }) => endpoint.sans).filter((name) =>
    !name.startsWith("IP:10.")
  );
  assert.ok(names.length > 300);
  assert.deepEqual(names.filter((name) => !name.endsWith(".example")), []);
});
