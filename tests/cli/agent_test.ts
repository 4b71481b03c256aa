/** `certmgr agent` and `certmgr scan`: what they find and send, and what they never send. */

import assert from "node:assert/strict";
import { readEndpoint } from "../../src/base/endpoint_text.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { freePort } from "../support/loopback.ts";
import { opensslServer } from "../support/tls_servers.ts";
import { certmgr, startService, testFolder } from "./process.ts";

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const ca = await TestCa.root({ cn: "Agent CA", key: "rsa2048" });
const served = await ca.issue({ cn: "agent.example", key: "rsa2048" });
const filed = await ca.issue({ cn: "file.example", key: "rsa2048" });
const secret = await ca.issue({ cn: "secret.example", key: "rsa2048" });

for (
  const [text, expected] of [
    ["www.Example.com", ["www.example.com", 443, "tls"]],
    ["www.example.com:8443", ["www.example.com", 8443, "tls"]],
    ["mail.example.com/smtp", ["mail.example.com", 25, "smtp"]],
    ["mail.example.com:587/smtp", ["mail.example.com", 587, "smtp"]],
    ["[2001:db8::1]:8443", ["2001:db8::1", 8443, "tls"]],
    ["2001:db8::1", ["2001:db8::1", 443, "tls"]],
    ["https://www.example.com/path", ["www.example.com", 443, "tls"]],
    ["a b", undefined],
    ["www.example.com:0", undefined],
    ["www.example.com:443/gopher", undefined],
    ["", undefined],
  ] as const
) {
  Deno.test(`the endpoint ${JSON.stringify(text)} is read as ${JSON.stringify(expected)}`, () => {
    const read = readEndpoint(text);
    assert.deepEqual(read === undefined ? undefined : [read.host, read.port, read.protocol], expected);
  });
}

Deno.test("an agent reports endpoints, files and secrets, sends no key, and a second run finds nothing new", async () => {
  await using folder = await testFolder();
  await Deno.mkdir(`${folder.path}/live/a`, { recursive: true });
  await Deno.writeTextFile(`${folder.path}/live/a/full.pem`, filed.pem + ca.pem + filed.key.privateKeyPem);
  await Deno.writeTextFile(`${folder.path}/token`, "cluster-token\n");
  const asked: string[] = [];
  await using cluster = serve((request) => {
    asked.push(`${new URL(request.url).search} ${request.headers.get("authorization")}`);
    const data = { "tls.crt": btoa(secret.pem), "tls.key": btoa(secret.key.privateKeyPem) };
    const more = !request.url.includes("continue=next");
    const items = [{ metadata: { name: more ? "web" : "other", namespace: "shop" }, data: more ? data : {} }];
    return Response.json({ metadata: more ? { continue: "next" } : {}, items });
  });
  await using service = await startService({
    CERTMGR_DATA_DIR: `${folder.path}/data`,
    CERTMGR_ADMIN_TOKEN: KEY,
  });
  await using server = await opensslServer({ leaf: served, chain: [ca] });
  const closed = freePort();
  const agent = () =>
    certmgr([
      "agent",
      ...["--url", service.url, "--name", "dmz", "--once", "--json"],
      ...["--endpoint", `127.0.0.1:${server.port}`, "--endpoint", `127.0.0.1:${closed}`],
      ...["--files", `${folder.path}/live/*/full.pem`, "--files", `${folder.path}/none/*.pem`],
      ...["--kubernetes", cluster.url, "--kubernetes-token", `${folder.path}/token`],
    ], { env: { CERTMGR_TOKEN: KEY, CERTMGR_PROBE_ALLOWED_NETWORKS: "127.0.0.0/8" } });
  const first = await agent();
  assert.equal(first.stderr, "");
  const report = JSON.parse(first.stdout);
  assert.deepEqual([report.created, report.certificates_created], [2, 3]);
  assert.equal(report.errors.length, 2);
  assert.match(report.errors[0].message, /none\/\*\.pem: no certificate files/);
  assert.match(report.errors[1].message, /kubernetes shop\/other: no certificate/);
  const query = "?fieldSelector=type%3Dkubernetes.io%2Ftls&limit=200";
  assert.deepEqual(asked, [`${query} Bearer cluster-token`, `${query}&continue=next Bearer cluster-token`]);
  const again = JSON.parse((await agent()).stdout);
  assert.deepEqual([again.created, again.updated, again.certificates_created], [0, 2, 0]);
  const response = await fetch(`${service.url}/api/plugins/certmgr/certificates/?discovered_via__isw=agent`, {
    headers: { authorization: `Token ${KEY}` },
  });
  const { results } = await response.json();
  assert.deepEqual(
    results.map((
      one: { common_name: string; discovered_via: string },
    ) => [one.common_name, one.discovered_via]),
    [
      ["file.example", `agent:dmz ${folder.path}/live/a/full.pem`],
      ["secret.example", "agent:dmz kubernetes shop/web"],
      ["agent.example", `agent:dmz endpoint 127.0.0.1:${server.port}`],
    ],
  );
});

