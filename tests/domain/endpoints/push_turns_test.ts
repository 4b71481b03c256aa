/** A large report of an agent is stored in several transactions, and other requests run in between. */

import assert from "node:assert/strict";
import { SETTLE_BATCH } from "../../../src/domain/endpoints/probing/settle.ts";
import { type Site, startSite } from "./support.ts";

/** Counts the transactions of a request. */
async function writesOf({ app: { database } }: Site, request: () => Promise<unknown>): Promise<number> {
  const { write } = database;
  let writes = 0;
  database.write = (work) => {
    writes++;
    return write.call(database, work) as ReturnType<typeof work>;
  };
  await request();
  database.write = write;
  return writes;
}

for (const [count, batches] of [[SETTLE_BATCH, 1], [SETTLE_BATCH + 1, 2], [3 * SETTLE_BATCH, 3]] as const) {
  Deno.test(`${count} observations of an agent are stored in ${batches} transactions of at most ${SETTLE_BATCH}`, async () => {
    await using site = await startSite();
    const observations = Array.from({ length: count }, (_, index) => ({
      host: `host-${index}.example`,
      at: "2026-06-15T12:00:00Z",
      error: "refused",
    }));
    const push = (body: unknown): Promise<unknown> => site.ask("observations/push/", body);
    // A further transaction creates the endpoints; the repeated report finds them.
    assert.equal(await writesOf(site, () => push({ agent: "north", observations })), batches + 1);
    const { count: stored } = await site.ask("observations/?source=agent:north");
    assert.equal(stored, count);
  });

  Deno.test(`${count} certificates of files are stored in ${batches} transactions of at most ${SETTLE_BATCH}`, async () => {
    await using site = await startSite();
    const certificates = await Promise.all(
      Array.from({ length: count }, async (_, index) => ({
        location: `/etc/${index}.pem`,
        presented: [(await site.ca.issue({ cn: `file-${index}.example` })).pem],
      })),
    );
    const pushed = await writesOf(site, async () => {
      const answer = await site.ask("observations/push/", { agent: "north", certificates });
      assert.deepEqual([answer.certificates_created, answer.errors], [count, []]);
    });
    assert.equal(pushed, batches);
  });
}

Deno.test("control and bidirectional characters in the texts of an agent are stored escaped", async () => {
  await using site = await startSite();
  const text = "no\u001b[31m \u202eroute\u0000";
  await site.ask("observations/push/", {
    agent: "north",
    observations: [{
      host: "odd.example",
      at: "2026-06-15T12:00:00Z",
      error: text,
      address: "192.0.2.1\u200f",
    }],
  });
  const { results } = await site.ask("observations/?source=agent:north");
  const [found] = results as [{ state_message: string; address: string }];
  assert.match(found.state_message, /no\\u\{1B\}\[31m \\u\{202E\}route\\u\{00\}/);
  assert.equal(found.address, "192.0.2.1\\u{200F}");
});
