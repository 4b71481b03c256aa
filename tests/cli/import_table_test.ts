/** `certmgr import` with tables: recognized by content, in batches, through the database and a service. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { csvOf, metadata } from "../domain/certificates/import/support.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { certmgr, type Environment, startCommand, startService, testFolder } from "./process.ts";

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const ca = await TestCa.root({ cn: "Table Root" });
const leaf = await ca.issue({ cn: "table.example" });

interface Report {
  readonly code: number;
  readonly created_count: number;
  readonly updated_count: number;
  readonly unchanged_count: number;
  readonly skipped_count: number;
  readonly error_count: number;
  readonly results: readonly { readonly errors: readonly string[] }[];
}

async function importJson(args: readonly string[], env: Environment): Promise<Report> {
  const { code, stdout, stderr } = await certmgr(["import", ...args, "--json"], { env });
  assert.equal(stderr, "");
  return { ...JSON.parse(stdout) as Omit<Report, "code">, code };
}

function rows(from: number, to: number, more: Record<string, unknown> = {}): Record<string, unknown>[] {
  return Array.from({ length: to - from }, (_, index) => metadata(from + index, more));
}

/** Creates files without a known extension: 250 rows in CSV, of which two are invalid, and others. */
async function fill(folder: string): Promise<string[]> {
  const table = rows(0, 250, { comments: 'Line one\nand "two"; three' });
  Object.assign(table[7] as object, { algorithm: "morse" });
  Object.assign(table[212] as object, { valid_to: "soon" });
  const yaml = rows(400, 402).map((row) =>
    Object.entries(row).map(([name, value], index) =>
      `${index === 0 ? "- " : "  "}${name}: ${JSON.stringify(value)}\n`
    )
      .join("")
  ).join("");
  const pem = `# Certificate: table.example\n# Serial: 1\n\n${leaf.pem}\n# Certificate Chain\n${ca.pem}`;
  const files: [string, string][] = [
    ["1", csvOf(table, { end: "\r\n", delimiter: ";" })],
    ["2", JSON.stringify(rows(300, 305), null, 2)],
    ["3", `---\n# From elsewhere\n${yaml}`],
    ["4", pem],
  ];
  for (const [name, text] of files) await Deno.writeTextFile(`${folder}/${name}`, text);
  await Deno.writeFile(`${folder}/5`, (await ca.issue({ cn: "der.example" })).der);
  return [...files.map(([name]) => `${folder}/${name}`), `${folder}/5`];
}

async function checkTables(folder: string, env: Environment): Promise<void> {
  const files = await fill(folder);
  const shown = await certmgr(["import", files[0] as string], {
    env: { CERTMGR_DATA_DIR: `${folder}/shown` },
  });
  assert.match(
    shown.stdout,
    /│ Files │ Created │ Skipped │ Rows refused │ Files failed │\n│ 1 +│ 248 +│ 0 +│ 2 +│ 0 +│/,
  );
  const first = await importJson(files, env);
  assert.deepEqual([first.created_count, first.error_count, first.code], [248 + 5 + 2 + 1 + 1, 2, 1]);
  assert.deepEqual(first.results[0]?.errors, [
    'Row 8: algorithm: Invalid algorithm "morse". Expected one of ecdsa, ed25519, rsa, unknown.',
    'Row 213: valid_to: Invalid date format: "soon". Expected YYYY-MM-DD.',
  ]);

  const again = await importJson(files, env);
  assert.deepEqual([again.created_count, again.skipped_count, again.error_count], [0, 257, 2]);
  await Deno.writeTextFile(
    files[1] as string,
    JSON.stringify(rows(299, 305, { private_key_location: "vault" })),
  );
  const updated = await importJson([files[1] as string, "--on-duplicate", "update"], env);
  assert.deepEqual([updated.created_count, updated.updated_count, updated.unchanged_count], [1, 5, 0]);
  assert.deepEqual(
    (await importJson([files[1] as string, "--on-duplicate", "update"], env)).unchanged_count,
    6,
  );
}

Deno.test("tables of every format are stored in batches; invalid rows are reported, the others are stored", async () => {
  await using folder = await testFolder();
  await checkTables(folder.path, { CERTMGR_DATA_DIR: `${folder.path}/data` });
});

