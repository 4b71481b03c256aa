import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { certmgr, testFolder } from "./process.ts";

const names = MIGRATIONS.map((migration) => migration.name);

Deno.test("migrate --check lists missing migrations, fails, and creates no file", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const { code, stdout, stderr } = await certmgr(["migrate", "--check"], { env });
  assert.deepEqual([code, stderr], [1, ""]);
  assert.deepEqual(stdout.trim().split("\n"), names.map((name) => `Missing migration ${name}`));
  assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
});

Deno.test("migrate applies missing migrations once; then --check succeeds", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path };
  const steps: readonly (readonly [args: string[], printed: unknown])[] = [
    [["migrate", "--check"], { pending: names }],
    [["migrate"], { applied: names }],
    [["migrate"], { applied: [] }],
    [["migrate", "--check"], { pending: [] }],
  ];
  for (const [index, [args, printed]] of steps.entries()) {
    const { code, stdout } = await certmgr([...args, "--json"], { env });
    assert.deepEqual(JSON.parse(stdout), printed);
    assert.equal(code, index === 0 ? 1 : 0);
  }
  assert.equal((await certmgr(["migrate"], { env })).stdout, "Database is up to date\n");
});

Deno.test("a database of a newer release is refused by every command, in one line", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path, CERTMGR_PORT: "0" };
  await certmgr(["migrate"], { env });
  const database = await openFileDatabase({ path: `${folder.path}/certmgr.db` });
  await database.write((tx) => tx.run(sql`INSERT INTO schema_migrations VALUES ('9999_future', 0, 'x')`));
  database.close();
  for (const args of [["migrate"], ["migrate", "--check"], ["serve"], ["user", "list"]]) {
    const { code, stderr } = await certmgr(args, { env });
    assert.equal(stderr, 'certmgr: Database is newer than this release: it has migration "9999_future"\n');
    assert.equal(code, 1);
  }
});
