import assert from "node:assert/strict";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { adminOf, api, certmgr, startService, testFolder } from "./process.ts";

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";

async function modeOf(path: string): Promise<string> {
  return ((await Deno.stat(path)).mode! & 0o777).toString(8);
}

Deno.test("the first start creates the administrator and prints its secrets once; the second start prints none", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  await using first = await startService(env);
  const { password, token } = adminOf(first.greeting);
  assert.match(token, /^[A-Za-z0-9]{40}$/);
  const status = await api(first, { token, path: "status/" });
  assert.equal(status.status, 200);
  const body = { username: "admin", password };
  assert.equal((await api(first, { token: "", path: "users/tokens/provision/", body })).status, 201);
  first.signal("SIGTERM");
  const end = await first.ended();
  assert.equal(end.code, 0);
  assert.ok(!`${end.stdout}${end.stderr}`.includes(token) && !end.stderr.includes(password));

  await using second = await startService(env);
  assert.deepEqual(second.greeting.map((line) => line.split(" ")[0]), ["certmgr", "Listening"]);
  assert.equal((await api(second, { token, path: "status/" })).status, 200);
});

Deno.test("only the owner can access the data folder and the database", async () => {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: `${folder.path}/data` });
  assert.equal((await fetch(`${service.url}/healthz`).then((response) => response.text())).trim(), "ok");
  assert.equal(await modeOf(`${folder.path}/data`), "700");
  for await (const { name } of Deno.readDir(`${folder.path}/data`)) {
    assert.equal(await modeOf(`${folder.path}/data/${name}`), "600", name);
  }
});

Deno.test("secrets that the operator gave are used and not repeated", async () => {
  await using folder = await testFolder();
  const password = "correct horse battery";
  await using service = await startService({
    CERTMGR_DATA_DIR: folder.path,
    CERTMGR_ADMIN_PASSWORD: password,
    CERTMGR_ADMIN_TOKEN: KEY,
  });
  const greeting = service.greeting.join("\n");
  assert.ok(!greeting.includes(password) && !greeting.includes(KEY));
  assert.match(greeting, /as set in CERTMGR_ADMIN_PASSWORD[^]*as set in CERTMGR_ADMIN_TOKEN/);
  assert.equal((await api(service, { token: KEY, path: "status/" })).status, 200);
  const body = { username: "admin", password };
  assert.equal((await api(service, { token: "", path: "users/tokens/provision/", body })).status, 201);
});

Deno.test("standard error has only JSON lines, which report start, requests and stop", async () => {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: folder.path });
  await fetch(`${service.url}/healthz`).then((response) => response.text());
  service.signal("SIGINT");
  const { code, stderr } = await service.ended();
  const events = stderr.trim().split("\n").map((line) => JSON.parse(line).event).filter((event) =>
    event !== "job"
  );
  assert.deepEqual([code, events], [0, ["started", "request", "stopping", "stopped"]]);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`after ${signal} a request that is still arriving is answered, and the service exits with 0`, async () => {
    await using folder = await testFolder();
    await using service = await startService({ CERTMGR_DATA_DIR: folder.path, CERTMGR_ADMIN_TOKEN: KEY });
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(service.url).port) });
    const body = JSON.stringify({ name: "slow", slug: "slow" });
    await send(connection, [
      "POST /api/extras/tags/ HTTP/1.1",
      "Host: localhost",
      `Authorization: Token ${KEY}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body.slice(0, 5),
    ]);
    // When later requests have been answered, the service has received this one as well.
    for (let n = 0; n < 5; n++) await fetch(`${service.url}/healthz`).then((response) => response.text());
    service.signal(signal);
    await sleep(700);
    await send(connection, [body.slice(5)]);
    assert.match(await receive(connection), /^HTTP\/1.1 201 Created\r\n[^]*"slow"/);
    const { code, stderr } = await service.ended();
    assert.equal(code, 0);
    assert.match(stderr, /"requests_cut_off":0/);
  });
}

Deno.test("a second signal ends the service at once, the same signal delivered twice does not", async () => {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: folder.path, CERTMGR_ADMIN_TOKEN: KEY });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(service.url).port) });
  await send(connection, [
    "POST /api/extras/tags/ HTTP/1.1",
    "Host: localhost",
    `Authorization: Token ${KEY}`,
    "Content-Type: application/json",
    "Content-Length: 5",
    "",
    "a",
  ]);
  await sleep(200);
  service.signal("SIGTERM");
  await sleep(50);
  service.signal("SIGTERM");
  // Well above the half second in which one signal may arrive twice, because a busy machine delivers late.
  await sleep(3_000);
  const before = performance.now();
  service.signal("SIGINT");
  assert.equal((await service.ended()).code, 130);
  assert.ok(performance.now() - before < 6_000);
});

Deno.test("an unavailable address is detected before the administrator is created", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data`, CERTMGR_PORT: "0" };
  const { code, stdout } = await certmgr(["serve"], { env: { ...env, CERTMGR_HOST: "192.0.2.1" } });
  assert.deepEqual([code, stdout], [1, ""]);
  await using service = await startService(env);
  assert.equal((await api(service, { ...adminOf(service.greeting), path: "status/" })).status, 200);
});

