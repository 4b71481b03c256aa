/** How often authorities are asked: it depends on their number, and not on that of the certificates. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { HOUR_MS } from "../../../src/base/clock.ts";
import { checkDue } from "../../../src/domain/revocation/job.ts";
import { testApp } from "../../support/app.ts";
import { buildCrl, ext, TestCa } from "../../support/test_ca/mod.ts";
import { empty, sending, startHost, store } from "./support.ts";

const ISSUERS = 20;
const HOURS = 24;
const LIST_MS = 12 * HOUR_MS;

/** Returns the number of requests of a day for `each` certificates of each issuer. */
async function requestsOfDay(each: number): Promise<number> {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  for (let index = 0; index < ISSUERS; index++) {
    const ca = await TestCa.root({ cn: `CA ${index}`, keyUsage: ["keyCertSign", "cRLSign"] });
    host.answers.set(`/${index}.crl`, async () => {
      const der = await buildCrl(ca, {
        thisUpdate: app.clock.now() - 1_000,
        nextUpdate: app.clock.now() + LIST_MS,
      });
      return new Response(der as Uint8Array<ArrayBuffer>);
    });
    for (let n = 0; n < each; n++) {
      const extensions = [ext.crlDistributionPoints([`${host.origin}/${index}.crl`])];
      const leaf = await ca.issue({ cn: `c${n}.example`, extensions });
      await store(app, leaf.pem, ca.pem);
    }
  }
  for (let hour = 0; hour < HOURS; hour++) {
    await checkDue({ ctx: sending(app) });
    const states = await app.database.all<{ state: string; n: number }>(
      sql`SELECT revocation_status AS state, count(*) AS n FROM certificates GROUP BY 1`,
    );
    assert.deepEqual(states.map(({ state, n }) => [state, n]), [["good", ISSUERS * each]], `hour ${hour}`);
    app.clock.advance(HOUR_MS);
  }
  return host.requests.length;
}

for (const each of [1, 6]) {
  Deno.test(`a day takes at most three requests to each of ${ISSUERS} issuers with ${each} certificates`, async () => {
    const requests = await requestsOfDay(each);
    assert.ok(requests >= 2 * ISSUERS && requests <= 3 * ISSUERS, `${requests} requests`);
  });
}
