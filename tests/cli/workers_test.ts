/** Several workers on one port and one database behave as one service. */

import assert from "node:assert/strict";
import { BACKGROUND_WORKER } from "../../src/base/peers.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { certmgr, startService, testFolder } from "./process.ts";
import { type Client, connect, KEY, startWorkers } from "./workers.ts";

const TAGS = "/api/extras/tags/";
const TOKENS = "/api/users/tokens/";

async function newToken(client: Client): Promise<{ id: number; key: string }> {
  const { status, json } = await client.send("POST", TOKENS, { body: { user: { username: "admin" } } });
  assert.equal(status, 201);
  return json;
}

/** Returns the statuses of a request with a token to each worker. */
function statuses(clients: readonly Client[], key: string): Promise<number[]> {
  return Promise.all(
    clients.map(async (client) => (await client.send("GET", "/api/status/", { key })).status),
  );
}

async function revokeAtOnce(clients: readonly [Client, ...Client[]], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const { id, key } = await newToken(clients[0]);
    // Each worker now has the account in its cache.
    assert.deepEqual(await statuses(clients, key), clients.map(() => 200));
    const by = clients[round % clients.length] as Client;
    assert.equal((await by.send("DELETE", `${TOKENS}${id}/`)).status, 204);
    assert.deepEqual(await statuses(clients, key), clients.map(() => 401));
  }
}

Deno.test("two workers on one file: a revoked token is refused by each at once, and each sees what the other has written", async () => {
  await using folder = await testFolder();
  await using service = await startWorkers(2, { CERTMGR_DATA_DIR: folder.path });
  const clients = await service.clients() as [Client, Client];
  await revokeAtOnce(clients, 20);
  const { json: { id } } = await clients[0].send("POST", TAGS, { body: { name: "t", slug: "t" } });
  for (let round = 1; round <= 1_000; round++) {
    const [writer, reader] = round % 2 === 0 ? clients : [clients[1], clients[0]];
    const body = { description: `round ${round}` };
    assert.equal((await writer.send("PATCH", `${TAGS}${id}/`, { body })).status, 200);
    assert.equal((await reader.send("GET", `${TAGS}${id}/`)).json.description, body.description);
  }
  // Definitions of custom fields, which workers hold in memory.
  const field = { name: "rack", type: "text", object_types: ["dcim.site"] };
  for (const [writer, reader] of [clients, [clients[1], clients[0]]]) {
    const made = await writer!.send("POST", "/api/extras/custom-fields/", { body: field });
    assert.equal(made.status, 201, made.text);
    const body = { name: "s", slug: "s", custom_fields: { rack: "7" } };
    const site = await reader!.send("POST", "/api/dcim/sites/", { body });
    assert.deepEqual([site.status, site.json.custom_fields], [201, { rack: "7" }]);
    assert.equal((await reader!.send("DELETE", `/api/dcim/sites/${site.json.id}/`)).status, 204);
    assert.equal((await writer!.send("DELETE", `/api/extras/custom-fields/${made.json.id}/`)).status, 204);
  }
});

Deno.test("16 clients that write to three workers are all answered 201, and everything is stored once", async () => {
  await using folder = await testFolder();
  await using service = await startWorkers(3, { CERTMGR_DATA_DIR: folder.path });
  const several = [...await service.clients(), ...Array.from({ length: 13 }, () => connect(service.url))];
  const names: string[] = [];
  await Promise.all(several.map(async (client, writer) => {
    for (let n = 0; n < 25; n++) {
      const name = `w${writer}-${n}`;
      const { status, text } = await client.send("POST", TAGS, { body: { name, slug: name } });
      assert.equal(status, 201, text);
      names.push(name);
    }
  }));
  const { json } = await (several[0] as Client).send("GET", `${TAGS}?limit=1000`);
  assert.deepEqual(json.results.map(({ name }: { name: string }) => name).sort(), names.sort());
  const { text } = await (several[0] as Client).send("GET", "/metrics");
  const written = [1, 2, 3].map((worker) =>
    Number(new RegExp(`^certmgr_database_writes_total\\{worker="${worker}"\\} (\\d+)$`, "m").exec(text)?.[1])
  );
  assert.ok(written.every((count) => count >= 25), `${written}`);
  assert.ok(written.reduce((sum, count) => sum + count) >= 400);
  assert.match(text, /^certmgr_database_writes_waiting\{worker="3"\} 0$/m);
  for (const client of several) client[Symbol.dispose]();
});

