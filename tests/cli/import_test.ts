import assert from "node:assert/strict";
import { chunksOf, readTexts } from "../../src/cli/certificate_files.ts";
import { buildRequest, pkcs7, TestCa } from "../support/test_ca/mod.ts";
import { certmgr, type Environment, type Finished, startService, testFolder } from "./process.ts";

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const ca = await TestCa.root({ cn: "CLI Root" });
const leaves = await Promise.all(["a", "b", "c"].map((name) => ca.issue({ cn: `${name}.example` })));
const [a, b, c] = leaves as [typeof leaves[0], typeof leaves[0], typeof leaves[0]];

/** Creates a folder with valid files of every kind, and invalid ones. */
async function fill(folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/deep/er`, { recursive: true });
  await Deno.writeTextFile(`${folder}/a.pem`, a.pem + ca.pem);
  await Deno.writeFile(`${folder}/deep/b.CER`, b.der);
  await Deno.writeFile(`${folder}/deep/er/all.p7b`, pkcs7([b.der, c.der]));
  await Deno.writeTextFile(`${folder}/junk.crt`, "no certificate");
  await Deno.writeTextFile(`${folder}/privkey.pem`, c.pem + c.key.privateKeyPem);
  await Deno.writeTextFile(`${folder}/steer\u001b[31m.pem`, "");
  await Deno.writeTextFile(`${folder}/notes.txt`, a.pem);
  await Deno.symlink("a.pem", `${folder}/link.pem`);
  await Deno.symlink("nowhere", `${folder}/dangling.pem`);
  await Deno.symlink("..", `${folder}/deep/loop`);
}

interface Report {
  files: number;
  created_count: number;
  skipped_count: number;
  failed_count: number;
  results: { file: string; created: { common_name: string }[]; skipped: unknown[]; errors: string[] }[];
}

async function importJson(args: readonly string[], env: Environment): Promise<Report & { code: number }> {
  const { code, stdout, stderr } = await certmgr(["import", ...args, "--json"], { env });
  assert.equal(stderr, "");
  return { ...JSON.parse(stdout) as Report, code };
}

async function checkImport(folder: string, env: Environment): Promise<void> {
  const { results, code, ...counts } = await importJson([folder], env);
  assert.deepEqual(counts, {
    files: 7,
    created_count: 4,
    updated_count: 0,
    unchanged_count: 0,
    skipped_count: 3,
    failed_count: 3,
    error_count: 0,
  });
  assert.equal(code, 1, "Some files failed");
  const byFile = new Map(results.map((result) => [result.file.slice(folder.length + 1), result]));
  assert.deepEqual(byFile.get("deep/er/all.p7b")?.created.map((one) => one.common_name), ["c.example"]);
  assert.deepEqual(byFile.get("junk.crt")?.errors.length, 1);
  assert.deepEqual(byFile.get("privkey.pem")?.errors, [
    "Private key detected. Private keys are never stored.",
  ]);
  const again = await importJson([`${folder}/a.pem`, `${folder}/deep`], env);
  assert.deepEqual([again.created_count, again.skipped_count, again.failed_count, again.code], [0, 5, 0, 0]);
}

Deno.test("a folder is imported into the database: every kind of file, each certificate once, failures reported", async () => {
  await using folder = await testFolder();
  await fill(`${folder.path}/certs`);
  await checkImport(`${folder.path}/certs`, { CERTMGR_DATA_DIR: `${folder.path}/data` });
});

Deno.test("a folder is imported through a running service, with the same result", async () => {
  await using folder = await testFolder();
  await fill(`${folder.path}/certs`);
  await using service = await startService({
    CERTMGR_DATA_DIR: `${folder.path}/data`,
    CERTMGR_ADMIN_TOKEN: KEY,
  });
  // A command that opened the database itself would fail here.
  const own = { CERTMGR_DATA_DIR: "/dev/null/nowhere" };
  await checkImport(`${folder.path}/certs`, { ...own, CERTMGR_URL: service.url, CERTMGR_TOKEN: KEY });
});

Deno.test("on a terminal, counts and failures are tables, and a file name cannot send control sequences", async () => {
  await using folder = await testFolder();
  await fill(`${folder.path}/certs`);
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const { code, stdout } = await certmgr(["import", `${folder.path}/certs`], { env });
  assert.equal(code, 1);
  assert.match(stdout, /│ Files │ Created │ Skipped │ Files failed │\n│ 7 +│ 4 +│ 3 +│ 3 +│/);
  assert.match(stdout, /junk\.crt +│ No PEM block/);
  assert.match(stdout, /steer\\u\{1B\}\[31m\.pem/);
  assert.ok(!stdout.includes("\u001b") && !stdout.includes("PRIVATE KEY"));
});

Deno.test("an import sets tenant, tags and the location of the keys; unknown ones refuse it", async () => {
  await using folder = await testFolder();
  const file = `${folder.path}/a.pem`;
  await Deno.writeTextFile(file, a.pem);
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  for (const extra of [["--tenant", "Nobody"], ["--tag", "no-such-tag"]]) {
    const { code, results } = await importJson([file, ...extra], env);
    assert.deepEqual([code, results[0]?.errors.length, results[0]?.created], [1, 1, []]);
    assert.match(results[0]?.errors[0] as string, /^(tenant|tags): /);
  }
  assert.equal((await importJson([file, "--private-key-location", "vault:a"], env)).created_count, 1);
  const exported = await certmgr(["export", "--fields", "common_name,private_key_location"], { env });
  assert.deepEqual(JSON.parse(exported.stdout), [{
    common_name: "a.example",
    private_key_location: "vault:a",
  }]);
});

const STOPPED: readonly { title: string; args: string[]; line: RegExp }[] = [
  {
    title: "a missing path",
    args: ["/no/such/file.pem"],
    line: /^certmgr: File "\/no\/such\/file\.pem" does not exist\.\n$/,
  },
  {
    title: "a folder without certificates",
    args: ["migrations"],
    line: /^certmgr: No certificate files found\. Expected \.pem, /,
  },
  {
    title: "a service behind a closed port",
    args: ["FILE", "--url", "http://127.0.0.1:4", "--token", KEY],
    line: /^certmgr: Service at http:\/\/127\.0\.0\.1:4 cannot be reached: connection refused\n$/,
  },
];

for (const { title, args, line } of STOPPED) {
  Deno.test(`${title} ends the import with one line and exit code 1`, async () => {
    await using folder = await testFolder();
    await Deno.writeTextFile(`${folder.path}/a.pem`, a.pem);
    const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
    const own = args.map((arg) => arg === "FILE" ? `${folder.path}/a.pem` : arg);
    const { code, stderr }: Finished = await certmgr(["import", ...own], { env });
    assert.match(stderr, line);
    assert.equal(code, 1);
  });
}

Deno.test("a token that the service refuses ends the import at once", async () => {
  await using folder = await testFolder();
  await fill(`${folder.path}/certs`);
  await using service = await startService({ CERTMGR_DATA_DIR: `${folder.path}/data` });
  const env = { CERTMGR_URL: service.url, CERTMGR_TOKEN: KEY };
  const { code, stdout, stderr } = await certmgr(["import", `${folder.path}/certs`], { env });
  assert.deepEqual([code, stdout, stderr], [1, "", "certmgr: Invalid token\n"]);
});

Deno.test("a certificate signing request is refused with the address to import it, as PEM, as DER and among certificates", async () => {
  await using folder = await testFolder();
  const file = `${folder.path}/request`;
  const { pem, der } = await buildRequest();
  for (const content of [pem, der, a.pem + pem]) {
    await Deno.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content);
    await assert.rejects(readTexts(file, []), {
      name: "CommandError",
      message: "Contains a certificate signing request, not a certificate. Send it to " +
        "POST /api/plugins/certmgr/csrs/import/.",
    });
  }
});

Deno.test("a table is refused with the command to use, even if it contains certificates", async () => {
  await using folder = await testFolder();
  for (
    const [name, content] of [["all.csv", `common_name,pem_content\r\na,"${a.pem}"`], ["ALL.JSON", "[]"]]
  ) {
    const file = `${folder.path}/${name}`;
    await Deno.writeTextFile(file, content as string);
    await assert.rejects(readTexts(file, []), {
      name: "CommandError",
      message: /^No table of certificates: expected CSV with columns such as common_name/,
    });
  }
});

Deno.test("a long text is split between certificates, none is lost, and each part is below the limit of a request", () => {
  const block = `${"-".repeat(5)}BEGIN CERTIFICATE${"-".repeat(5)}\n${
    "QUJD".repeat(400)
  }\n-----END CERTIFICATE-----\n`;
  const text = `# bundle\n${block.repeat(1_000)}# the end\n`;
  const chunks = chunksOf(text);
  assert.ok(chunks.length > 1);
  assert.ok(chunks.every((chunk) => chunk.length <= 512 * 1024 && chunk.includes("-----BEGIN ")));
  assert.equal(chunks.join("").split("-----BEGIN ").length - 1, 1_000);
  assert.ok(chunks.every((chunk) => chunk.split("-----BEGIN ").length === chunk.split("-----END ").length));
  assert.deepEqual(chunksOf(block), [block]);
  assert.deepEqual(chunksOf("x".repeat(600 * 1024)).length, 1);
});
