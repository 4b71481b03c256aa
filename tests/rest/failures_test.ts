/** When the database fails during a request, the response has no details, the log has them, and nothing is stored. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { createApp } from "../../src/app.ts";
import { createLogger } from "../../src/base/log.ts";
import type { Database, Reader, Transaction } from "../../src/db/mod.ts";
import { type As, signIn } from "../support/actors.ts";
import { type Ask, type LogLine, requestOf, testApp } from "../support/app.ts";
import { testClock, testContext } from "../support/context.ts";
import { PATHS } from "../support/paths.ts";
import { pki } from "../support/pki.ts";
import { seededDatabase } from "../support/seed.ts";
import { writtenBytes } from "../support/store.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

const SECRET = "disk I/O error near SELECT secret FROM tokens";

/** A database whose n-th statement fails. */
class Failing implements Database {
  readonly kind = "file";
  left = Infinity;

  constructor(readonly inner: Database) {}

  get statements(): number {
    return this.inner.statements;
  }

  #count(): void {
    if (--this.left < 0) throw new Error(SECRET);
  }

  #reader(reader: Reader): Reader {
    return {
      all: (query) => {
        this.#count();
        return reader.all(query);
      },
      batch: (queries) => {
        this.#count();
        return reader.batch(queries);
      },
    };
  }

  async all<T>(query: Parameters<Reader["all"]>[0]): Promise<T[]> {
    return await this.#reader(this.inner).all<T>(query);
  }

  async batch(queries: Parameters<Reader["batch"]>[0]): Promise<Awaited<ReturnType<Reader["batch"]>>> {
    return await this.#reader(this.inner).batch(queries);
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.inner.write((tx) =>
      work({
        ...this.#reader(tx),
        run: (query) => {
          this.#count();
          return tx.run(query);
        },
        runAll: async (queries) => {
          for (const query of queries) {
            this.#count();
            await tx.run(query);
          }
        },
        afterCommit: (after) => tx.afterCommit(after),
      })
    );
  }

  close(): void {
    this.inner.close();
  }
}

/** Repeats the request, each time failing one statement later, until it succeeds. */
async function failEverywhere(as: As, path: string, ask: Ask): Promise<number> {
  await using seeded = await seededDatabase();
  const database = new Failing(seeded);
  const clock = testClock(TEST_NOW);
  const log: LogLine[] = [];
  const { settings } = testContext({ database });
  const app = createApp({
    database,
    clock,
    settings,
    trustedProxies: [],
    corsOrigins: [],
    maxBodyBytes: 1_000_000,
    rateLimit: 0,
    log: createLogger({ level: "debug", now: clock.now, write: (line) => log.push(JSON.parse(line)) }),
  });
  const identity = await signIn(seeded, as, clock.now());
  // The use of a token is recorded outside of requests, and not yet due.
  await seeded.write((tx) => tx.run(sql`UPDATE tokens SET last_used = ${TEST_NOW * 2}`));
  const send = (): Promise<Response> => app.fetch(requestOf(path, ask, identity));
  for (let failed = 0;; failed++) {
    const before = await writtenBytes(seeded);
    database.left = failed;
    log.length = 0;
    const response = await send();
    const text = await response.text();
    if (response.status < 500) {
      assert(response.ok, text);
      return failed;
    }
    const { detail, request_id } = JSON.parse(text);
    assert.deepEqual([response.status, detail], [500, "Internal server error."]);
    assert.equal(request_id, response.headers.get("x-request-id"));
    assert.equal(response.headers.get("api-version"), "4.6");
    assert.equal(text, JSON.stringify({ detail, request_id }));
    const defect = log.find((line) => line.event === "defect");
    assert.equal(defect?.request_id, request_id);
    assert(String(defect?.error).includes(SECRET), "The log tells what happened");
    assert.equal(
      await writtenBytes(seeded),
      before,
      `Something was stored although statement ${failed + 1} failed`,
    );
    clock.advance(10_000); // accounts are cached for some time, but all attempts should be equal
  }
}

for (
  const [title, path, ask] of [
    ["list", PATHS.certificates, {}],
    ["detail", `${PATHS.certificates}1/`, {}],
    ["export", `${PATHS.certificates}export/?format=csv`, {}],
    ["create", PATHS.tenants, { method: "POST", body: { name: "x", slug: "x", tags: [{ slug: "prod" }] } }],
    ["update", `${PATHS.certificates}2/`, { method: "PATCH", body: { status: "revoked", tags: [1] } }],
    ["bulk update", PATHS.certificates, {
      method: "PATCH",
      body: [{ id: 1, status: "revoked" }, { id: 2, status: "revoked" }],
    }],
    ["delete", `${PATHS.certificates}1/`, { method: "DELETE" }],
    ["import", `${PATHS.certificates}import/`, { method: "POST", body: { pem_content: pki.fresh.pem } }],
    ["status", "/api/status/", {}],
  ] as const
) {
  Deno.test(`${title}: a failure of any of its statements answers 500, reveals nothing and stores nothing`, async () => {
    const statements = await failEverywhere("superuser", path, ask);
    assert(statements > 0);
  });
}

Deno.test("a thrown value that is not an Error answers 500, too", async () => {
  await using seeded = await seededDatabase();
  const { settings } = testContext({ database: seeded });
  const app = createApp({
    database: seeded,
    clock: {
      now(): number {
        throw "a text";
      },
    },
    settings,
    trustedProxies: [],
    corsOrigins: [],
    maxBodyBytes: 100,
    rateLimit: 1,
    log: { log: () => {} },
  });
  const response = await app.fetch(requestOf("/api/"));
  assert.equal(response.status, 500);
  assert.equal((await response.json()).detail, "Internal server error.");
  await seeded.all(sql`SELECT 1`);
});

Deno.test("a constraint that only the database checks answers 409 without SQL, and is a warning in the log", async () => {
  await using app = await testApp();
  await app.database.write((tx) =>
    tx.run(sql`CREATE UNIQUE INDEX extra ON tenants (description) WHERE description <> ''`)
  );
  const client = await app.as("superuser");
  const body = { name: "Another", slug: "another", description: "Anvils" };
  const response = await client("/api/tenancy/tenants/", { method: "POST", body });
  assert.equal(response.status, 409);
  assert.deepEqual(await response.json(), {
    detail: "The change conflicts with another object that has the same values.",
  });
  const lines = app.log.filter((line) => line.event === "refusal");
  assert.deepEqual(lines.map(({ level }) => level), ["warn"]);
  assert.match(String(lines[0]?.cause), /UNIQUE constraint failed: tenants\.description/);
});
