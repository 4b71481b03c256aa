import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { certmgr, startService, testFolder } from "./process.ts";

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const ca = await TestCa.root({ cn: "Export Root" });
const pem = (await Promise.all(["one", "two"].map((name) => ca.issue({ cn: `${name}.example` })))).map((
  one,
) => one.pem);

/** Creates a data folder with two certificates. */
async function seed(folder: string): Promise<{ CERTMGR_DATA_DIR: string }> {
  const env = { CERTMGR_DATA_DIR: `${folder}/data` };
  await Deno.writeTextFile(`${folder}/both.pem`, pem.join(""));
  assert.equal((await certmgr(["import", `${folder}/both.pem`], { env })).code, 0);
  return env;
}

Deno.test("an export goes to standard output, with the requested fields and filters", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const { code, stdout } = await certmgr([
    "export",
    "--fields",
    "common_name,status",
    "--filter",
    "common_name=two",
  ], { env });
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), [{ common_name: "two.example", status: "active" }]);
  const whole = JSON.parse((await certmgr(["export", "--include-pem"], { env })).stdout);
  assert.deepEqual(whole.map((one: { pem_content: string }) => one.pem_content), pem);
  // A repeated filter is OR, as in the REST list.
  const both = await certmgr(["export", "--filter", "id=1", "--filter", "id=2"], { env });
  assert.equal(JSON.parse(both.stdout).length, 2);
});

Deno.test("the other formats are available, too, with and without the chain", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  await Deno.writeTextFile(`${folder.path}/chained.pem`, pem[0] + ca.pem);
  await certmgr(["import", `${folder.path}/chained.pem`], { env });
  const run = async (...args: string[]): Promise<string> => {
    const filter = ["--filter", "common_name=one"];
    return (await certmgr(["export", "--format", ...args, ...filter], { env })).stdout;
  };
  assert.equal(await run("csv", "--fields", "id,common_name"), "id,common_name\r\n1,one.example\r\n");
  assert.match(await run("yaml", "--fields", "common_name"), /^- common_name: "?one\.example"?\n/);
  assert.equal((await run("pem")).split("-----BEGIN CERTIFICATE-----").length - 1, 2);
  assert.equal((await run("pem", "--no-include-chain")).split("-----BEGIN CERTIFICATE-----").length - 1, 1);
});

Deno.test("an export to a terminal escapes control characters, an export to a pipe does not", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const text = "\x1b[31mred\u202e\x9b";
  const database = await openFileDatabase({ path: `${env.CERTMGR_DATA_DIR}/certmgr.db` });
  await database.write((tx) => tx.run(sql`UPDATE certificates SET private_key_location = ${text}`));
  database.close();
  for (const format of ["json", "csv", "yaml"]) {
    const args = ["export", "--format", format, "--fields", "private_key_location"];
    const shown = (await certmgr(args, { env, terminal: true })).stdout;
    // deno-lint-ignore no-control-regex -- control characters are what the test is about
    assert.doesNotMatch(shown, /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]/);
    assert.match(shown, /\\u\{?202E/i);
    const piped = (await certmgr(args, { env })).stdout;
    if (format === "json") assert.equal(JSON.parse(piped)[0].private_key_location, text);
    else assert(piped.includes("\u202e") || /\\u202e/i.test(piped), piped);
  }
});

Deno.test("an export to a file leaves exactly that file, replacing the one before", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const file = `${folder.path}/out.json`;
  await Deno.writeTextFile(file, "old");
  const { code, stdout, stderr } = await certmgr(["export", "--output", file], { env });
  assert.deepEqual([code, stdout, stderr], [0, "", `Wrote ${file}\n`]);
  assert.equal(JSON.parse(await Deno.readTextFile(file)).length, 2);
  assert.deepEqual(await namesIn(folder.path), ["both.pem", "data", "out.json"]);
});

/** A name as long as file systems allow. */
const LONG = "x".repeat(255);

