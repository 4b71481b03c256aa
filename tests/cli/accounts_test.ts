import assert from "node:assert/strict";
import { api, certmgr, type Finished, startService, testFolder } from "./process.ts";

const PASSWORD = "correct horse battery";

/** Runs a command that must succeed, and parses its output as JSON. */
async function json(
  args: readonly string[],
  options: Parameters<typeof certmgr>[1],
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await certmgr([...args, "--json"], options);
  assert.deepEqual([code, stderr], [0, ""]);
  return JSON.parse(stdout);
}

function failed({ code, stdout, stderr }: Finished): string {
  assert.deepEqual([code, stdout], [1, ""]);
  return stderr;
}

Deno.test("a user is created, listed, gets a new password, and can sign in with the new one only", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path };
  const options = ["--email", "alice@example.com", "--superuser", "--password-stdin"];
  const user = await json(["user", "create", "alice", ...options], { env, stdin: `${PASSWORD}\n` });
  assert.deepEqual([user.username, user.email, user.is_superuser], ["alice", "alice@example.com", true]);
  assert.ok(!JSON.stringify(user).includes(PASSWORD));
  assert.deepEqual((await json(["user", "list"], { env }) as unknown as unknown[]).length, 1);
  assert.match(
    (await certmgr(["user", "list"], { env })).stdout,
    /│ 1 +│ alice +│ yes +│ yes +│ alice@example\.com/,
  );
  // Windows has other line ends; spaces belong to the password.
  const changed = await json(["user", "passwd", "ALICE", "--password-stdin"], {
    env,
    stdin: " a password \r\n",
  });
  assert.deepEqual(changed, { id: 1, username: "alice" });

  await using service = await startService(env);
  assert.ok(!service.greeting.some((line) => line.includes("First start")), "There is a user already");
  for (const [password, status] of [[" a password ", 201], ["a password", 401], [PASSWORD, 401]] as const) {
    const body = { username: "alice", password };
    assert.equal(
      (await api(service, { token: "", path: "users/tokens/provision/", body })).status,
      status,
      password,
    );
  }
});

Deno.test("errors of a new user are reported in one line, and nothing is created", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path };
  const create = (name: string, stdin: string): Promise<Finished> =>
    certmgr(["user", "create", name, "--password-stdin"], { env, stdin });
  assert.match(failed(await create("eve", "short")), /^certmgr: password: .*12 characters\.\n$/);
  assert.match(failed(await create("e ve\u001b[31m", PASSWORD)), /^certmgr: username: \P{Cc}*\n$/u);
  assert.match(
    failed(await create("eve", "x".repeat(5_000))),
    /^certmgr: The password is longer than 4096 bytes\.\n$/,
  );
  assert.deepEqual(await json(["user", "list"], { env }), []);
  assert.match(
    failed(await certmgr(["user", "passwd", "nobody", "--password-stdin"], { env, stdin: PASSWORD })),
    /^certmgr: User "nobody" does not exist\. Run "certmgr user list" to see all users\.\n$/,
  );
});

Deno.test("without a terminal there is no password prompt", async () => {
  const { code, stderr } = await certmgr(["user", "create", "alice"]);
  assert.equal(stderr, "certmgr: A password prompt needs a terminal. Use --password-stdin.\n");
  assert.equal(code, 2);
});

Deno.test("a token is created with every option, is accepted by the service, is listed without its key, and is revoked", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path };
  await json(["user", "create", "robot", "--superuser", "--password-stdin"], { env, stdin: PASSWORD });
  const options = ["--expires", "2099-01-01", "--allowed-ip", "127.0.0.0/8", "--allowed-ip", "::1"];
  const made = [
    "token",
    "create",
    "--user",
    "robot",
    "--description",
    "\u202etxt\u0085",
    "--read-only",
    ...options,
  ];
  const token = await json(made, { env });
  assert.deepEqual(token.allowed_ips, ["127.0.0.0/8", "::1"]);
  assert.deepEqual([token.expires, token.write_enabled], ["2099-01-01T00:00:00Z", false]);
  const plain = (await certmgr(["token", "create", "--user", "robot"], { env })).stdout;
  assert.match(plain, /^Created token 2 for robot\. Copy the key now: .*\n[A-Za-z0-9]{40}\n$/);

  const listed = await certmgr(["token", "list", "--user", "robot", "--json"], { env });
  assert.ok(!listed.stdout.includes(token.key as string));
  assert.doesNotMatch(listed.stdout, /[\u202e\u0085]/);
  assert.equal(JSON.parse(listed.stdout)[0].description, "\u202etxt\u0085");
  assert.match((await certmgr(["token", "list"], { env })).stdout, /\\u\{202E\}txt\\u\{85\}/);

  await using service = await startService(env);
  const key = token.key as string;
  assert.equal((await api(service, { token: key, path: "status/" })).status, 200);
  const body = { name: "x", slug: "x" };
  assert.equal((await api(service, { token: key, path: "extras/tags/", body })).status, 403, "read-only");
  assert.deepEqual(await json(["token", "revoke", "1"], { env }), { id: 1 });
  assert.match(
    failed(await certmgr(["token", "revoke", "1"], { env })),
    /^certmgr: Token 1 does not exist\. Run "certmgr token list" to see all tokens\.\n$/,
  );
  assert.deepEqual(
    (await json(["token", "list"], { env }) as unknown as { id: number }[]).map(({ id }) => id),
    [2],
  );
});

Deno.test("a token for an unknown user, or with an invalid date or network, is refused in one line", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path };
  await json(["user", "create", "robot", "--password-stdin"], { env, stdin: PASSWORD });
  const create = (...args: string[]): Promise<Finished> => certmgr(["token", "create", ...args], { env });
  assert.match(failed(await create("--user", "nobody")), /^certmgr: user: .*"nobody".*\n$/);
  assert.match(failed(await create("--user", "robot", "--expires", "soon")), /^certmgr: expires: .*\n$/);
  assert.equal(
    failed(await create("--user", "robot", "--expires", "2026-01-01")),
    'certmgr: expires: Expected a time in the future, not "2026-01-01T00:00:00Z".\n',
  );
  assert.match(
    failed(await create("--user", "robot", "--allowed-ip", "10.1")),
    /^certmgr: allowed_ips: .*\n$/,
  );
  assert.deepEqual(await json(["token", "list"], { env }), []);
});