Deno.test("an agent that is refused fails with the reason at once", async () => {
  await using away = serve(() => Response.json({ detail: "The service is stopping." }, { status: 403 }));
  const { code, stderr } = await certmgr(
    ["agent", "--url", away.url, "--name", "dmz", "--once", "--endpoint", "127.0.0.1:1"],
    { env: { CERTMGR_TOKEN: KEY } },
  );
  assert.equal(code, 1);
  assert.match(stderr, /The service is stopping/);
});

Deno.test("an agent without anything to observe, and one with an invalid endpoint, are usage errors", async () => {
  const env = { CERTMGR_TOKEN: KEY, CERTMGR_URL: "http://127.0.0.1:1" };
  const nothing = await certmgr(["agent", "--name", "dmz"], { env });
  assert.deepEqual([nothing.code, /Nothing to observe/.test(nothing.stderr)], [2, true]);
  const invalid = await certmgr(["agent", "--name", "dmz", "--endpoint", "a b"], { env });
  assert.deepEqual([invalid.code, /Expected a host.*not "a b"/.test(invalid.stderr)], [2, true]);
});

Deno.test("endpoints of a long list are imported in parts, through a service or into the database", async () => {
  await using folder = await testFolder();
  const lines = Array.from({ length: 1_001 }, (_, n) => `h${n}.list.example`);
  await Deno.writeTextFile(`${folder.path}/list.txt`, [...lines, "b c"].join("\n"));
  await Deno.writeTextFile(
    `${folder.path}/table.csv`,
    ["host,port", ...lines.map((one) => `${one},8443`)].join("\n"),
  );
  await using service = await startService({
    CERTMGR_DATA_DIR: `${folder.path}/data`,
    CERTMGR_ADMIN_TOKEN: KEY,
  });
  const env = { CERTMGR_TOKEN: KEY };
  const command = ["import", "endpoints", `${folder.path}/list.txt`, "--url", service.url, "--json"];
  const first = await certmgr(command, { env });
  const report = JSON.parse(first.stdout);
  assert.deepEqual([first.code, report.created_count, report.skipped_count], [1, 1_001, 0]);
  assert.deepEqual(report.errors.map((one: { row: number; field: string }) => [one.row, one.field]), [
    [1_002, "host"],
  ]);
  assert.equal(JSON.parse((await certmgr(command, { env })).stdout).skipped_count, 1_001);
  const database = { CERTMGR_DATA_DIR: `${folder.path}/other` };
  const table = ["import", "endpoints", `${folder.path}/table.csv`];
  const dry = await certmgr([...table, "--dry-run"], { env: database });
  assert.deepEqual([dry.code, dry.stdout], [0, "1001 to create, 0 skipped\n"]);
  assert.equal((await certmgr(table, { env: database })).stdout, "1001 created, 0 skipped\n");
});

