/** A database server that stops, hangs or is slow: clear errors or late responses, never wrong ones. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Database, migrate, MIGRATIONS } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { signIn } from "../support/actors.ts";
import { type LibsqlServer, startLibsqlServer } from "../support/libsql_server.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";
import { assertUnavailable, type Send, sendTo } from "./support.ts";

const { certificates } = PATHS;
/** How long the server is stopped, in milliseconds. */
const AWAY_MS = 10_000;

interface Served extends AsyncDisposable {
  readonly server: LibsqlServer;
  readonly database: Database;
  readonly identity: Record<string, string>;
}

async function serve(options: { timeoutMs?: number } = {}): Promise<Served> {
  const server = await startLibsqlServer();
  const database = openRemoteDatabase({ url: server.url, ...options });
  await migrate(database, { migrations: MIGRATIONS, now: TEST_NOW });
  const identity = await signIn(database, "superuser", TEST_NOW);
  await database.write((tx) => tx.run(sql`UPDATE tokens SET last_used = ${TEST_NOW * 2}`));
  return {
    server,
    database,
    identity,
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Returns the ids of all certificates, as the service lists them. */
async function idsOf(send: Send): Promise<number[]> {
  const { status, text } = await send(`${certificates}?limit=0&fields=id`);
  assert.equal(status, 200, text);
  return JSON.parse(text).results.map(({ id }: { id: number }) => id);
}

Deno.test("while the server is away for ten seconds the answer is 503 with Retry-After, and no confirmed write is lost", async () => {
  await using served = await serve();
  const send = sendTo(served.database, served.identity);
  const create = { method: "POST", body: metadata(1) };
  assert.equal((await send(certificates, create)).status, 201);
  const gone = performance.now();
  await served.server.kill();
  let refusals = 0;
  while (performance.now() - gone < AWAY_MS) {
    assertUnavailable(await send(certificates), /^The database is not available\.$/);
    assertUnavailable(await send(certificates, { method: "POST", body: metadata(2) }), /not available/);
    const readyz = await send("/readyz");
    assert.deepEqual([readyz.status, readyz.text], [503, "The database is not available.\n"]);
    assert.equal((await send("/healthz")).status, 200);
    refusals++;
    await new Promise((done) => setTimeout(done, 500));
  }
  assert(refusals > 1, "No refusal came in time");
  await served.server.restart();
  assert.equal((await send("/readyz")).status, 200);
  assert.deepEqual(await idsOf(send), [1]);
  assert.equal((await send(certificates, { method: "POST", body: metadata(2) })).status, 201);
  assert.equal((await idsOf(send)).length, 2);
});

Deno.test("after a server has hung for a while it answers late, and each write is stored once", async () => {
  await using served = await serve({ timeoutMs: 30_000 });
  const send = sendTo(served.database, served.identity);
  assert.equal((await send("/api/status/")).status, 200);
  await served.server.signal("SIGSTOP");
  const waiting = [1, 2, 3].map((n) => send(certificates, { method: "POST", body: metadata(n) }));
  await new Promise((done) => setTimeout(done, 2_000));
  await served.server.signal("SIGCONT");
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 201, answer.text);
  assert.equal((await idsOf(send)).length, 3);
});

Deno.test("while the server hangs the answer is 503 with Retry-After within the limit, for waiting requests, too; then requests succeed again", async () => {
  await using served = await serve({ timeoutMs: 2_000 });
  const send = sendTo(served.database, served.identity);
  assert.equal((await send("/api/status/")).status, 200);
  await served.server.signal("SIGSTOP");
  for (const round of [1, 2]) {
    const asked = performance.now();
    const creates = Array.from(
      { length: 5 },
      (_, n) => send(certificates, { method: "POST", body: metadata(10 * round + n) }),
    );
    const reads = [certificates, PATHS.tenants, "/api/status/"].map((path) => send(path));
    for (const answer of await Promise.all([...creates, ...reads])) {
      assertUnavailable(answer, /^The database did not answer in time\.$/);
    }
    assert(performance.now() - asked < 8_000, "They wait one after the other");
  }
  const readyz = await send("/readyz");
  assert.deepEqual([readyz.status, readyz.text], [503, "The database did not answer in time.\n"]);
  await new Promise((done) => setTimeout(done, 1_000)); // the request of /readyz is abandoned
  await served.server.signal("SIGCONT");
  // The server may still process an earlier request.
  let made = await send(certificates, { method: "POST", body: metadata(1) });
  for (let n = 0; made.status === 503 && n < 5; n++) {
    made = await send(certificates, { method: "POST", body: metadata(1) });
  }
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await idsOf(send), [JSON.parse(made.text).id]);
});

Deno.test("/readyz does not wait for a server that hangs as long as other requests do", async () => {
  await using served = await serve({ timeoutMs: 60_000 });
  const send = sendTo(served.database, served.identity);
  await served.server.signal("SIGSTOP");
  const asked = performance.now();
  const readyz = await send("/readyz");
  assert.deepEqual([readyz.status, readyz.text], [503, "The database did not answer in time.\n"]);
  // Far from both limits: it waits for less than two seconds, other requests for a minute.
  assert(performance.now() - asked < 20_000);
  await served.server.signal("SIGCONT");
  assert.equal((await send("/api/status/")).status, 200);
  await new Promise((done) => setTimeout(done, 1_000)); // the request of /readyz is answered, too
});

Deno.test("two nodes whose server takes 500 ms for each answer respond late, lose no write and store none twice", async () => {
  await using served = await serve();
  const stop = new AbortController();
  const forward = async (request: Request): Promise<Response> => {
    await new Promise((done) => setTimeout(done, 500));
    const { pathname } = new URL(request.url);
    const { method, headers } = request;
    const body = method === "GET" ? null : await request.bytes();
    return await fetch(served.server.url + pathname, { method, headers, body });
  };
  const forwarded: Promise<Response>[] = [];
  const line = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen: () => {} },
    (request) => {
      const response = forward(request);
      forwarded.push(response);
      return response;
    },
  );
  const databases = [0, 1].map(() => openRemoteDatabase({ url: `http://127.0.0.1:${line.addr.port}` }));
  const nodes = databases.map((database) => sendTo(database, served.identity));
  const answers = await Promise.all(
    [0, 1, 2, 3].map((n) => nodes[n % 2]!(certificates, { method: "POST", body: metadata(n) })),
  );
  const stored: number[] = [];
  for (const { status, text } of answers) {
    assert(status === 201 || status === 503, text);
    if (status === 201) stored.push(JSON.parse(text).id);
    else assert.doesNotMatch(text, /may have been stored/);
  }
  assert(stored.length > 0, "Nothing was stored");
  assert.deepEqual((await idsOf(sendTo(served.database, served.identity))).sort(), stored.sort());
  for (const database of databases) database.close();
  // The client does not wait for the server when it closes the stream of a transaction.
  await Promise.allSettled(forwarded);
  stop.abort();
  await line.finished;
});
