/** Receivers and services as processes, and checks of their results. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { fileURLToPath } from "node:url";
import { openFileDatabase } from "../../../../src/db/file_client.ts";
import type { Database } from "../../../../src/db/mod.ts";
import { TextLineStream } from "../../../support/text_lines.ts";

/** The superuser's token of every service. */
export const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";

/** A message that a receiver got. */
export interface Received {
  readonly id: string;
  /** Type and id. */
  readonly object: string;
  /** Time of its arrival, in milliseconds since the epoch. */
  readonly at: number;
}

/** A running program. */
export interface Program extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** Lines that it has written afterwards. */
  readonly lines: string[];
}

/** Starts a program that prints its address on standard error. */
export async function startProgram(path: string, env: Record<string, string> = {}): Promise<Program> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", "--allow-net", "--allow-env", path],
    cwd: fileURLToPath(new URL("../../../..", import.meta.url)),
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines: string[] = [];
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const read = async (
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    keep: (line: string) => void,
  ): Promise<void> => {
    for await (const line of stream.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())) {
      const url = /Listening on (http:\S+)/.exec(line)?.[1];
      if (url === undefined) keep(line);
      else resolve(url);
    }
    resolve("");
  };
  // Deno.serve itself prints the address on standard error.
  const reading = Promise.all([read(child.stdout, (line) => lines.push(line)), read(child.stderr, () => {})]);
  const url = await listening;
  assert.notEqual(url, "", `${path} does not listen`);
  return {
    url,
    lines,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await Promise.all([child.status, reading]);
    },
  };
}

/** Returns the messages that the receiver process has got so far. */
export async function receivedBy(receiver: Pick<Program, "url">): Promise<Received[]> {
  return await (await fetch(receiver.url)).json();
}

/** Sends a request as the superuser and returns the body. */
// deno-lint-ignore no-explicit-any -- what a test looks at is what it says
export async function ask(url: string, path: string, body?: unknown, method = "POST"): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : method,
    headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path} → ${response.status} ${text.slice(0, 500)}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** Registers a receiver for all events of certificates. */
export async function subscribe(
  url: string,
  payload_url: string,
  own: Record<string, unknown> = {},
): Promise<void> {
  await ask(url, "/api/extras/webhooks/", {
    name: `to ${payload_url}`,
    object_types: ["certmgr.certificate"],
    events: ["created", "updated", "deleted"],
    payload_url,
    ...own,
  });
}

/** Waits until a condition is true, at most `limitMs`. */
export async function until(what: string, limitMs: number, done: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + limitMs; !await done();) {
    assert.ok(performance.now() < end, `Waited ${limitMs} ms for ${what}`);
    await new Promise((resume) => setTimeout(resume, 100));
  }
}

/** The path of a database file, or an open database. */
export type DatabasePlace = string | Database;

async function withDatabase<T>(place: DatabasePlace, work: (database: Database) => Promise<T>): Promise<T> {
  if (typeof place !== "string") return await work(place);
  const database = await openFileDatabase({ path: place });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Returns whether nothing is left to dispatch or to send. */
export async function isSettled(place: DatabasePlace): Promise<boolean> {
  return await withDatabase(place, async (database) => {
    const [row] = await database.all<{ n: number }>(
      sql`SELECT (SELECT count(*) FROM outbox WHERE state = 'pending') +
        (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending') AS n`,
    );
    return row?.n === 0;
  });
}

/** Waits until nothing is left to dispatch or to send. */
export async function settled(place: DatabasePlace, limitMs: number): Promise<void> {
  // It is opened once, because closing a file writes back its WAL, for which writers wait.
  await withDatabase(place, (database) => until("all messages", limitMs, () => isSettled(database)));
}

/**
 * Compares stored and received data: each change of a certificate is in an event, each event is a message that has
 * arrived, no other message has, and those about one object arrived in order. Returns the number of messages.
 */
export async function assertDelivered(
  place: DatabasePlace,
  received: readonly Received[],
): Promise<{ changes: number; messages: number; received: number }> {
  return await withDatabase(place, async (database) => {
    const lost = await database.all(
      sql`SELECT id FROM object_changes AS c WHERE object_type = 'certmgr.certificate' AND NOT EXISTS (
        SELECT 1 FROM outbox AS o WHERE o.object_type = c.object_type AND o.object_id = c.object_id
          AND c.id BETWEEN o.first_change_id AND o.change_id)`,
    );
    assert.deepEqual(lost, [], "Changes without an event");
    const messages = await database.all<{ event_id: string; object: string; state: string }>(
      sql`SELECT event_id, object_type || ' ' || object_id AS object, state FROM webhook_deliveries ORDER BY id`,
    );
    const [{ events, changes }] = await database.all<{ events: number; changes: number }>(
      sql`SELECT (SELECT count(*) FROM outbox WHERE object_type = 'certmgr.certificate') AS events,
        (SELECT count(*) FROM object_changes WHERE object_type = 'certmgr.certificate') AS changes`,
    ) as [{ events: number; changes: number }];
    assert.equal(messages.length, events, "Messages and events");
    assert.deepEqual(messages.filter(({ state }) => state !== "delivered"), []);
    const arrived = firstArrivals(received);
    assert.deepEqual([...arrived.keys()].sort(), messages.map(({ event_id }) => event_id).sort());
    const order = Map.groupBy(messages, ({ object }) => object);
    const came = Map.groupBy(arrived.values(), ({ object }) => object);
    for (const [object, sent] of order) {
      assert.deepEqual(came.get(object)?.map(({ id }) => id), sent.map(({ event_id }) => event_id), object);
    }
    return { changes, messages: messages.length, received: received.length };
  });
}

function firstArrivals(received: readonly Received[]): Map<string, Received> {
  const arrived = new Map<string, Received>();
  for (const one of received) if (!arrived.has(one.id)) arrived.set(one.id, one);
  return arrived;
}
