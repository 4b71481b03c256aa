/** A libSQL server that ends the streams of transactions, or whose answers break the protocol. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { AppError } from "../../src/base/errors.ts";
import type { Database, Transaction } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { type Alter, type Reply, type ScriptedServer, startScriptedServer } from "./scripted_server.ts";

interface Served extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly database: Database;
}

async function serve(): Promise<Served> {
  const server = await startScriptedServer();
  const database = openRemoteDatabase({ url: server.url, authToken: "hush-hush", timeoutMs: 2_000 });
  return {
    server,
    database,
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const insert = (tx: Transaction): Promise<number> => tx.run(sql`INSERT INTO t (x) VALUES ('row')`);

/**
 * Three inserts: two that are awaited, and one that is sent with the COMMIT. Their texts differ, because a server
 * refuses a text that is known only to an ended stream.
 */
async function work(tx: Transaction): Promise<void> {
  await tx.run(sql`INSERT INTO t (x) VALUES ('first')`);
  await tx.run(sql`INSERT INTO t (x) VALUES ('second')`);
  await tx.runAll([sql`INSERT INTO t (x) VALUES ('third')`]);
}

function unavailable(text: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof AppError, String(error));
    assert.deepEqual([error.code, text.test(error.message)], [
      "unavailable",
      true,
    ], error.message);
    return true;
  };
}

/** Alters only the answer number `index` to a request with a statement. */
function only(index: number, alter: Alter): Alter {
  let count = 0;
  return (text, reply) => text !== "" && count++ === index ? alter(text, reply) : reply;
}

for (const index of [0, 1]) {
  Deno.test(`remote: no statement runs outside of a transaction whose stream the server ended with answer ${index + 1}`, async () => {
    await using served = await serve();
    const { server, database } = served;
    server.alter = only(index, (_, reply) => {
      server.endStreams();
      return { ...reply, baton: null };
    });
    await database.write(work);
    assert.equal(server.rows(), 3);
  });

  Deno.test(`remote: a transaction that the server forgot after answer ${index + 1} is repeated or refused, never stored in part`, async () => {
    await using served = await serve();
    const { server, database } = served;
    server.alter = only(index, (_, reply) => {
      server.endStreams();
      return reply;
    });
    const stored = await database.write(work).then(
      () => true,
      unavailable(/may have been stored/),
    );
    assert.equal(server.rows(), index === 0 ? 3 : 0, String(stored));
  });
}

/** The answer to the batch of a request, after those for its SQL texts. */
function batchOf(reply: Reply): Reply {
  return reply.results.map((one: Reply) => one.response).find((one: Reply) => one?.type === "batch");
}

/** What a server may answer to a COMMIT that it has applied. */
const COMMIT_ANSWERS: Record<string, (reply: Reply) => Reply | Response> = {
  "no result of the COMMIT": (reply) => {
    batchOf(reply).result.step_results.splice(-1);
    return reply;
  },
  "no results at all": (reply) => ({ ...reply, results: [] }),
  "no result of its statement": (reply) => {
    batchOf(reply).result.step_results[0] = null;
    return reply;
  },
  "empty lists": (reply) => {
    batchOf(reply).result = { step_results: [], step_errors: [] };
    return reply;
  },
  "too many results": (reply) => ({
    ...reply,
    results: [...reply.results, ...reply.results],
  }),
  "another type of result": (reply) => {
    batchOf(reply).type = "sequence";
    return reply;
  },
  "an empty object": () => ({}),
  "null": () => Response.json(null),
  "HTTP 400": () => new Response("The baton is invalid", { status: 400 }),
  "HTTP 400 with a message": () => Response.json({ message: "The baton is invalid" }, { status: 400 }),
  "HTTP 500 with broken JSON": () =>
    new Response("{", {
      status: 500,
      headers: { "content-type": "application/json" },
    }),
  "HTTP 502": () =>
    new Response("<h1>Bad gateway</h1>", {
      status: 502,
      headers: { "content-type": "text/html" },
    }),
  "a body without end": () => new Response(endless()),
};

function endless(): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval> | undefined;
  return new ReadableStream({
    start(body): void {
      timer = setInterval(() => body.enqueue(new TextEncoder().encode(" ")), 50);
    },
    cancel: () => clearInterval(timer),
  });
}

for (const [fault, alter] of Object.entries(COMMIT_ANSWERS)) {
  Deno.test(`remote: a COMMIT that was applied and is answered with ${fault} is not repeated`, async () => {
    await using served = await serve();
    const { server, database } = served;
    server.alter = (text, reply) => text.includes("COMMIT") ? alter(reply) : reply;
    await assert.rejects(
      database.write(work),
      unavailable(/may have been stored/),
    );
    assert.equal(server.rows(), 3);
    assert.equal(
      server.requests.filter((text) => text.includes("COMMIT")).length,
      1,
    );
  });
}

for (
  const [code, message, detail] of [
    ["SQLITE_FULL", "database or disk is full", /disk is full/],
    ["SQLITE_IOERR_WRITE", "disk I/O error", /disk is failing/],
    ["SQLITE_READONLY", "attempt to write a readonly database", /read-only/],
    ["SQLITE_CORRUPT", "database disk image is malformed", /damaged/],
    ["BLOCKED", "SQL write operations are forbidden", /refuses/],
  ] as const
) {
  Deno.test(`remote: a server that fails with ${code} is unavailable, and its transaction has ended`, async () => {
    await using served = await serve();
    const { server, database } = served;
    const fail = (reply: Reply): Reply => {
      const { result } = batchOf(reply);
      result.step_results[result.step_results.length - 1] = null;
      result.step_errors[result.step_errors.length - 1] = { message, code };
      return reply;
    };
    server.alter = (text, reply) => text.includes("'failing'") ? fail(reply) : reply;
    // SQLite rolls back by itself after some of these errors.
    await assert.rejects(
      database.write(async (tx) => {
        await insert(tx);
        await tx.run(sql`INSERT INTO t (x) VALUES ('failing')`).catch(() => undefined);
        await insert(tx).catch(() => undefined);
      }),
      unavailable(detail),
    );
    assert.equal(server.rows(), 0);
    assert.equal(
      server.requests.filter((text) => text.includes("COMMIT")).length,
      0,
    );
    assert.equal(
      server.requests.filter((text) => text.includes("'row'")).length,
      1,
    );
  });
}

Deno.test("remote: statements and the token go to no other address without TLS, whatever the server answers", async () => {
  await using served = await serve();
  await using other = await startScriptedServer();
  const { server, database } = served;
  const answers: Record<string, Alter> = {
    "sending redirect|redirect mode": () => Response.redirect(`${other.url}/v2/pipeline`, 307),
    "A token would be sent to db\\.example without encryption": (_, reply) => {
      server.endStreams();
      return { ...reply, base_url: "http://db.example/" };
    },
  };
  const asked = [() => database.all(sql`SELECT 1`), () => database.write(work)];
  for (const [index, [cause, alter]] of Object.entries(answers).entries()) {
    server.alter = alter;
    const error = await asked[index]?.().then(() => undefined, (error) => error);
    assert.ok(unavailable(/The database is not available/)(error));
    let inner = error;
    while (inner.cause instanceof Error) inner = inner.cause;
    assert.match(inner.message, new RegExp(cause));
    assert.equal(server.rows(), 0);
  }
  assert.deepEqual(other.requests, []);
});
