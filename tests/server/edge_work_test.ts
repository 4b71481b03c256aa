/** The scheduled work of the edge, in processes with the permissions of an edge, against a libSQL server. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { fileURLToPath } from "node:url";
import { DAY_MS, formatDatetime, systemClock } from "../../src/base/clock.ts";
import { migrate, type Migration, MIGRATIONS } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { JOBS } from "../../src/domain/system/jobs/jobs.ts";
import { type LibsqlServer, startLibsqlServer } from "../support/libsql_server.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { TextLineStream } from "../support/text_lines.ts";
import { buildCrl, ext, TestCa } from "../support/test_ca/mod.ts";
import { startHost } from "../domain/revocation/support.ts";
import { deploy } from "./deploy_edge.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** Delay of the receiver in milliseconds, so that two processes are sending at the same time. */
const ANSWER_MS = 100;

/** An edge that works on demand. */
interface Worker extends AsyncDisposable {
  readonly url: string;
  /** Runs its work once and returns the lines that it has printed since the last time. Throws if it ended. */
  work(): Promise<string[]>;
}

async function startWorker(env: Readonly<Record<string, string>>): Promise<Worker> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "--no-check", "--no-prompt", "--allow-net", "--allow-env"],
      "tests/server/edge_worker.ts",
    ],
    cwd: PROJECT,
    env: { NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const complaints = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  const writer = child.stdin.getWriter();
  const next = async (): Promise<string> => (await reader.read()).value ?? assert.fail(await complaints);
  return {
    url: await next(),
    async work(): Promise<string[]> {
      await writer.write(new Uint8Array(1));
      const lines: string[] = [];
      for (let line = await next(); line !== "worked"; line = await next()) lines.push(line);
      return lines;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await writer.close().catch(() => {});
      await reader.cancel();
      await child.status;
      await complaints;
    },
  };
}

/** Returns a function that reads a path, or sends a body to it, and requires success. */
function asking(
  url: string,
  token: string,
): (path: string, body?: unknown) => Promise<Record<string, unknown>> {
  return async (path, body) => {
    const response = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${path} → ${response.status}`);
    return await response.json();
  };
}

/** Returns the names of the jobs that ran, from the log. */
function jobsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line): string[] => {
    const { event, name } = JSON.parse(line);
    return event === "job" ? [name] : [];
  });
}

Deno.test("changes by a request to the edge are sent once by its next run, and due jobs run once, with any number of edges", async () => {
  await using server = await startLibsqlServer();
  const env = { CERTMGR_DATABASE_URL: server.url, CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" };
  const token = await deploy(env);
  await using one = await startWorker(env);
  await using other = await startWorker(env);
  const received: { id: string; event: string; object: number }[] = [];
  await using receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { event, data } = await request.json();
      await new Promise((done) => setTimeout(done, ANSWER_MS));
      received.push({ id: request.headers.get("webhook-id") ?? "", event, object: data.id });
      return new Response(null, { status: 204 });
    },
  );
  const ask = asking(one.url, token);
  await ask(PATHS.webhooks, {
    name: "receiver",
    object_types: ["certmgr.certificate"],
    events: ["created", "updated"],
    payload_url: `http://127.0.0.1:${receiver.addr.port}/`,
  });
  const now = systemClock.now();
  const [from, past, ahead] = [-9, -1, 300].map((days) => formatDatetime(now + days * DAY_MS));
  for (let serial = 1; serial <= 8; serial++) {
    const valid = { valid_from: from, valid_to: serial === 8 ? past : ahead };
    await ask(PATHS.certificates, metadata(serial, valid));
  }

  const lines = (await Promise.all([one.work(), other.work()])).flat();
  const { results } = await ask(`${PATHS.deliveries}?limit=0`);
  const rows = results as { state: string; event_id: string; attempts: number }[];
  assert.deepEqual(
    rows.map(({ state, attempts }) => [state, attempts]),
    rows.map(() => ["delivered", 1]),
    lines.join("\n"),
  );
  assert.deepEqual(received.map(({ id }) => id).sort(), rows.map(({ event_id }) => event_id).sort());
  assert.deepEqual(
    received.map(({ event, object }) => `${event} ${object}`).sort(),
    [...Array.from({ length: 8 }, (_, index) => `created ${index + 1}`), "updated 8"],
  );
  assert.deepEqual(received.filter(({ object }) => object === 8).map(({ event }) => event), [
    "created",
    "updated",
  ]);
  assert.deepEqual(jobsIn(lines).sort(), JOBS.map(({ name }) => name).sort());
  assert.equal((await ask(`${PATHS.certificates}8/`)).status, "expired");

  assert.deepEqual(jobsIn(await one.work()), []);
  assert.equal(received.length, 9);
});

