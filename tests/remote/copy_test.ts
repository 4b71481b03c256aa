/** `certmgr copy`: from a file to a libSQL server and back, row by row; interrupted, refused, started again. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import type { Database, Reader } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { SEARCH } from "../../src/domain/certificates/identity_fields.ts";
import { preselectedIds } from "../../src/filters/mod.ts";
import { certmgr, type Environment, startCommand, testFolder } from "../cli/process.ts";
import { csvOf, metadata } from "../domain/certificates/import/support.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { seed, seededDatabase } from "../support/seed.ts";

const SEEDED = Object.keys(seed.certificates).length;

interface Report {
  readonly rows: number;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly sha256: string }[];
}

async function copy(to: string, env: Environment): Promise<Report> {
  const { code, stdout, stderr } = await certmgr(["copy", "--to", to, "--json"], { env });
  assert.deepEqual([code, stderr], [0, ""]);
  return JSON.parse(stdout);
}

/** Creates the seeded inventory in a file, with more certificates than fit into a few batches. */
async function fill(folder: string, count: number): Promise<{ file: string; env: Environment }> {
  const file = `${folder}/source.db`;
  await using seeded = await seededDatabase();
  await seeded.write((tx) =>
    tx.runAll([sql`UPDATE certificates SET replaced_by_id = (SELECT max(id) FROM certificates) WHERE id = 1`])
  );
  await seeded.all(sql`SELECT 1`);
  await Deno.copyFile(seeded.path, file);
  for (const end of ["-wal", "-shm"]) {
    await Deno.copyFile(seeded.path + end, file + end).catch(() => {});
  }
  const env = { CERTMGR_DATABASE_URL: `file:${file}` };
  if (count > 0) {
    const rows = Array.from(
      { length: count },
      (_, index) => metadata(index, { sans: [`alt-${index}.example`] }),
    );
    await Deno.writeTextFile(`${folder}/more.csv`, csvOf(rows));
    assert.equal((await certmgr(["import", `${folder}/more.csv`], { env })).code, 0);
  }
  return { file, env };
}

/** Returns the schema of a database, and the results of searches. */
async function describe(reader: Reader): Promise<unknown> {
  return {
    schema: await reader.all(
      sql`SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name NOT LIKE 'libsql%'
        AND name NOT LIKE 'certificate_search_%' ORDER BY type, name`,
    ),
    sequences: await reader.all(sql`SELECT name, seq FROM sqlite_sequence ORDER BY name`),
    found: await reader.all(
      sql`SELECT id FROM certificates WHERE common_name LIKE '%acme%' AND id IN (${
        preselectedIds(SEARCH, '"acm" AND "cme"')
      }) ORDER BY id`,
    ),
    names: await reader.all(
      sql`SELECT id FROM certificates WHERE sans LIKE '%t-7.%' AND id IN (${
        preselectedIds(SEARCH, '"t-7" AND "-7."')
      }) ORDER BY id`,
    ),
    packed: await reader.all(
      sql`SELECT certificate_id, hex(der) AS packed FROM certificate_texts WHERE der IS NOT NULL`,
    ),
    replaced: await reader.all(
      sql`SELECT id, replaced_by_id FROM certificates WHERE replaced_by_id IS NOT NULL`,
    ),
  };
}

async function described(database: Database): Promise<unknown> {
  try {
    return await describe(database);
  } finally {
    database.close();
  }
}

