import assert from "node:assert/strict";
import { dirname } from "node:path";
import { adoptOwner } from "../../src/cli/database_location.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { openReleased } from "../../src/db/file_copy.ts";
import { sql } from "drizzle-orm";
import { api, certmgr, startService, type TestFolder, testFolder } from "./process.ts";

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";

interface Installation extends AsyncDisposable {
  readonly folder: TestFolder;
  readonly env: { readonly CERTMGR_DATA_DIR: string; readonly CERTMGR_ADMIN_TOKEN: string };
  /** Creates a tag through a service that is started for it. */
  write(name: string): Promise<void>;
  /** Returns the names of the tags, from a service that is started for it. */
  tags(): Promise<string[]>;
}

async function install(): Promise<Installation> {
  const folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data`, CERTMGR_ADMIN_TOKEN: KEY };
  return {
    folder,
    env,
    async write(name): Promise<void> {
      await using service = await startService(env);
      const made = await api(service, { token: KEY, path: "extras/tags/", body: { name, slug: name } });
      assert.equal(made.status, 201);
      await stop(service);
    },
    async tags(): Promise<string[]> {
      await using service = await startService(env);
      const { status, json } = await api(service, { token: KEY, path: "extras/tags/?ordering=id" });
      assert.equal(status, 200);
      await stop(service);
      return (json.results as { name: string }[]).map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function stop(service: Awaited<ReturnType<typeof startService>>): Promise<void> {
  service.signal("SIGTERM");
  assert.equal((await service.ended()).code, 0);
}

async function names(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
}

Deno.test("a backup made while the service writes restores in another folder, with everything that was answered before it", async () => {
  await using first = await install();
  const file = `${first.folder.path}/backup.db`;
  let before = 0;
  {
    await using service = await startService(first.env);
    let running = true;
    let made = 0;
    const writing = (async (): Promise<void> => {
      while (running) {
        const body = { name: `t${made}`, slug: `t${made}` };
        assert.equal((await api(service, { token: KEY, path: "extras/tags/", body })).status, 201);
        made++;
      }
    })();
    while (made < 5) await new Promise((done) => setTimeout(done, 10));
    before = made;
    const { code, stdout, stderr } = await certmgr(["backup", file, "--json"], { env: first.env });
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { file, bytes: (await Deno.stat(file)).size });
    running = false;
    await writing;
    await stop(service);
  }
  assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);

  await using other = await install();
  const restored = await certmgr(["restore", file], { env: other.env });
  assert.deepEqual([restored.code, restored.stderr], [0, ""]);
  assert.deepEqual(await names(other.env.CERTMGR_DATA_DIR), ["certmgr.db"]);
  assert.equal(((await Deno.stat(`${other.env.CERTMGR_DATA_DIR}/certmgr.db`)).mode ?? 0) & 0o777, 0o600);
  assert.equal((await certmgr(["check"], { env: other.env })).code, 0);
  const tags = await other.tags();
  assert.ok(tags.length >= before, `${tags.length} of ${before}`);
  assert.deepEqual(tags, tags.map((_, index) => `t${index}`), "no gap: one moment");
});

Deno.test("a backup never overwrites a file, and leaves no file when it is refused", async () => {
  await using one = await install();
  await one.write("kept");
  await Deno.writeTextFile(`${one.folder.path}/there`, "precious");
  const cases = [
    [`${one.folder.path}/there`, /^certmgr: File ".*there" already exists\. Use another name\.\n$/],
    [`${one.folder.path}/no/such/x.db`, /^certmgr: Folder ".*such" does not exist\.\n$/],
  ] as const;
  for (const [file, line] of cases) {
    const { code, stdout, stderr } = await certmgr(["backup", file], { env: one.env });
    assert.match(stderr, line);
    assert.deepEqual([code, stdout], [1, ""]);
  }
  assert.equal(await Deno.readTextFile(`${one.folder.path}/there`), "precious");
  assert.deepEqual(await names(one.folder.path), ["data", "there"]);
});

Deno.test("a damaged database is not backed up", async () => {
  await using one = await install();
  await one.write("kept");
  const path = `${one.env.CERTMGR_DATA_DIR}/certmgr.db`;
  await damageTable(path, "tags");
  const { code, stderr } = await certmgr(["backup", `${one.folder.path}/b.db`], { env: one.env });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^certmgr: (Database ".*" cannot be copied|The database is damaged).*\n$/,
  );
  assert.deepEqual(await names(one.folder.path), ["data"]);
  assert.equal((await certmgr(["check"], { env: one.env })).code, 1);
});

for (
  const [what, make, line] of [
    [
      "is not a database",
      (path: string) => Deno.writeTextFile(path, "precious"),
      /^Database ".*f\.db" cannot be copied to ".*b\.db": /,
    ],
    [
      "belongs to something else",
      emptyDatabase,
      /^The database was not created by certmgr, or has not been migrated/,
    ],
  ] as const
) {
  Deno.test(`a file that ${what} is not backed up`, async () => {
    await using folder = await testFolder();
    const path = `${folder.path}/f.db`;
    await make(path);
    const env = { CERTMGR_DATABASE_URL: `file:${path}` };
    const { code, stderr } = await certmgr(["backup", `${folder.path}/b.db`], { env });
    assert.equal(code, 1);
    assert.match(stderr.replace("certmgr: ", ""), line);
    assert.deepEqual((await names(folder.path)).filter((name) => !/-(wal|shm)$/.test(name)), ["f.db"]);
  });
}

/** Overwrites the first page of a table: one that is not needed to open the file. */
async function damageTable(path: string, table: string): Promise<void> {
  const database = await openFileDatabase({ path });
  const [row] = await database.all<{ root: number; size: number }>(
    sql`SELECT rootpage AS root, page_size AS size FROM sqlite_schema, pragma_page_size WHERE name = ${table}`,
  );
  database.close();
  const { root, size } = row ?? assert.fail(`No table ${table}`);
  using file = await Deno.open(path, { write: true });
  await file.seek((root - 1) * size, Deno.SeekMode.Start);
  await file.write(new Uint8Array(size).fill(0x5a));
}

async function emptyDatabase(path: string): Promise<void> {
  const database = await openFileDatabase({ path });
  await database.write((tx) => tx.run(sql`CREATE TABLE other (id INTEGER)`));
  database.close();
}

Deno.test("without a database, backup is refused and creates none", async () => {
  await using one = await install();
  for (const args of [["backup", `${one.folder.path}/b.db`], ["check"]]) {
    const { code, stderr } = await certmgr(args, { env: one.env });
    assert.equal(code, 1);
    assert.match(stderr, /^certmgr: Database ".*" does not exist\./);
  }
  assert.deepEqual(await names(one.folder.path), []);
});

Deno.test("backup and restore explain what to do for a database on a server, and check works there", async () => {
  await using server = await startLibsqlServer();
  const env = { CERTMGR_DATABASE_URL: server.url };
  assert.equal((await certmgr(["migrate"], { env })).code, 0);
  for (const command of ["backup", "restore"]) {
    const { code, stderr } = await certmgr([command, "/tmp/none.db"], { env });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^certmgr: The database is on the server http:\/\/127\.\d+\.\d+\.\d+:\d+: use the server's own .*\n$/,
    );
  }
  const check = await certmgr(["check", "--json"], { env });
  assert.equal(check.code, 0, check.stdout + check.stderr);
  assert.equal(JSON.parse(check.stdout).ok, true);
});

Deno.test("restore refuses while the service runs, and the service continues", async () => {
  await using one = await install();
  await one.write("first");
  const file = `${one.folder.path}/b.db`;
  assert.equal((await certmgr(["backup", file], { env: one.env })).code, 0);
  await using service = await startService(one.env);
  const { code, stderr } = await certmgr(["restore", file, "--replace"], { env: one.env });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^certmgr: Database ".*" is in use\. Stop the service and all commands that use it\.\n$/,
  );
  const body = { name: "second", slug: "second" };
  assert.equal((await api(service, { token: KEY, path: "extras/tags/", body })).status, 201);
  await stop(service);
  assert.deepEqual(await one.tags(), ["first", "second"]);
});

Deno.test("restore refuses to replace an existing database without --replace, and keeps a replaced one completely", async () => {
  await using one = await install();
  await one.write("first");
  const file = `${one.folder.path}/b.db`;
  assert.equal((await certmgr(["backup", file], { env: one.env })).code, 0);
  await one.write("second");
  const refused = await certmgr(["restore", file], { env: one.env });
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^certmgr: Database ".*" already exists\. Use --replace to move it aside\.\n$/,
  );
  assert.deepEqual(await one.tags(), ["first", "second"]);

  const { code, stdout } = await certmgr(["restore", file, "--replace", "--json"], { env: one.env });
  assert.equal(code, 0);
  const { kept } = JSON.parse(stdout);
  assert.match(kept, /\/data\/certmgr\.db\.replaced-\d{8}T\d{6}Z$/);
  const former = openReleased(kept);
  assert.deepEqual(await former.all(sql`SELECT name FROM tags ORDER BY id`), [{ name: "first" }, {
    name: "second",
  }]);
  former.close();
  assert.deepEqual(await one.tags(), ["first"]);
});

Deno.test("the WAL of a previous database is not applied to the restored one", async () => {
  await using one = await install();
  await one.write("first");
  const file = `${one.folder.path}/b.db`;
  assert.equal((await certmgr(["backup", file], { env: one.env })).code, 0);
  const path = `${one.env.CERTMGR_DATA_DIR}/certmgr.db`;
  {
    await using service = await startService(one.env);
    const body = { name: "lost", slug: "lost" };
    assert.equal((await api(service, { token: KEY, path: "extras/tags/", body })).status, 201);
    service.signal("SIGKILL");
    await service.ended();
  }
  assert.ok((await Deno.stat(`${path}-wal`)).size > 0);
  await Deno.remove(path);
  const refused = await certmgr(["restore", file], { env: one.env });
  assert.equal(refused.code, 1, "its WAL may be all that is left of it");
  assert.equal((await certmgr(["restore", file, "--replace"], { env: one.env })).code, 0);
  assert.equal((await certmgr(["check"], { env: one.env })).code, 0);
  assert.deepEqual(await one.tags(), ["first"]);
});

/** Any user but this one. */
const SERVICE = { uid: 61_234, gid: 61_235 };

/** Returns owner, group and mode of files. */
async function ownerAndMode(
  path: string,
): Promise<readonly [uid: number | null, gid: number | null, mode: string]> {
  const { uid, gid, mode } = await Deno.lstat(path);
  return [uid, gid, ((mode ?? 0) & 0o777).toString(8)];
}

Deno.test({
  name: "a database that root restores belongs to the owner of the folder, and nobody else can read it",
  // Only root can change the owner of files. The other tests cover restores by other users.
  ignore: Deno.uid() !== 0,
  async fn(t): Promise<void> {
    await using first = await install();
    await first.write("kept");
    const file = `${first.folder.path}/b.db`;
    assert.equal((await certmgr(["backup", file], { env: first.env })).code, 0);
    for (
      const [title, prepare] of [["exists", "data"], ["is created together with its parent", "new/data"]]
    ) {
      await t.step(`in a folder that ${title}`, async () => {
        await using folder = await testFolder();
        const own = `${folder.path}/srv`;
        await Deno.mkdir(`${own}/data`, { recursive: true, mode: 0o700 });
        for (const path of [own, `${own}/data`]) await Deno.chown(path, SERVICE.uid, SERVICE.gid);
        const data = `${own}/${prepare}`;
        const { code, stderr } = await certmgr(["restore", file], { env: { CERTMGR_DATA_DIR: data } });
        assert.deepEqual([code, stderr], [0, ""]);
        assert.deepEqual(await ownerAndMode(`${data}/certmgr.db`), [SERVICE.uid, SERVICE.gid, "600"]);
        assert.deepEqual(await ownerAndMode(data), [SERVICE.uid, SERVICE.gid, "700"]);
        assert.deepEqual(await ownerAndMode(dirname(data)), [SERVICE.uid, SERVICE.gid, "700"]);
        assert.deepEqual(await names(data), ["certmgr.db"]);
      });
    }
  },
});

Deno.test("a backup can have a name as long as file systems allow, and needs one", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  assert.equal((await certmgr(["migrate"], { env })).code, 0);
  const long = `${"x".repeat(252)}.db`;
  const { code, stderr } = await certmgr(["backup", `${folder.path}/${long}`], { env });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(await names(folder.path), ["data", long]);
  const refused = await certmgr(["backup", ""], { env });
  assert.deepEqual([refused.code, refused.stderr], [1, 'certmgr: Invalid file name "".\n']);
});

Deno.test({
  name: "a symbolic link in place of the restored file is not followed when its owner is changed",
  ignore: Deno.uid() !== 0,
  async fn(): Promise<void> {
    await using folder = await testFolder();
    const [target, link] = [`${folder.path}/root's`, `${folder.path}/srv/draft`];
    await Deno.mkdir(dirname(link));
    await Deno.chown(dirname(link), SERVICE.uid, SERVICE.gid);
    await Deno.writeTextFile(target, "");
    await Deno.symlink(target, link);
    await adoptOwner(link);
    assert.equal((await Deno.stat(target)).uid, 0);
    assert.equal((await Deno.lstat(link)).uid, SERVICE.uid);
  },
});