Deno.test("tables go through a running service with the same result, also when it allows smaller batches", async () => {
  await using folder = await testFolder();
  await using service = await startService({
    CERTMGR_DATA_DIR: `${folder.path}/data`,
    CERTMGR_ADMIN_TOKEN: KEY,
    CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE: "30",
  });
  const own = { CERTMGR_DATA_DIR: "/dev/null/nowhere" };
  await checkTables(folder.path, { ...own, CERTMGR_URL: service.url, CERTMGR_TOKEN: KEY });
});

/** Returns whether a database that another process writes has certificates. */
function hasCertificates(path: string): boolean {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    return database.prepare("SELECT 1 FROM certificates LIMIT 1").get() !== undefined;
  } catch {
    return false;
  }
}

Deno.test("a killed import continues when the command runs again, and stores nothing twice", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const count = 3_000;
  const file = `${folder.path}/table.csv`;
  await Deno.writeTextFile(file, csvOf(rows(0, count)));
  const child = startCommand(["import", file], env);
  while (!hasCertificates(`${folder.path}/data/certmgr.db`)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.kill("SIGKILL");
  await Promise.all([child.stdout.cancel(), child.stderr.cancel()]);
  assert.equal((await child.status).signal, "SIGKILL");
  const rest = await importJson([file], env);
  assert.deepEqual([rest.created_count + rest.skipped_count, rest.code], [count, 0]);
  assert(rest.created_count > 0 && rest.skipped_count > 0, `${rest.created_count} after the kill`);
  const last = await importJson([file], env);
  assert.deepEqual([last.created_count, last.skipped_count], [0, count]);
});

const WRONG: readonly [what: string, text: string, args: string[], line: RegExp][] = [
  ["a private key", `${csvOf(rows(0, 1))}${leaf.key.privateKeyPem}`, [], /Private key detected/],
  ["an unknown column", "common_name,serial_number,colour\na,1,red\n", [], /Unknown column "colour"/],
  ["an unclosed list", '[{"common_name": "x"}', [], /The JSON list is not complete/],
  ["the option for a tenant", csvOf(rows(0, 1)), ["--tenant", "Acme"], /A table has columns for tenant/],
];
for (const [what, text, args, line] of WRONG) {
  Deno.test(`a table with ${what} stores nothing and reports the reason`, async () => {
    await using folder = await testFolder();
    await Deno.writeTextFile(`${folder.path}/table`, text);
    const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
    const { created_count, results, code } = await importJson([`${folder.path}/table`, ...args], env);
    assert.deepEqual([created_count, code], [0, 1]);
    assert.match(results[0]?.errors.join("\n") ?? "", line);
  });
}

Deno.test("--overwrite without update is refused before anything is read", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  await Deno.writeTextFile(`${folder.path}/table`, csvOf(rows(0, 1)));
  const usage = await certmgr(["import", `${folder.path}/table`, "--overwrite"], { env });
  assert.deepEqual([usage.code, usage.stderr.trim()], [
    2,
    "certmgr: Option --overwrite needs --on-duplicate update.",
  ]);
});

Deno.test("at most 1,000 refused rows are listed; a terminal shows how far the import is, a pipe does not", async () => {
  await using folder = await testFolder();
  const file = `${folder.path}/table.csv`;
  await Deno.writeTextFile(file, csvOf(rows(0, 1_010, { status: "unknown" })));
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const { error_count, results: [{ errors } = { errors: [] }] } = await importJson([file], env);
  assert.deepEqual([error_count, errors.length], [1_010, 1_001]);
  assert.equal(errors.at(-1), "10 more rows were refused. Correct these first.");
  const shown = await certmgr(["import", file], { env, terminal: true });
  const line = shown.stdout.split("\r\x1b[K").find((text) => /· \d+ rows$/.test(text)) ?? "";
  assert.match(line, /^1 of 1 · \S+table\.csv · \d+ rows$/);
  const piped = await certmgr(["import", file], { env });
  assert.ok(!`${piped.stdout}${piped.stderr}`.includes("\x1b[K"));
});
