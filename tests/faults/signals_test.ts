/** Commands that a signal ends while they write a file leave nothing behind. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { certmgr, startCommand, testFolder } from "../cli/process.ts";

/** Bytes of the database, large enough for a signal to arrive during its copy. */
const BLOB_BYTES = 10_000_000;
const BLOBS = 20;

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

for (const [signal, code] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
  Deno.test(`${signal} during a backup, a restore or a copy leaves no file, and ends with ${code}`, async () => {
    await using folder = await testFolder();
    const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
    assert.equal((await certmgr(["migrate"], { env })).code, 0);
    const database = await openFileDatabase({ path: `${env.CERTMGR_DATA_DIR}/certmgr.db` });
    await database.write(async (tx) => {
      await tx.run(sql`CREATE TABLE large (x BLOB)`);
      for (let n = 0; n < BLOBS; n++) await tx.run(sql`INSERT INTO large VALUES (randomblob(${BLOB_BYTES}))`);
    });
    database.close();
    const kept = `${folder.path}/kept.db`;
    assert.equal((await certmgr(["backup", kept], { env })).code, 0);
    const made = `${folder.path}/made`;
    await Deno.mkdir(made);
    for (
      const [args, settings] of [
        [["backup", `${made}/backup.db`], env],
        [["restore", kept], { CERTMGR_DATA_DIR: made }],
      ] as const
    ) {
      const command = startCommand(args, settings);
      while (!(await namesIn(made)).some((name) => name.endsWith(".part"))) {
        await new Promise((done) => setTimeout(done, 1));
      }
      command.kill(signal);
      const { code: found, stderr } = await command.output();
      const text = new TextDecoder().decode(stderr);
      assert.deepEqual(
        [found, text],
        [code, `certmgr: Stopped by ${signal}. Nothing was written.\n`],
        args[0],
      );
      assert.deepEqual(await namesIn(made), [], args[0]);
      const left = (await namesIn(env.CERTMGR_DATA_DIR)).filter((name) => name.endsWith(".part"));
      assert.deepEqual(left, [], args[0]);
    }
  });
}
