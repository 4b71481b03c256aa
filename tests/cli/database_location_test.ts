import assert from "node:assert/strict";
import { certmgr, testFolder } from "./process.ts";

const READING = [
  ["export"],
  ["user", "list"],
  ["user", "passwd", "admin", "--password-stdin"],
  ["token", "list"],
  ["token", "create", "--user", "admin"],
  ["token", "revoke", "1"],
];

for (const args of READING) {
  Deno.test(`certmgr ${args.slice(0, 2).join(" ")} reports a missing database, and does not create it`, async () => {
    await using folder = await testFolder();
    const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
    const { code, stdout, stderr } = await certmgr(args, { env, stdin: "correct horse battery" });
    assert.deepEqual([code, stdout], [1, ""]);
    const path = `${folder.path}/data/certmgr.db`;
    const start =
      `certmgr: Database "${path}" does not exist. Create it with "deno task start" or "certmgr migrate"`;
    assert.equal(stderr, `${start}${args[0] === "export" ? ", or a running service with --url" : ""}.\n`);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
  });
}

Deno.test("a data folder that is a file, or lies below one, is reported without advice about the runtime", async () => {
  await using folder = await testFolder();
  const file = `${folder.path}/file`;
  await Deno.writeTextFile(file, "");
  const places: readonly (readonly [args: string[], path: string, text: string])[] = [
    [["migrate"], file, "is a file. Use a folder"],
    [["migrate", "--check"], file, "is a file. Use a folder"],
    [["user", "list"], file, "is a file. Use a folder"],
    [["migrate"], `${file}/data`, "cannot be created: a part of the path is a file, not a folder"],
    [["migrate"], "/proc/data", "cannot be created: this process has no permission"],
    [["user", "list"], "/proc/data", "cannot be read: this process has no permission"],
  ];
  for (const [args, path, text] of places) {
    const { code, stderr } = await certmgr(args, { env: { CERTMGR_DATA_DIR: path } });
    assert.deepEqual([code, stderr], [1, `certmgr: Data folder "${path}" ${text}\n`]);
  }
});

Deno.test("a database server that does not answer is reported with the cause and without its token", async () => {
  const env = { CERTMGR_DATABASE_URL: "http://127.0.0.1:4", CERTMGR_DATABASE_AUTH_TOKEN: "hush-hush" };
  for (const args of [["migrate"], ["migrate", "--check"], ["serve"], ["user", "list"]]) {
    const { code, stdout, stderr } = await certmgr(args, { env: { ...env, CERTMGR_PORT: "0" } });
    const line = "certmgr: Database server at http://127.0.0.1:4 cannot be reached: connection refused\n";
    assert.deepEqual([code, stdout, stderr], [1, "", line]);
  }
});

Deno.test("a database server that refuses the token is reported with its response", async () => {
  const refuse = (): Response => new Response("no", { status: 401 });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, refuse);
  const url = `http://127.0.0.1:${server.addr.port}`;
  const env = { CERTMGR_DATABASE_URL: url, CERTMGR_DATABASE_AUTH_TOKEN: "hush-hush" };
  const { code, stderr } = await certmgr(["migrate"], { env });
  await server.shutdown();
  const line = `Database server at ${url} answered with status 401. Set a valid token`;
  assert.deepEqual([code, stderr], [1, `certmgr: ${line} in CERTMGR_DATABASE_AUTH_TOKEN.\n`]);
});

Deno.test("a service without TLS, and one that redirects, are reported with the reason", async () => {
  const redirect = (): Response => Response.redirect("http://127.0.0.1:4/");
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, redirect);
  const { port } = server.addr;
  const cases = [
    [`https://127.0.0.1:${port}`, "the server does not use TLS. Use http:// instead of https://"],
    [`http://127.0.0.1:${port}`, "the server redirects. Use the address that it redirects to"],
  ] as const;
  for (const [url, reason] of cases) {
    const { code, stderr } = await certmgr(["export", "--url", url, "--token", "x"]);
    assert.deepEqual([code, stderr], [1, `certmgr: Service at ${url} cannot be reached: ${reason}\n`]);
  }
  await server.shutdown();
});

Deno.test("listing the tokens of an unknown user is an error, not an empty list", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path };
  const made = await certmgr(["user", "create", "alice", "--password-stdin"], {
    env,
    stdin: "correct horse battery",
  });
  assert.equal(made.code, 0);
  for (const username of ["alice", "Alice"]) {
    const { code, stdout } = await certmgr(["token", "list", "--user", username, "--json"], { env });
    assert.deepEqual([code, stdout], [0, "[]\n"]);
  }
  const { code, stderr } = await certmgr(["token", "list", "--user", "nobody"], { env });
  assert.deepEqual([code, stderr], [
    1,
    'certmgr: User "nobody" does not exist. Run "certmgr user list" to see all users.\n',
  ]);
});
