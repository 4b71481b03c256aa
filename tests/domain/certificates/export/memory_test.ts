/** An export is written while it is read, so the memory of the service does not grow with it. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../../../src/db/file_client.ts";
import { benchDatabase } from "../../../bench/bench_database.ts";
import { watchedService } from "../../../bench/watched_export.ts";
import { testFolder } from "../../../cli/process.ts";

const ROWS = 20_000;
/** Random octets of each certificate's text, which has them in hexadecimal. */
const TEXT_BYTES = 4_000;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

Deno.test("an export that is larger than the memory for it is sent while it is read", async () => {
  await using folder = await testFolder();
  const path = await benchDatabase(ROWS, folder.path);
  const database = await openFileDatabase({ path });
  await database.write((tx) =>
    tx.run(sql`INSERT INTO certificate_texts (certificate_id, der)
      SELECT id, randomblob(${TEXT_BYTES * 3 / 2}) FROM certificates WHERE true
      ON CONFLICT DO UPDATE SET der = excluded.der`)
  );
  database.close();
  await using service = await watchedService({ path, maxExportSize: ROWS });
  const query = "format=json&include_pem=true";
  await service.download(`${query}&id__lte=1000`);
  const { bytes, growth } = await service.download(query);
  assert.ok(bytes > 2 * ROWS * TEXT_BYTES, `The export is ${bytes} bytes long`);
  assert.ok(bytes > 2 * MAX_GROWTH_BYTES, `The export is ${bytes} bytes long`);
  assert.ok(growth.own < MAX_GROWTH_BYTES, `Memory grew by ${growth.own} bytes`);
});
