/** A libSQL server behind a connection that fails at a chosen time. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { AppError } from "../../src/base/errors.ts";
import type { Database, Transaction } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { type LibsqlServer, startLibsqlServer } from "../support/libsql_server.ts";

/** The fate of a request: it passes, it is not delivered, or its response is lost. */
type Fate =
  | "pass"
  | "undelivered"
  | "unanswered"
  | "cut off"
  | "silent"
  | "late"
  | "unauthorized"
  | keyof typeof WRONG_ANSWERS;

/** Responses that do not come from a database. */
const WRONG_ANSWERS = {
  "a page": () =>
    new Response("<!doctype html><h1>Welcome</h1>", { headers: { "content-type": "text/html" } }),
  "an empty answer": () => new Response(null),
  "nonsense": () => new Response("\x00\xff{", { headers: { "content-type": "application/x-protobuf" } }),
  "not found": () => new Response("<h1>Not found</h1>", { status: 404 }),
  "reset": () => new Response(new ReadableStream({ pull: (end) => end.error(new Error("reset")) })),
};

interface Line extends AsyncDisposable {
  readonly database: Database;
  readonly server: LibsqlServer;
  /** Returns the number of requests that contained `text`, delivered or not. */
  seen(text: string): number;
  /** Sets the fates of the next requests that contain `text`; later ones pass. */
  fail(text: string, ...fates: Fate[]): void;
}

async function openLine(options: { timeoutMs?: number } = {}): Promise<Line> {
  const server = await startLibsqlServer();
  const requests: string[] = [];
  let plan: { text: string; fates: Fate[] } = { text: "", fates: [] };
  const stop = new AbortController();
  const proxy = Deno.serve(
    {
      port: 0,
      hostname: "127.0.0.1",
      signal: stop.signal,
      onListen: (): void => {},
      onError: () => new Response("Bad gateway", { status: 502 }),
    },
    async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      const text = new TextDecoder("latin1").decode(body);
      requests.push(text);
      const fate = text.includes(plan.text) ? plan.fates.shift() ?? "pass" : "pass";
      if (fate === "undelivered") return new Response("Bad gateway", { status: 502 });
      if (Object.hasOwn(WRONG_ANSWERS, fate)) return WRONG_ANSWERS[fate as keyof typeof WRONG_ANSWERS]();
      if (fate === "late") {
        await new Promise((done) => setTimeout(done, 600));
        return new Response("Bad gateway", { status: 502 });
      }
      if (fate === "unauthorized") return new Response("No", { status: 401 });
      if (fate === "silent") return await new Promise<Response>(() => {});
      const { pathname } = new URL(request.url);
      const answer = await fetch(server.url + pathname, {
        method: request.method,
        headers: { "content-type": request.headers.get("content-type") ?? "" },
        ...(body.length > 0 ? { body } : {}),
        signal: request.signal, // a server notices that its client has disconnected
      });
      const content = await answer.arrayBuffer();
      if (fate === "unanswered") return new Response("Gateway timeout", { status: 504 });
      if (fate === "cut off") {
        return new Response(
          new ReadableStream({ start: (end) => end.error(new Error("cut")) }),
        );
      }
      return new Response(content, {
        status: answer.status,
        headers: { "content-type": answer.headers.get("content-type") ?? "" },
      });
    },
  );
  const database = openRemoteDatabase({ url: `http://127.0.0.1:${proxy.addr.port}`, ...options });
  await database.write((tx) => tx.run(sql`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT`));
  return {
    database,
    server,
    seen: (text) => requests.filter((request) => request.includes(text)).length,
    fail(text, ...fates): void {
      plan = { text, fates };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      stop.abort();
      await proxy.finished;
      await server[Symbol.asyncDispose]();
    },
  };
}

function insert(tx: Transaction): Promise<number> {
  return tx.run(sql`INSERT INTO t (x) VALUES ('row')`);
}

