/**
 * A request and its expected result, as a row of a table:
 *
 *     scenario("GET certificates/{id}/ answers the ordinary 404 for another tenant's certificate", {
 *       as: readerOf("acme"), get: certificate(seed.certificates.globexWeb),
 *       status: 404, excludes: ["globex"],
 *     });
 *
 * Each is a test on a seeded database to which no other test has written. Each also checks what holds for every
 * response: its headers, a body that is valid by the API document and reveals no internals, that a refused request has
 * stored nothing, and that there is a change record for each change and no other.
 */

import assert from "node:assert/strict";
import { hashKey } from "../../src/auth/mod.ts";
import { type As, keyOf } from "./actors.ts";
import type { Ask, TestApp, TestAppOptions } from "./app.ts";
import { violations } from "./contract.ts";
import { operationOf } from "./operations.ts";
import { lend } from "./pool.ts";
import { changesSince, lastChange, selectEveryEvent, writtenBytes } from "./store.ts";

const METHODS = ["get", "post", "put", "patch", "delete", "options", "head"] as const;
type Method = typeof METHODS[number];

/** A request and its expected response. */
export type Scenario =
  & Omit<Ask, "method">
  & { readonly [method in Method]?: string }
  & {
    readonly as: As;
    readonly status: number;
    /** Media type of the response; JSON by default. */
    readonly type?: string;
    /** Texts that the body must contain, or must not contain. */
    readonly contains?: readonly string[];
    readonly excludes?: readonly string[];
    /** The whole body. */
    readonly equals?: unknown;
    /** Checks the parsed body. */
    // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
    readonly json?: (body: any) => void;
    /** Response headers: a value, a pattern, or null for a header that must not exist. */
    readonly answers?: Readonly<Record<string, string | RegExp | null>>;
    /** Changes in order, `"create tenancy.tenant"`; events follow from them. */
    readonly changes?: readonly string[];
    /** Whether the refusal itself is recorded; otherwise a refused request stores nothing. */
    readonly isRecorded?: true;
    /** Texts that the log must contain. */
    readonly logs?: readonly string[];
    readonly app?: TestAppOptions;
    /** Runs before the request. */
    readonly before?: (app: TestApp) => Promise<void> | void;
  };

/** Internals that no response may show. */
const INSIDE =
  /\b(?:SELECT|INSERT INTO|DELETE FROM|sqlite_\w+|SQLITE_\w+|json_each)\b|\.ts:\d+|node_modules|drizzle/;

/** Statuses that scenarios have shown, by operation. */
export const seen = new Map<string, Set<number>>();

/** Registers a scenario as a test. */
export function scenario(title: string, expected: Scenario): void {
  const [method, path] = requestLine(expected);
  const operation = operationOf(method, path);
  if (operation !== undefined) {
    const statuses = seen.get(operation.operationId) ?? new Set();
    seen.set(operation.operationId, statuses.add(expected.status));
  }
  Deno.test(title, async () => {
    await using lent = await lend(expected);
    const { app, client, written } = lent;
    if ((expected.changes ?? []).length > 0) await selectEveryEvent(app.database);
    const last = await lastChange(app.database);
    const { headers = {}, body, from } = expected;
    const response = await client(path, { method, headers, body, ...(from === undefined ? {} : { from }) });
    const text = await response.text();
    const summary = `${method} ${path} → ${response.status} ${text.slice(0, 2_000)}`;
    assert.equal(response.status, expected.status, summary);
    checkHeaders(response, text, { expected, path });
    if (operation !== undefined) {
      const type = response.headers.get("content-type") ?? "";
      assert.deepEqual(violations(operation, response.status, { type, text }), [], summary);
    }
    checkBody(text, expected, summary);
    checkSecrets(app, text, expected);
    if (expected.status >= 400 && !expected.isRecorded) {
      assert.equal(await writtenBytes(app.database), written, `Stored by ${summary}`);
    }
    await checkChanges(app, {
      last,
      expected,
      requestId: response.headers.get("x-request-id") ?? "",
      summary,
    });
  });
}

function requestLine(expected: Scenario): [method: string, path: string] {
  const methods = METHODS.filter((method) => expected[method] !== undefined);
  const [method] = methods;
  if (method === undefined || methods.length > 1) throw new Error("A scenario has one method");
  return [method.toUpperCase(), expected[method] as string];
}

function checkHeaders(
  response: Response,
  text: string,
  { expected, path }: { expected: Scenario; path: string },
): void {
  assert.match(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/, "X-Request-ID");
  if (path.startsWith("/api")) assert.equal(response.headers.get("api-version"), "4.6", "API-Version");
  if (text !== "") {
    assert.equal(response.headers.get("content-type"), expected.type ?? "application/json", "Content-Type");
  }
  for (const [name, value] of Object.entries(expected.answers ?? {})) {
    const given = response.headers.get(name);
    if (value instanceof RegExp) assert.match(given ?? "(none)", value, name);
    else assert.equal(given, value, name);
  }
}

function checkBody(text: string, expected: Scenario, summary: string): void {
  for (const piece of expected.contains ?? []) assert(text.includes(piece), `Missing ${piece} in ${summary}`);
  for (const piece of expected.excludes ?? []) {
    assert(!text.includes(piece), `Unexpected ${piece} in ${summary}`);
  }
  assert.doesNotMatch(text, INSIDE, summary);
  if (expected.equals !== undefined) assert.deepEqual(JSON.parse(text), expected.equals);
  expected.json?.(JSON.parse(text));
}

/** Checks that the actor's key, its hash and any private key are in no response and in no line of the log. */
function checkSecrets({ log }: TestApp, text: string, { as, logs = [] }: Scenario): void {
  const everything = `${text}\n${log.map((line) => JSON.stringify(line)).join("\n")}`;
  const key = keyOf(as);
  for (const secret of [key, hashKey(key), "BEGIN PRIVATE KEY"]) {
    assert(!everything.includes(secret), "A secret is in the answer or in the log");
  }
  for (const piece of logs) assert(everything.includes(piece), `Missing ${piece} in the log`);
}

async function checkChanges(
  { database }: TestApp,
  { last, expected, requestId, summary }: {
    last: number;
    expected: Scenario;
    requestId: string;
    summary: string;
  },
): Promise<void> {
  const { changes, events } = await changesSince(database, last);
  assert.deepEqual(changes.map((one) => `${one.action} ${one.object_type}`), expected.changes ?? [], summary);
  assert(changes.every((one) => one.request_id === requestId), "Changes carry the id of their request");
  assert.deepEqual(events, changes, "Events");
}
