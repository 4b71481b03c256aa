/** The demo inventory for tests of pages, with the current time of the tests. */

import { fillDemo } from "../../../demo/fill.ts";
import { insertRows } from "../../../src/db/mod.ts";
import { webhook_deliveries } from "../../../src/db/schema/mod.ts";
import { testContext } from "../../support/context.ts";
import { cloneDatabase, databaseBytes, type TestDatabase, testFileDatabase } from "../../support/database.ts";
import { DELIVERIES } from "../../support/seed_rows.ts";
import { TEST_NOW } from "../../support/test_ca/mod.ts";
import { PASSWORD } from "./site.ts";

let template: Promise<Uint8Array> | undefined;

/**
 * Returns a separate database with every fourth name of the demo inventory, which is enough to fill a page of each
 * list.
 */
export async function demoDatabase(): Promise<TestDatabase> {
  template ??= makeTemplate();
  return await cloneDatabase(await template);
}

async function makeTemplate(): Promise<Uint8Array> {
  await using database = await testFileDatabase();
  await fillDemo(testContext({ database, now: TEST_NOW }), {
    now: TEST_NOW,
    seed: "pages",
    password: PASSWORD,
    every: 4,
  });
  // The webhooks of the demo are disabled, so nothing has been sent; but the pages of deliveries should have content,
  // too.
  const stamps = { created: TEST_NOW, last_updated: TEST_NOW };
  const deliveries = Object.values(DELIVERIES).map((delivery) => ({ ...delivery, ...stamps }));
  await database.write((tx) => tx.run(insertRows(webhook_deliveries, deliveries)));
  return await databaseBytes(database);
}
