import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { readRequest, requestFields } from "../../src/x509/mod.ts";
import { openssl } from "../support/openssl.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { certmgr, startService, testFolder } from "./process.ts";

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const SANS = [
  "www.example.com",
  "IP:192.0.2.10",
  "IP:2001:db8::10",
  "email:a@example.com",
  "URI:spiffe://x/y",
];
/** None of its characters may affect how the name is written. */
const CN = '#0c0141 Müller, "A" + \\ O=x';
const KEY_TYPES = [
  ["ecdsa-p256", "ecdsa", 256],
  ["rsa-2048", "rsa", 2048],
  ["rsa-3072", "rsa", 3072],
  ["ed25519", "ed25519", 256],
] as const;

/** Returns the names of the files in a folder. */
async function filesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

/** Returns the fields of a request as our own parser reads them. */
function fieldsOf(pem: string): ReturnType<typeof requestFields> {
  const { request, findings } = readRequest(pem);
  assert.ok(request, JSON.stringify(findings));
  assert.deepEqual(findings, []);
  return requestFields(request);
}

for (const [type, algorithm, size] of KEY_TYPES) {
  Deno.test(`a request with a key of the type ${type} verifies with openssl, and is read by our own reader`, async () => {
    await using folder = await testFolder();
    const [key, request] = [`${folder.path}/www.key`, `${folder.path}/www.csr`];
    const { code, stdout, stderr } = await certmgr([
      ...["csr", "create", "--cn", CN, "--key-type", type, "--key-out", key, "--out", request],
      ...SANS.flatMap((san) => ["--san", san]),
    ]);
    assert.deepEqual([code, stdout], [0, ""], stderr);
    assert.match(stderr, /^Wrote private key .*www\.key\nWrote request .*www\.csr\n$/);
    await openssl(["req", "-verify", "-in", request, "-noout"]);
    const fields = fieldsOf(await Deno.readTextFile(request));
    assert.deepEqual([fields.algorithm, fields.key_size], [algorithm, size]);
    assert.deepEqual([fields.common_name, fields.sans], [CN, SANS]);
    const keyPem = await Deno.readTextFile(key);
    const publicPem = createPublicKey(createPrivateKey(keyPem)).export({ type: "spki", format: "pem" });
    assert.equal(publicPem, await openssl(["req", "-in", request, "-noout", "-pubkey"]));
    assert.match(keyPem, /^-----BEGIN PRIVATE KEY-----\n/);
    assert.equal((await Deno.stat(key)).mode! & 0o777, 0o600);
    assert.deepEqual(await filesIn(folder.path), ["www.csr", "www.key"]);
  });
}

Deno.test("without --out the request goes to standard output, without --san it is for the common name", async () => {
  await using folder = await testFolder();
  const sansOf = async (cn: string): Promise<readonly string[]> => {
    const key = `${folder.path}/${crypto.randomUUID()}.key`;
    const { code, stdout } = await certmgr(["csr", "create", "--cn", cn, "--key-out", key]);
    assert.equal(code, 0);
    assert.equal(fieldsOf(stdout).common_name, cn);
    return fieldsOf(stdout).sans;
  };
  assert.deepEqual(await sansOf("*.example.com"), ["*.example.com"]);
  assert.deepEqual(await sansOf("192.0.2.10"), ["IP:192.0.2.10"]);
  assert.deepEqual(await sansOf("Example Root CA"), []);
});

const ca = await TestCa.root({ cn: "Request Root" });

/** Imports a certificate with two names into a new database. */
async function seed(folder: string): Promise<{ CERTMGR_DATA_DIR: string }> {
  const env = { CERTMGR_DATA_DIR: `${folder}/data` };
  const leaf = await ca.issue({ cn: "shop.example.com", sans: ["shop.example.com", "www.shop.example.com"] });
  await Deno.writeTextFile(`${folder}/shop.pem`, leaf.pem);
  assert.equal((await certmgr(["import", `${folder}/shop.pem`], { env })).code, 0);
  return env;
}

Deno.test("--for takes names that are not given from a certificate in the local database", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  const make = async (...args: string[]): Promise<ReturnType<typeof requestFields>> => {
    const key = `${folder.path}/${crypto.randomUUID()}.key`;
    const result = await certmgr(["csr", "create", "--for", "1", "--key-out", key, ...args], { env });
    assert.equal(result.code, 0, result.stderr);
    return fieldsOf(result.stdout);
  };
  const whole = await make();
  assert.deepEqual(whole.common_name, "shop.example.com");
  assert.deepEqual(whole.sans, ["shop.example.com", "www.shop.example.com"]);
  assert.deepEqual((await make("--cn", "other")).sans, whole.sans);
  const given = await make("--san", "a.example");
  assert.deepEqual([given.common_name, given.sans], ["shop.example.com", ["a.example"]]);
  const missing = await certmgr(["csr", "create", "--for", "9", "--key-out", `${folder.path}/x`], { env });
  assert.deepEqual([missing.code, missing.stderr], [
    1,
    "certmgr: Certificate 9 does not exist, or you may not view it.\n",
  ]);
});