Deno.test("an address in use is reported in one line", async () => {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: folder.path });
  const { port } = new URL(service.url);
  const second = await certmgr(["serve"], { env: { CERTMGR_DATA_DIR: folder.path, CERTMGR_PORT: port } });
  assert.equal(second.code, 1);
  assert.equal(
    second.stderr,
    `certmgr: Address 127.0.0.1:${port} is in use. Set CERTMGR_PORT to a free port.\n`,
  );
});

const REFUSED: readonly { title: string; env: Record<string, string>; line: RegExp; code: number }[] = [
  {
    title: "a bad setting",
    env: { CERTMGR_PORT: "80a" },
    line: /^certmgr: Setting CERTMGR_PORT is "80a"\. Expected a whole number from 0 to 65535\.\n$/,
    code: 2,
  },
  {
    title: "a secret setting",
    env: { CERTMGR_ADMIN_TOKEN: "hush-hush" },
    line: /^certmgr: Setting CERTMGR_ADMIN_TOKEN has an invalid value\. Expected 40 letters and digits\.\n$/,
    code: 2,
  },
  {
    title: "a misspelt setting",
    env: { CERTMGR_DATADIR: "/tmp" },
    line: /^certmgr: Setting CERTMGR_DATADIR is unknown\. Did you mean CERTMGR_DATA_DIR\?\n$/,
    code: 2,
  },
  {
    title: "a misspelt setting, and another that is bad,",
    env: { CERTMGR_PORT: "80a", CERTMGR_DATADIR: "/tmp" },
    line: /^certmgr: Setting CERTMGR_DATADIR is unknown\. .*\ncertmgr: Setting CERTMGR_PORT is "80a"\. .*\n$/,
    code: 2,
  },
  {
    title: "a value with control characters",
    env: { CERTMGR_LOG_LEVEL: "\u202e\u009b31m" },
    line:
      /^certmgr: Setting CERTMGR_LOG_LEVEL is "\\u\{202E\}\\u\{9B\}31m"\. Expected one of debug, info, warn, error\.\n$/,
    code: 2,
  },
  {
    title: "an address of another machine",
    env: { CERTMGR_HOST: "192.0.2.1" },
    line: /^certmgr: Cannot listen on 192.0.2.1:0: .*\n$/,
    code: 1,
  },
];

for (const { title, env, line, code } of REFUSED) {
  Deno.test(`${title} stops the start with the reason in one line, and exit code ${code}`, async () => {
    await using folder = await testFolder();
    const own = { CERTMGR_DATA_DIR: folder.path, CERTMGR_PORT: "0", ...env };
    const result = await certmgr(["serve"], { env: own });
    assert.match(result.stderr, line);
    assert.equal(result.code, code);
  });
}

Deno.test("a file that is not a database is reported in one line", async () => {
  await using folder = await testFolder();
  await Deno.writeTextFile(`${folder.path}/certmgr.db`, "no database ".repeat(1_000));
  const { code, stderr } = await certmgr(["serve"], {
    env: { CERTMGR_DATA_DIR: folder.path, CERTMGR_PORT: "0" },
  });
  assert.match(stderr, /^certmgr: Database ".*certmgr\.db" cannot be opened: .*\n$/);
  assert.equal(code, 1);
});

Deno.test("two processes serve one database file, and both write", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path, CERTMGR_ADMIN_TOKEN: KEY };
  const [one, other] = await Promise.all([startService(env), startService(env)]);
  await using _one = one;
  await using _other = other;
  // Of two that start at the same time, one has created the administrator.
  assert.equal(
    [one, other].filter(({ greeting }) => greeting.some((line) => line.includes("First start"))).length,
    1,
  );
  const writes = [...Array(20).keys()].flatMap((n) =>
    [one, other].map((service, index) =>
      api(service, {
        token: KEY,
        path: "extras/tags/",
        body: { name: `tag ${index}-${n}`, slug: `tag-${index}-${n}` },
      })
    )
  );
  assert.deepEqual(new Set((await Promise.all(writes)).map(({ status }) => status)), new Set([201]));
  for (const service of [one, other]) {
    assert.equal((await api(service, { token: KEY, path: "extras/tags/?limit=1" })).json.count, 40);
  }
});

Deno.test("a database server with missing migrations is refused until certmgr migrate applies them", async () => {
  await using server = await startLibsqlServer();
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path, CERTMGR_DATABASE_URL: server.url, CERTMGR_PORT: "0" };
  const refused = await certmgr(["serve"], { env });
  assert.match(
    refused.stderr,
    /^certmgr: Migration 0001_\w+ is missing on the database server\. Run "certmgr migrate"\.\n$/,
  );
  assert.equal(refused.code, 1);
  assert.equal((await certmgr(["migrate"], { env })).code, 0);
  await using service = await startService({ ...env, CERTMGR_ADMIN_TOKEN: KEY });
  assert.equal((await api(service, { token: KEY, path: "status/" })).status, 200);
});

async function send(connection: Deno.Conn, lines: readonly string[]): Promise<void> {
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode(lines.join("\r\n")));
  writer.releaseLock();
}

/** Returns a response, which arrives in one or two chunks. */
async function receive(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  while (!text.includes("\r\n\r\n") || text.endsWith("\r\n\r\n")) {
    const length = await connection.read(buffer);
    if (length === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return text;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