Deno.test("killed workers are replaced, requests at the others go on, and messages are delivered", async () => {
  await using folder = await testFolder();
  const received: string[] = [];
  let onReceived = (): void => {};
  await using receiver = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      received.push((await request.json()).data.common_name);
      onReceived();
      return new Response();
    },
  );
  const arrived = async (name: string): Promise<void> => {
    while (!received.includes(name)) await new Promise<void>((resolve) => onReceived = resolve);
  };
  await using service = await startWorkers(2, {
    CERTMGR_DATA_DIR: folder.path,
    CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
  });
  const [first, second] = await service.clients() as [Client, Client];
  const webhook = {
    name: "hook",
    payload_url: `http://127.0.0.1:${receiver.addr.port}/`,
    object_types: ["certmgr.certificate"],
    events: ["created"],
  };
  const made = await second.send("POST", "/api/extras/webhooks/", { body: webhook });
  assert.equal(made.status, 201, made.text);
  // The second worker stores, the one for background work delivers.
  const body = (serial: number): unknown => metadata(serial, { common_name: `n${serial}.example` });
  assert.equal((await second.send("POST", PATHS.certificates, { body: body(1) })).status, 201);
  await arrived("n1.example");

  const from = service.log.length;
  const pidOf = async (number: number): Promise<number> =>
    (await service.logged(({ event, worker }) => event === "worker started" && worker === number))
      .pid as number;
  let isOver = false;
  let answered = 0;
  const load = (async () => {
    for (; !isOver; answered++) {
      const slug = `n${answered}`;
      assert.equal((await second.send("POST", TAGS, { body: { name: slug, slug } })).status, 201);
      assert.equal((await second.send("GET", `${TAGS}?limit=1`)).status, 200);
    }
  })();
  const writing = first.send("POST", TAGS, { body: { name: "last", slug: "last" } }).catch(() => undefined);
  for (const killed of [1, BACKGROUND_WORKER]) {
    Deno.kill(await pidOf(killed), "SIGKILL");
    const ended = await service.logged(
      ({ event, worker }) => event === "worker ended" && worker === killed,
      from,
    );
    assert.equal(ended.signal, "SIGKILL");
    await service.logged(({ event, worker }) => event === "worker started" && worker === killed, from);
  }
  await writing;
  isOver = true;
  await load;
  assert.ok(answered > 0);
  const [again] = await service.clients() as [Client, Client];
  assert.equal((await again.send("POST", PATHS.certificates, { body: body(2) })).status, 201);
  await arrived("n2.example");
});

Deno.test("a stopped worker is replaced, and requests to the others are answered", async () => {
  await using folder = await testFolder();
  await using service = await startWorkers(2, {
    CERTMGR_DATA_DIR: folder.path,
    CERTMGR_WORKER_TIMEOUT: "10",
  });
  const [first, second] = await service.clients() as [Client, Client];
  const [, reader] = await service.clients() as [Client, Client];
  const tag = (slug: string): unknown => ({ name: slug, slug });
  assert.equal((await first.send("POST", TAGS, { body: tag("a") })).status, 201);
  const from = service.log.length;
  const { pid } = await service.logged(({ event, worker }) => event === "worker started" && worker === 1);
  Deno.kill(pid as number, "SIGSTOP");
  // A write waits at most for the turn of the stopped worker; nothing else waits.
  const writing = second.send("POST", TAGS, { body: tag("b") });
  assert.equal((await reader.send("GET", TAGS)).json.count, 1);
  assert.equal((await service.logged(({ event }) => event === "worker hangs", from)).worker, 1);
  assert.equal((await writing).status, 201);
  await service.logged(({ event, worker }) => event === "worker started" && worker === 1, from);
  const [again] = await service.clients() as [Client, Client];
  assert.equal((await again.send("GET", TAGS)).json.count, 2);
});

Deno.test("the limit of sign-ins applies to all workers together", async () => {
  await using folder = await testFolder();
  await using service = await startWorkers(2, { CERTMGR_DATA_DIR: folder.path });
  const clients = await service.clients();
  const attempt = async (client: Client): Promise<number> => {
    const body = { username: "admin", password: "not this one" };
    return (await client.send("POST", `${TOKENS}provision/`, { body, key: null })).status;
  };
  for (let n = 0; n < 10; n++) assert.equal(await attempt(clients[n % 2] as Client), 401);
  for (const client of clients) assert.equal(await attempt(client), 429);
});