Deno.test("with --url the names come from the service, which registers the request and never sees the key", async () => {
  await using folder = await testFolder();
  const env = await seed(folder.path);
  await using service = await startService({ ...env, CERTMGR_ADMIN_TOKEN: KEY });
  const [key, request] = [`${folder.path}/shop.key`, `${folder.path}/shop.csr`];
  const { code, stderr } = await certmgr(
    ["csr", "create", "--for", "1", "--key-out", key, "--out", request, "--url", service.url],
    { env: { CERTMGR_TOKEN: KEY } },
  );
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Registered signing request 1 at http/);
  const headers = { authorization: `Token ${KEY}` };
  const stored = await (await fetch(`${service.url}/api/plugins/certmgr/csrs/1/`, { headers })).json();
  assert.deepEqual(
    [stored.common_name, stored.sans, stored.pem_content, stored.status],
    [
      "shop.example.com",
      ["shop.example.com", "www.shop.example.com"],
      await Deno.readTextFile(request),
      "pending",
    ],
  );
});

Deno.test("a request that cannot be registered leaves no file", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data`, CERTMGR_ADMIN_TOKEN: KEY };
  await using service = await startService(env);
  const files = `${folder.path}/files`;
  await Deno.mkdir(files);
  const create = (url: string, token: string): ReturnType<typeof certmgr> =>
    certmgr(
      [
        ...["csr", "create", "--cn", "a.example", "--key-out", `${files}/a.key`, "--out", `${files}/a.csr`],
        ...["--url", url],
      ],
      { env: { CERTMGR_TOKEN: token } },
    );
  const refused = await create(service.url, KEY.toUpperCase());
  assert.deepEqual([refused.code, await filesIn(files)], [1, []], refused.stderr);
  const absent = await create("http://127.0.0.1:9", KEY);
  assert.match(absent.stderr, /^certmgr: Service at http:\/\/127\.0\.0\.1:9 cannot be reached: /);
  assert.deepEqual([absent.code, await filesIn(files)], [1, []]);
  assert.equal((await create(service.url, KEY)).code, 0);
  assert.deepEqual(await filesIn(files), ["a.csr", "a.key"]);
});

Deno.test("no file is overwritten, and none is created when the other one exists or cannot be written", async () => {
  await using folder = await testFolder();
  const path = (name: string): string => `${folder.path}/${name}`;
  const create = (key: string, out: string): ReturnType<typeof certmgr> =>
    certmgr(["csr", "create", "--cn", "a.example", "--key-out", path(key), "--out", path(out)]);
  await Deno.writeTextFile(path("taken"), "mine");
  await Deno.symlink(path("nothing"), path("dangling"));
  const before = await filesIn(folder.path);
  for (const [key, out] of [["taken", "a.csr"], ["a.key", "taken"], ["dangling", "a.csr"]] as const) {
    const { code, stderr } = await create(key, out);
    assert.equal(code, 1);
    assert.match(stderr, /^certmgr: File ".*(taken|dangling)" already exists/);
  }
  const { code, stderr } = await create("a.key", "no/folder/a.csr");
  assert.equal(code, 1);
  assert.match(stderr, /^certmgr: File ".*a\.csr" cannot be written: its folder does not exist\n$/);
  const same = await create("a.key", "../" + folder.path.split("/").at(-1) + "/a.key");
  assert.deepEqual([same.code, /are the same file/.test(same.stderr)], [2, true], same.stderr);
  assert.deepEqual(await filesIn(folder.path), before);
  assert.equal(await Deno.readTextFile(path("taken")), "mine");
});

const REFUSED: readonly [title: string, args: string[], line: RegExp][] = [
  ["no name", [], /^certmgr: The request has no name\. Use --cn <name>, or --for <id> .*\n$/],
  [
    "an empty common name",
    ["--cn", " "],
    /^certmgr: Invalid common name " "\. Use 1 to 64 visible characters\.\n$/,
  ],
  ["a common name of 65 characters", ["--cn", "a".repeat(65)], /^certmgr: Invalid common name/],
  ["a common name with a line feed", ["--cn", "a\nb"], /^certmgr: Invalid common name "a\\nb"/],
  ["an invalid name", ["--cn", "a", "--san", "a..b"], /^certmgr: Invalid DNS name "a\.\.b"\. Use letters, /],
  [
    "an invalid key type",
    ["--cn", "a", "--key-type", "dsa"],
    /option '--key-type <type>' argument 'dsa' is invalid\. Allowed choices are ecdsa-p256, rsa-2048, /,
  ],
  ["an invalid id", ["--for", "x"], /^certmgr: Invalid certificate id "x"\. Use the number/],
];

for (const [title, args, line] of REFUSED) {
  Deno.test(`a request with ${title} is a usage error, and no file is created`, async () => {
    await using folder = await testFolder();
    const { code, stderr } = await certmgr(["csr", "create", "--key-out", `${folder.path}/key`, ...args]);
    assert.deepEqual([code, await filesIn(folder.path)], [2, []]);
    assert.match(stderr, line);
  });
}

Deno.test("a common name of 64 characters is accepted", async () => {
  await using folder = await testFolder();
  const cn = "ä".repeat(64);
  const { code, stdout } = await certmgr(["csr", "create", "--cn", cn, "--key-out", `${folder.path}/key`]);
  assert.deepEqual([code, fieldsOf(stdout).common_name], [0, cn]);
});

Deno.test("only the command that builds requests loads the library for them", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `import "./src/main.ts"; console.log(typeof Reflect.getMetadata)`,
    ],
    cwd: new URL("../..", import.meta.url),
  }).output();
  assert.ok(new TextDecoder().decode(stdout).trim().endsWith("undefined"));
});