const INVALID: Readonly<
  Record<string, { make: (path: string, good: string) => Promise<unknown>; line: RegExp }>
> = {
  "a missing file": { make: () => Promise.resolve(), line: /cannot be copied: no such file/ },
  "an empty file": { make: (path) => Deno.writeTextFile(path, ""), line: /cannot be copied: it is empty/ },
  "a pipe": {
    make: (path) => new Deno.Command("/bin/sh", { args: ["-c", 'mkfifo "$0"', path] }).output(),
    line: /cannot be copied: it is not a regular file/,
  },
  "a folder": { make: (path) => Deno.mkdir(path), line: /cannot be copied: it is not a regular file/ },
  "a text": {
    make: (path) => Deno.writeTextFile(path, "no database ".repeat(1_000)),
    line: /cannot be restored: file is not a database/,
  },
  "a database of something else": {
    make: async (path) => {
      await Deno.remove(path).catch(() => {});
      const { default: Native } = await import("libsql");
      const other = new Native(path);
      other.exec("CREATE TABLE songs (x)");
      other.close();
    },
    line: /cannot be restored: it is not a certmgr database/,
  },
  "half a backup": {
    make: async (path, good) => {
      const bytes = await Deno.readFile(good);
      await Deno.writeFile(path, bytes.subarray(0, Math.floor(bytes.length / 2 / 4096) * 4096));
    },
    line: /cannot be restored: /,
  },
  "a backup of a newer release": {
    make: async (path, good) => {
      await Deno.copyFile(good, path);
      const { default: Native } = await import("libsql");
      const other = new Native(path);
      other.exec("INSERT INTO schema_migrations VALUES ('9999_later', 0, '')");
      other.close();
    },
    line: /Database is newer than this release: it has migration "9999_later"/,
  },
  "a database that is in use": {
    make: async (path, good) => {
      await Deno.copyFile(good, path);
      await Deno.writeTextFile(`${path}-wal`, "frames");
    },
    line: /is a database in use, not a backup: ".*-wal" belongs to it/,
  },
};

Deno.test("a file that cannot be restored is refused with the reason, and the existing database is not changed", async (t) => {
  await using one = await install();
  await one.write("kept");
  const good = `${one.folder.path}/good.db`;
  assert.equal((await certmgr(["backup", good], { env: one.env })).code, 0);
  for (const [title, { make, line }] of Object.entries(INVALID)) {
    await t.step(title, async () => {
      const path = `${one.folder.path}/${title}`;
      await make(path, good);
      const { code, stdout, stderr } = await certmgr(["restore", path, "--replace"], { env: one.env });
      assert.match(stderr, line);
      assert.match(stderr, /^certmgr: [^\n]*\n$/);
      assert.deepEqual([code, stdout], [1, ""]);
      const databases = (await names(one.env.CERTMGR_DATA_DIR)).filter((name) => name.startsWith("certmgr"));
      assert.deepEqual(databases, ["certmgr.db"]);
    });
  }
  assert.deepEqual(await one.tags(), ["kept"]);
});