Deno.test("the limit of requests applies to all workers together", async () => {
  await using folder = await testFolder();
  await using service = await startWorkers(2, { CERTMGR_DATA_DIR: folder.path, CERTMGR_RATE_LIMIT: "60" });
  const [first, second] = await service.clients() as [Client, Client];
  for (let n = 0; n < 50; n++) assert.equal((await first.send("GET", "/api/status/")).status, 200);
  // The second worker alone would answer 60 of them. They share their counts twice a second.
  let answered = 0;
  while ((await second.send("GET", "/api/status/")).status === 200) {
    answered++;
    await new Promise((done) => setTimeout(done, 200));
  }
  assert.ok(answered < 60, `${answered}`);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`after ${signal} several workers answer the requests in flight, and the service ends with 0`, async () => {
    await using folder = await testFolder();
    await using service = await startWorkers(2, { CERTMGR_DATA_DIR: folder.path });
    const clients = await service.clients();
    const stored: string[] = [];
    const load = clients.map(async (client, writer) => {
      for (let n = 0;; n++) {
        const slug = `w${writer}-${n}`;
        const answer = await client.send("POST", TAGS, { body: { name: slug, slug } }).catch(() => undefined);
        if (answer?.status !== 201) return answer?.status;
        stored.push(slug);
      }
    });
    while (stored.length < 20) await new Promise((done) => setTimeout(done, 10));
    service.signal(signal);
    // Both get a 503, or no connection.
    for (const status of await Promise.all(load)) {
      assert.ok(status === 503 || status === undefined, `${status}`);
    }
    assert.equal(await service.ended(), 0);
    const stops = service.log.filter(({ event }) => event === "stopped");
    const end = JSON.stringify(service.log.slice(-12), null, 1);
    assert.deepEqual(stops.map(({ worker }) => worker).sort(), [BACKGROUND_WORKER, 1, 2], end);
    assert.deepEqual(stops.map((line) => line.requests_cut_off), [0, 0, 0], end);
    await using again = await startService({
      CERTMGR_DATA_DIR: folder.path,
      CERTMGR_ADMIN_TOKEN: KEY,
    });
    using client = connect(again.url);
    const { json } = await client.send("GET", `${TAGS}?limit=1000`);
    const names = new Set(json.results.map(({ name }: { name: string }) => name));
    assert.deepEqual(stored.filter((name) => !names.has(name)), []);
  });
}

Deno.test("workers stop gracefully when their supervisor is killed", async () => {
  await using folder = await testFolder();
  await using service = await startWorkers(2, { CERTMGR_DATA_DIR: folder.path });
  service.signal("SIGKILL");
  // The end of all of them closes standard error.
  await service.ended();
  const stops = service.log.filter(({ event }) => event === "stopped");
  assert.deepEqual(stops.map(({ worker }) => worker).sort(), [BACKGROUND_WORKER, 1, 2]);
  await assert.rejects(fetch(`${service.url}/healthz`));
});

Deno.test("an address in use, and settings that several workers cannot have, are reported in one line", async () => {
  await using folder = await testFolder();
  await using service = await startWorkers(2, { CERTMGR_DATA_DIR: folder.path });
  const { port } = new URL(service.url);
  const start = async (env: Record<string, string>): Promise<[number, string]> => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-check", "--no-prompt", "-P=start", "tools/start.ts"],
      env: { CERTMGR_DATA_DIR: `${folder.path}/other`, CERTMGR_WORKERS: "2", ...env },
    }).output();
    return [code, new TextDecoder().decode(stderr)];
  };
  assert.deepEqual(await start({ CERTMGR_PORT: port }), [
    1,
    `certmgr: Address 127.0.0.1:${port} is in use. Set CERTMGR_PORT to a free port.\n`,
  ]);
  const direct = await certmgr(["serve"], {
    env: { CERTMGR_DATA_DIR: `${folder.path}/other`, CERTMGR_WORKERS: "2" },
  });
  assert.deepEqual([direct.code, direct.stderr], [
    1,
    'certmgr: Setting CERTMGR_WORKERS is not 1. Run several workers with "deno task start".\n',
  ]);
  const odd = await certmgr(["serve", "--worker=3/2"]);
  assert.equal(odd.code, 2);
});