async function rows(database: Database): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM t`);
  return row!.n;
}

function unavailable(text: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === "unavailable" && text.test(error.message);
}

for (const fate of ["undelivered", "unanswered", "cut off"] as const) {
  Deno.test(`remote: a lost read (${fate}) is repeated`, async () => {
    await using line = await openLine({ timeoutMs: 30_000 });
    line.fail("SELECT count", fate);
    assert.equal(await rows(line.database), 0);
    assert.equal(line.seen("SELECT count"), 2);
  });
}

Deno.test("remote: a read without an answer fails at its time limit, and is not repeated", async () => {
  await using line = await openLine({ timeoutMs: 1_000 });
  line.fail("SELECT count", "silent", "silent");
  await assert.rejects(rows(line.database), unavailable(/did not answer in time/));
  assert.equal(line.seen("SELECT count"), 1);
});

Deno.test("remote: a read that fails slowly and repeatedly is abandoned within the time limit", async () => {
  await using line = await openLine({ timeoutMs: 1_000 });
  line.fail("SELECT count", ...Array(9).fill("late"));
  await assert.rejects(rows(line.database), unavailable(/did not answer in time|not available/));
  // Each takes more than half of the time.
  assert(line.seen("SELECT count") <= 2);
  await new Promise((done) => setTimeout(done, 1_000)); // the last request is abandoned
});

Deno.test("remote: a write without an answer fails together with those that wait for it, and the next one succeeds", async () => {
  await using line = await openLine({ timeoutMs: 1_000 });
  line.fail("INSERT INTO t", ...Array(9).fill("silent"));
  const asked = performance.now();
  const writes = Array.from({ length: 9 }, () => line.database.write(insert));
  for (const { status } of await Promise.allSettled(writes)) assert.equal(status, "rejected");
  assert(performance.now() - asked < 6_000, "They wait one after the other");
  assert.equal(line.seen("INSERT INTO t"), 1);
  line.fail("INSERT INTO t");
  await line.database.write(insert);
  assert.equal(await rows(line.database), 1);
});

for (const fate of ["a page", "an empty answer", "nonsense", "not found", "reset"] as const) {
  for (const text of ["SELECT count", "INSERT INTO t", "COMMIT"]) {
    Deno.test(`remote: a server that answers ${text} with ${fate} is unavailable, and used again later`, async () => {
      await using line = await openLine({ timeoutMs: 2_000 });
      line.fail(text, ...Array(9).fill(fate));
      const asked = performance.now();
      const read = (): Promise<unknown> => rows(line.database);
      const write = (): Promise<unknown> => line.database.write(insert);
      await assert.rejects(text === "SELECT count" ? read() : write(), unavailable(/database/));
      assert(performance.now() - asked < 20_000);
      line.fail("");
      // If a COMMIT was not delivered, the server ends the transaction after 5 seconds.
      for (let n = 0; !await write().then(() => true, () => false); n++) assert(n < 5, "The lock is kept");
      assert.equal(await rows(line.database), 1);
    });
  }
}

Deno.test("remote: a server with an untrusted certificate is unavailable", async () => {
  const ca = await TestCa.root({ cn: "Unknown Root" });
  const { pem, key } = await ca.issue({ cn: "127.0.0.1" });
  const stop = new AbortController();
  const server = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    cert: pem,
    key: key.privateKeyPem,
    signal: stop.signal,
    onListen: () => {},
  }, () => new Response("{}"));
  const database = openRemoteDatabase({ url: `https://127.0.0.1:${server.addr.port}` });
  await assert.rejects(rows(database), unavailable(/not available/));
  await assert.rejects(database.write(insert), unavailable(/not available/));
  database.close();
  stop.abort();
  await server.finished;
});

// If the server has begun a transaction without our knowledge, it ends it after 5 seconds.
for (const fate of ["undelivered", "unanswered"] as const) {
  Deno.test(`remote: a statement lost before the commit (${fate}) is stored once`, async () => {
    await using line = await openLine({ timeoutMs: 20_000 });
    line.fail("INSERT INTO t", fate);
    let attempts = 0;
    await line.database.write(async (tx) => {
      attempts++;
      await insert(tx);
    });
    assert.equal(attempts, 2);
    assert.equal(await rows(line.database), 1);
  });
}

const INSERT = sql`INSERT INTO t (x) VALUES ('row')`;
/** A statement whose response is awaited, and one that is sent together with the COMMIT. */
const WAYS: Record<string, (tx: Transaction) => Promise<unknown>> = {
  "after its statement": (tx) => tx.run(INSERT),
  "together with its statement": (tx) => tx.runAll([INSERT]),
};

for (const fate of ["undelivered", "unanswered", "cut off", "silent"] as const) {
  for (const [way, write] of Object.entries(WAYS)) {
    Deno.test(`remote: a lost commit (${fate}) ${way} is never repeated, and the caller gets an error`, async () => {
      await using line = await openLine({ timeoutMs: fate === "silent" ? 3_000 : 30_000 });
      line.fail("COMMIT", fate);
      let attempts = 0;
      await assert.rejects(
        line.database.write(async (tx) => {
          attempts++;
          await write(tx);
        }),
        unavailable(/may have been stored/),
      );
      assert.equal(attempts, 1);
      assert.equal(line.seen("COMMIT"), 2, "that of the table, and the lost one");
      assert.equal(await rows(line.database), fate === "unanswered" || fate === "cut off" ? 1 : 0);
    });
  }
}

for (const before of [0, 1]) {
  Deno.test(`remote: a transaction that ignores a lost statement, after ${before} others, is restarted`, async () => {
    await using line = await openLine();
    line.fail("'row'", "undelivered");
    let attempts = 0;
    await line.database.write(async (tx) => {
      attempts++;
      for (let n = 0; n < before; n++) await tx.run(sql`INSERT INTO t (x) VALUES ('other')`);
      await insert(tx).catch(() => undefined);
    });
    assert.equal(attempts, 2);
    assert.equal(await rows(line.database), before + 1);
  });
}