Deno.test("a database copied to a server and back has equal rows, schema, sequences and search results", async () => {
  await using folder = await testFolder();
  await Deno.mkdir(folder.path, { recursive: true });
  const { file, env } = await fill(folder.path, 700);
  await using server = await startLibsqlServer();
  const there = await copy(server.url, env);
  assert(there.rows > 2_000, String(there.rows));
  assert.equal(there.tables.find(({ table }) => table === "certificates")?.rows, 700 + SEEDED);

  const back = await copy(`file:${folder.path}/back.db`, { CERTMGR_DATABASE_URL: server.url });
  assert.deepEqual(back.tables, there.tables);
  const source = await described(await openFileDatabase({ path: file }));
  assert.deepEqual(await described(openRemoteDatabase({ url: server.url })), source);
  assert.deepEqual(await described(await openFileDatabase({ path: `${folder.path}/back.db` })), source);
  assert.equal((await Deno.stat(`${folder.path}/back.db`)).mode ?? 0, 0o100600);

  const check = await certmgr(["check", "--json"], {
    env: { CERTMGR_DATABASE_URL: `file:${folder.path}/back.db` },
  });
  assert.equal(JSON.parse(check.stdout).ok, true, check.stdout.slice(0, 1_000));
  // Both serve: the copy accepts writes like the original.
  const list = await certmgr(["user", "list", "--json"], { env: { CERTMGR_DATABASE_URL: server.url } });
  assert.equal(list.code, 0, list.stderr);
});

Deno.test("a killed copy leaves a target on which no service starts; the next copy starts over and is complete", async () => {
  await using folder = await testFolder();
  await Deno.mkdir(folder.path, { recursive: true });
  const { env } = await fill(folder.path, 1_500);
  await using server = await startLibsqlServer();
  const target = openRemoteDatabase({ url: server.url });
  const child = startCommand(["copy", "--to", server.url], env);
  const hasRows = async (): Promise<boolean> => {
    const [found] = await target.all(sql`SELECT 1 FROM sqlite_schema WHERE name = 'certificates'`);
    if (found === undefined) return false;
    return (await target.all(sql`SELECT 1 FROM certificates LIMIT 1`)).length > 0;
  };
  while (!await hasRows()) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill("SIGKILL");
  await Promise.all([child.stdout.cancel(), child.stderr.cancel()]);
  assert.equal((await child.status).signal, "SIGKILL");

  const there = { CERTMGR_DATABASE_URL: server.url };
  for (const args of [["migrate"], ["user", "list"], ["serve"]]) {
    const { code, stderr } = await certmgr(args, { env: there });
    assert.equal(code, 1);
    assert.match(stderr, /The copy into this database is not complete\. Run "certmgr copy" again\./);
  }
  const again = await copy(server.url, env);
  assert.equal(again.tables.find(({ table }) => table === "certificates")?.rows, 1_500 + SEEDED);
  assert.equal((await certmgr(["migrate", "--check"], { env: there })).code, 0);
  target.close();
});

Deno.test("a target with data and a source of an older release are refused and not changed", async () => {
  await using folder = await testFolder();
  await Deno.mkdir(folder.path, { recursive: true });
  const { file, env } = await fill(folder.path, 0);
  await using server = await startLibsqlServer();
  const other = openRemoteDatabase({ url: server.url });
  await other.write((tx) => tx.runAll([sql`CREATE TABLE theirs (x)`, sql`INSERT INTO theirs VALUES (1)`]));
  const refused = await certmgr(["copy", "--to", server.url], { env });
  assert.deepEqual([refused.code, refused.stderr.trim()], [1, "certmgr: The target is not empty."]);
  assert.deepEqual(await other.all(sql`SELECT name FROM sqlite_schema`), [{ name: "theirs" }]);
  other.close();

  const taken = await certmgr(["copy", "--to", `file:${file}`], { env });
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /already exists/);

  const source = await openFileDatabase({ path: file });
  await source.write((tx) =>
    tx.runAll([sql`DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)`])
  );
  source.close();
  const old = await certmgr(["copy", "--to", `file:${folder.path}/new.db`], { env });
  assert.equal(old.code, 1);
  assert.match(
    old.stderr,
    /^certmgr: Migration \S+ is missing in the source\. Run "certmgr migrate" first\./,
  );
  assert.deepEqual(
    (await Array.fromAsync(Deno.readDir(folder.path))).filter(({ name }) => /part|new/.test(name)),
    [],
  );

  const wrong = await certmgr(["copy", "--to", "ftp://x"], { env });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Invalid value "ftp:\/\/x" for --to\. Expected file:<path>, libsql:/);
});