Deno.test("a dry run of a scan says how many connections it would make, and makes none", async () => {
  const { stdout, code } = await certmgr([
    "scan",
    "10.0.0.0/24",
    "--ports",
    "443,8443",
    "--rate",
    "64/s",
    "--dry-run",
  ], {
    env: { CERTMGR_PROBE_ALLOWED_NETWORKS: "10.0.0.0/8" },
  });
  assert.deepEqual([code, stdout], [0, "512 connections, at least 8 seconds at 64 per second\n"]);
  const one = await certmgr(["scan", "10.0.0.0/32", "--ports", "443", "--dry-run"], {
    env: { CERTMGR_PROBE_ALLOWED_NETWORKS: "10.0.0.0/8" },
  });
  assert.equal(one.stdout, "1 connection, at least 1 second at 100 per second\n");
});

Deno.test("a scan of a network that is not allowed is refused", async () => {
  const { stderr, code } = await certmgr(["scan", "192.0.2.0/24", "--dry-run"], { env: {} });
  assert.equal(code, 1);
  assert.match(stderr, /192\.0\.2\.0\/24 is not in CERTMGR_PROBE_ALLOWED_NETWORKS/);
});

Deno.test("a scan stores what it finds in the database", async () => {
  await using folder = await testFolder();
  await using server = await opensslServer({
    leaf: served,
    chain: [ca],
    address: "127.88.0.2",
    port: freePort("127.88.0.2"),
  });
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data`, CERTMGR_PROBE_ALLOWED_NETWORKS: "127.0.0.0/8" };
  const run = () => certmgr(["scan", "127.88.0.0/30", "--ports", String(server.port), "--json"], { env });
  const first = JSON.parse((await run()).stdout);
  assert.deepEqual([first.connections, first.answered, first.created], [4, 1, 1]);
  assert.deepEqual(first.found[0].name, "agent.example");
  assert.deepEqual(JSON.parse((await run()).stdout).created, 0);
});

Deno.test("a scan reported to a service makes endpoints that the service probes, and leaves known ones as they are", async () => {
  await using folder = await testFolder();
  const address = "127.88.1.2";
  await using server = await opensslServer({ leaf: served, chain: [ca], address });
  await using service = await startService({
    CERTMGR_DATA_DIR: `${folder.path}/data`,
    CERTMGR_ADMIN_TOKEN: KEY,
    CERTMGR_PROBE_ALLOWED_NETWORKS: "127.0.0.0/8",
  });
  const headers = { authorization: `Token ${KEY}`, "content-type": "application/json" };
  const ask = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${service.url}/api/plugins/certmgr/${path}`, init);
    assert.ok(response.ok, await response.clone().text());
    return await response.json();
  };
  const run = async (): Promise<Record<string, unknown>> => {
    const { stdout, stderr } = await certmgr(
      ["scan", "127.88.1.0/30", "--ports", String(server.port), "--url", service.url, "--json"],
      { env: { CERTMGR_TOKEN: KEY, CERTMGR_PROBE_ALLOWED_NETWORKS: "127.0.0.0/8" } },
    );
    assert.equal(stderr, "");
    return JSON.parse(stdout);
  };
  const first = await run();
  assert.deepEqual([first.connections, first.answered, first.created], [4, 1, 1]);
  const [found] = (await ask("endpoints/?source=scan")).results as Record<string, unknown>[];
  assert.deepEqual([found?.host, found?.port, found?.server_name], [address, server.port, "agent.example"]);
  const again = await run();
  assert.deepEqual([again.answered, again.created], [1, 0]);
  assert.equal((await ask(`endpoints/?host=${address}`)).count, 1);
  // Endpoints of agents are not queued.
  assert.deepEqual(await ask("endpoints/bulk-probe/", { ids: [found?.id] }), {
    queued_count: 1,
    not_found_ids: [],
    missing_ids: [],
  });
  const probes = async (): Promise<unknown> => {
    const { results } = await ask(`observations/?endpoint_id=${found?.id}`);
    return (results as Record<string, unknown>[])[0]?.probes;
  };
  for (let left = 2_000; await probes() === 1 && left > 0; left--) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal(await probes(), 2, "the service has probed it");
});

function serve(handler: (request: Request) => Response): AsyncDisposable & { url: string } {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}