Deno.test("remote: a server that stays away is unavailable", async () => {
  await using line = await openLine();
  await line.server.kill();
  await assert.rejects(rows(line.database), unavailable(/not available/));
  await assert.rejects(line.database.write(insert), unavailable(/not available/));
});

Deno.test("remote: refused credentials are not tried again", async () => {
  await using line = await openLine();
  line.fail("SELECT count", "unauthorized", "unauthorized");
  await assert.rejects(rows(line.database), unavailable(/refuses the token/));
  assert.equal(line.seen("SELECT count"), 1);
});

Deno.test("remote: an error of the work itself is not tried again", async () => {
  await using line = await openLine();
  let attempts = 0;
  await assert.rejects(
    line.database.write(async (tx) => {
      attempts++;
      await insert(tx);
      throw new TypeError("mine");
    }),
    /mine/,
  );
  assert.equal(attempts, 1);
  assert.equal(await rows(line.database), 0);
});

/** Opens two clients of a server with the table `t`. The server lets one wait for the transaction of the other for 5 s. */
async function twoClients(): Promise<{ one: Database; other: Database } & AsyncDisposable> {
  const server = await startLibsqlServer();
  const [one, other] = [1, 2].map(() => openRemoteDatabase({ url: server.url, timeoutMs: 20_000 }));
  await one!.write((tx) => tx.run(sql`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT`));
  return {
    one: one!,
    other: other!,
    async [Symbol.asyncDispose](): Promise<void> {
      one!.close();
      other!.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

Deno.test("remote: a transaction that the server ended for another one is restarted", async () => {
  await using clients = await twoClients();
  const { one, other } = clients;
  let attempts = 0;
  let waiting: Promise<number> | undefined;
  await one.write(async (tx) => {
    await insert(tx);
    if (++attempts === 1) {
      waiting = other.write(insert);
      await new Promise((done) => setTimeout(done, 5_500));
    }
    await insert(tx);
  });
  await waiting;
  assert.equal(attempts, 2);
  assert.equal(await rows(one), 3);
});

/** Passes bytes on to a server, and closes the connection instead of the first response after `text` was sent. */
function cutAfter(text: string, url: string): { readonly url: string } & Disposable {
  const { hostname, port } = new URL(url);
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port: ours } = listener.addr as Deno.NetAddr;
  let sent = false;
  const pass = async (client: Deno.Conn): Promise<void> => {
    using server = await Deno.connect({ hostname, port: Number(port) });
    let cuts = false;
    const decoder = new TextDecoder("latin1");
    const up = (async () => {
      for await (const bytes of client.readable) {
        if (decoder.decode(bytes).includes(text)) [cuts, sent] = [!sent, true];
        await server.write(bytes);
      }
    })();
    const answer = new Uint8Array(65_536);
    for (let size; (size = await server.read(answer)) !== null;) {
      if (cuts) break;
      await client.write(answer.subarray(0, size));
    }
    client.close();
    await up.catch(() => {});
  };
  void (async () => {
    for await (const client of listener) pass(client).catch(() => {});
  })();
  return { url: `http://127.0.0.1:${ours}`, [Symbol.dispose]: () => listener.close() };
}

Deno.test("remote: a COMMIT whose connection ends without a response is not repeated", async () => {
  await using server = await startLibsqlServer();
  using proxy = cutAfter("COMMIT", server.url);
  const direct = openRemoteDatabase({ url: server.url });
  await direct.write((tx) => tx.run(sql`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT`));
  const database = openRemoteDatabase({ url: proxy.url, timeoutMs: 20_000 });
  // Opens the connection that the transaction reuses.
  assert.equal(await rows(database), 0);
  let attempts = 0;
  await assert.rejects(
    database.write((tx) => {
      attempts++;
      return insert(tx);
    }),
    unavailable(/may have been stored/),
  );
  assert.equal(attempts, 1);
  assert.equal(await rows(direct), 1);
  database.close();
  direct.close();
});

Deno.test("remote: nothing is stored outside of a transaction that the server has ended, even if its errors are ignored", async () => {
  await using clients = await twoClients();
  const { one, other } = clients;
  let attempts = 0;
  let waiting: Promise<number> | undefined;
  await one.write(async (tx) => {
    await insert(tx);
    if (++attempts > 1) return;
    waiting = other.write(insert);
    await new Promise((done) => setTimeout(done, 5_500));
    await Promise.allSettled([insert(tx), insert(tx), insert(tx)]);
    await insert(tx).catch(() => {});
  });
  await waiting;
  assert.equal(attempts, 2);
  assert.equal(await rows(one), 2, "the one of the second attempt, and the other one");
});

for (const url of ["", "file:/tmp/x.db", "ws://127.0.0.1:1", "/tmp/x.db", "ftp://127.0.0.1"]) {
  Deno.test(`remote: an invalid address is refused: "${url}"`, () => {
    assert.throws(() => openRemoteDatabase({ url }), /Invalid database URL/);
  });
}