Deno.test("an edge asks authorities in its next run, once with any number of edges", async () => {
  await using server = await startLibsqlServer();
  const env = { CERTMGR_DATABASE_URL: server.url, CERTMGR_REVOCATION_ALLOWED_NETWORKS: "127.0.0.1/32" };
  const token = await deploy(env);
  await using one = await startWorker(env);
  await using other = await startWorker(env);
  const now = systemClock.now();
  const valid = { notBefore: formatDatetime(now - DAY_MS), notAfter: formatDatetime(now + 90 * DAY_MS) };
  const ca = await TestCa.root({ cn: "Edge CA", keyUsage: ["keyCertSign", "cRLSign"], ...valid });
  await using host = startHost();
  const extensions = [ext.crlDistributionPoints([`${host.origin}/ca.crl`])];
  const leaf = await ca.issue({ cn: "www.edge.example", extensions, ...valid });
  const { serial } = leaf.certificate;
  const list = await buildCrl(ca, {
    thisUpdate: now - 60_000,
    nextUpdate: now + DAY_MS,
    revoked: [{ serial, reason: 1, at: now - 60_000 }],
  });
  host.answers.set("/ca.crl", () => new Response(list as Uint8Array<ArrayBuffer>));
  const ask = asking(one.url, token);
  const { id } = await ask(PATHS.certificates, { pem_content: leaf.pem, issuer_chain: ca.pem });
  await Promise.all([one.work(), other.work()]);
  const stored = await ask(`${PATHS.certificates}${id}/`);
  assert.deepEqual(
    [stored.status, stored.revocation_status, stored.revocation_reason],
    ["revoked", "revoked", "key_compromise"],
  );
  assert.deepEqual(host.requests, ["GET /ca.crl"]);
});

Deno.test("an edge does no work on the schema of another release, and logs nothing", async () => {
  await using server = await startLibsqlServer();
  await using edge = await startWorker({ CERTMGR_DATABASE_URL: server.url });
  assert.deepEqual(await edge.work(), [], "no schema at all");
  const later = { name: "9999_later", sql: "-- Later.\n" };
  assert.equal(await claimedJobs(server, [...MIGRATIONS, later]), 0);
  assert.deepEqual(await edge.work(), [], "a schema with a migration that this release lacks");
  assert.equal(await claimedJobs(server, [], "DELETE FROM schema_migrations WHERE name = '9999_later'"), 0);
  assert.deepEqual(jobsIn(await edge.work()), JOBS.map(({ name }) => name));
});

/** Applies migrations, then runs a statement, and returns the number of jobs that have ever been claimed. */
async function claimedJobs(
  { url }: LibsqlServer,
  migrations: readonly Migration[],
  statement = "SELECT 1",
): Promise<number> {
  const database = openRemoteDatabase({ url });
  try {
    if (migrations.length > 0) await migrate(database, { migrations, now: systemClock.now() });
    await database.write((tx) => tx.run(sql.raw(statement)));
    const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM leases`);
    return row?.n as number;
  } finally {
    database.close();
  }
}
