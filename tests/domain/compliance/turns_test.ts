/** A large compliance run is stored in several transactions, and other requests run in between. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { CHECKS_PER_TRANSACTION } from "../../../src/base/limits.ts";
import { bulkCheckCertificates } from "../../../src/domain/compliance/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { countPauses } from "../../support/pauses.ts";
import { storeCertificates } from "./many.ts";
import { clear } from "./support.ts";

const POLICIES = 1_000;
/** Number of certificates whose results fit into one transaction. */
const FITTING = CHECKS_PER_TRANSACTION / POLICIES;

/** Pauses of the search for private keys in a short input. */
const KEY_SEARCH_PAUSES = 6;

/** Replaces the policies by many, and returns the ids of `count` new certificates. */
async function prepare(app: TestApp, count: number): Promise<number[]> {
  await clear(app);
  const names = JSON.stringify(
    Array.from({ length: POLICIES }, (_, index) => `Policy ${index}`),
  );
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO compliance_policies (name, policy_type, created, last_updated)
      SELECT value, 'chain_required', 0, 0 FROM json_each(${names})`,
    )
  );
  return await storeCertificates(app, count);
}

async function countStored({ database }: TestApp): Promise<number | undefined> {
  const [row] = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM compliance_checks`,
  );
  return row?.n;
}

Deno.test("other requests run while 45 certificates are checked by 1,000 policies", async () => {
  await using app = await testApp();
  const ids = await prepare(app, 45);
  let answer: Awaited<ReturnType<typeof bulkCheckCertificates>> | undefined;
  const pauses = await countPauses(async () => {
    answer = await bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids: ids } });
  });
  // After each transaction, twice within it, and while the input is searched for private keys.
  assert.equal(pauses, 3 * Math.ceil(45 / FITTING) + KEY_SEARCH_PAUSES);
  assert(answer !== undefined);
  assert.deepEqual(answer.reports.map((one) => one.certificate_id), ids);
  assert(answer.reports.every((one) => one.total_checks === POLICIES));
  assert.equal(answer.overall_passed + answer.overall_failed, 45 * POLICIES);
  assert.equal(await countStored(app), 45 * POLICIES);
});

for (
  const [certificates, statements] of [[FITTING, 4], [FITTING + 1, 8]] as const
) {
  Deno.test(`${certificates * POLICIES} results take ${statements} statements`, async () => {
    await using app = await testApp();
    const ids = await prepare(app, certificates);
    const before = app.database.statements;
    await bulkCheckCertificates({
      ctx: app.ctx,
      input: { certificate_ids: ids },
    });
    assert.equal(app.database.statements - before, statements);
  });
}

Deno.test("a certificate that is deleted during a run is missing in the response", async () => {
  await using app = await testApp();
  const ids = await prepare(app, 4 * FITTING);
  const last = ids.at(-1) as number;
  const run = bulkCheckCertificates({
    ctx: app.ctx,
    input: { certificate_ids: ids },
  });
  while (await countStored(app) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificates WHERE id = ${last}`));
  const { processed, missing_ids, overall_passed, overall_failed } = await run;
  assert.deepEqual([processed, missing_ids], [ids.length - 1, [last]]);
  assert.equal(await countStored(app), overall_passed + overall_failed);
});