Deno.test("an export writes to a name of 255 bytes, and into a pipe, which stays", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const [file, pipe] = [`${folder.path}/${LONG}`, `${folder.path}/pipe`];
  const long = await certmgr(["export", "--output", file], { env });
  assert.deepEqual([long.code, long.stderr], [0, `Wrote ${file}\n`]);
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const read = new Deno.Command("cat", { args: [pipe] }).output();
  const { code, stderr } = await certmgr(["export", "--output", pipe], { env });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(new TextDecoder().decode((await read).stdout), await Deno.readTextFile(file));
  assert.ok((await Deno.lstat(pipe)).isFifo);
  assert.deepEqual(await namesIn(folder.path), ["both.pem", "data", "pipe", LONG]);
});

Deno.test("a refused export reports the reason in one line and leaves no file", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const file = `${folder.path}/out.json`;
  const refused: readonly (readonly [args: string[], code: number, line: RegExp])[] = [
    [["--filter", "statsu=active"], 2, /^certmgr: statsu: Unknown filter\. Did you mean “status”\?\n$/],
    [["--fields", "common_nam"], 2, /^certmgr: fields: Unknown field .*common_name.*\n$/],
    [["--format", "xml"], 2, /^certmgr: format: .*xml.*\n$/],
  ];
  for (const [args, expected, line] of refused) {
    const { code, stderr } = await certmgr(["export", "--output", file, ...args], {
      env: { ...env, CERTMGR_MAX_EXPORT_SIZE: "1" },
    });
    assert.match(stderr, line);
    assert.equal(code, expected);
  }
  assert.deepEqual(await namesIn(folder.path), ["both.pem", "data"]);
});

Deno.test("a complete database is exported, without the limit of the API", async () => {
  await using folder = await testFolder();
  const env = { ...await seed(folder.path), CERTMGR_MAX_EXPORT_SIZE: "1" };
  const { stdout } = await certmgr(["export", "--fields", "common_name"], { env });
  assert.equal(JSON.parse(stdout).length, 2);
});

Deno.test("a file that cannot be written is reported with the requested name, and no temporary file remains", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const places: readonly (readonly [path: string, line: string])[] = [
    [`${folder.path}/none/x.json`, `Folder "${folder.path}/none" does not exist.`],
    [`${folder.path}/data`, `File "${folder.path}/data" cannot be written: is a directory`],
    ["", 'Invalid file name "".'],
  ];
  for (const [path, line] of places) {
    const { code, stderr } = await certmgr(["export", "--output", path], { env });
    assert.deepEqual([code, stderr], [1, `certmgr: ${line}\n`]);
  }
  assert.deepEqual(await namesIn(folder.path), ["both.pem", "data"]);
});

Deno.test("a reader that stops early causes no error message", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const { code, stderr } = await certmgr(["export", "--include-pem"], { env, unread: true });
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test("a running service exports the same document, and its refusals are reported, too", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  await using service = await startService({ ...env, CERTMGR_ADMIN_TOKEN: KEY });
  const remote = { CERTMGR_URL: service.url, CERTMGR_TOKEN: KEY, CERTMGR_DATA_DIR: "/dev/null/nowhere" };
  const args = ["export", "--fields", "id,common_name,valid_to"];
  assert.equal((await certmgr(args, { env: remote })).stdout, (await certmgr(args, { env })).stdout);
  const refused = await certmgr(["export", "--filter", "statsu=active"], { env: remote });
  assert.deepEqual(
    [refused.code, refused.stdout, refused.stderr],
    [2, "", "certmgr: statsu: Unknown filter. Did you mean “status”?\n"],
  );
});

Deno.test("a response that does not come from certmgr is an error", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("<html>gateway</html>", { status: 502 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { code, stderr } = await certmgr(["export", "--url", url, "--token", KEY]);
  await server.shutdown();
  assert.equal(
    stderr,
    "certmgr: The service answered with status 502. Use the address of a certmgr service.\n",
  );
  assert.equal(code, 1);
});

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}
