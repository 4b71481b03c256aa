/** Checks that are common to all tests of hostile input: no failure, a documented response, and nothing stored. */

import assert from "node:assert/strict";
import type { Client, TestApp } from "./app.ts";
import { violations } from "./contract.ts";
import { operationOf } from "./operations.ts";
import { writtenBytes } from "./store.ts";

/** Messages of the schema library. Ours say what is expected. */
const LIBRARY_WORDS =
  /Invalid (?:input|option|string|element)|Too (?:small|big): |Unrecognized key|received \w+"/;

const JSON_TYPE = { "content-type": "application/json" };

/** Sends a request, validates its response by the API document, and returns status and body. */
export async function ask(
  client: Client,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string }> {
  const response = await client(path, {
    method,
    body,
    ...(typeof body === "string" ? { headers: JSON_TYPE } : {}),
  });
  const text = await response.text();
  const summary = `${method} ${path.slice(0, 200)} ${
    JSON.stringify(body)?.slice(0, 300)
  } → ${response.status} ${text.slice(0, 300)}`;
  assert(response.status < 500, summary);
  assert.doesNotMatch(text, LIBRARY_WORDS, summary);
  const operation = operationOf(method, path);
  const type = response.headers.get("content-type") ?? "";
  if (operation !== undefined) {
    assert.deepEqual(violations(operation, response.status, { type, text }), [], summary);
  }
  return { status: response.status, text };
}

/** Runs requests that must all be refused, and checks that nothing was stored. */
export async function refused(app: TestApp, work: (client: Client) => Promise<number[]>): Promise<void> {
  const client = await app.as("superuser");
  const before = await writtenBytes(app.database);
  const statuses = await work(client);
  assert(statuses.length > 0);
  assert.deepEqual(statuses.filter((status) => status < 400), []);
  assert.equal(await writtenBytes(app.database), before, "Something was stored");
}

/** Returns the JSON text of an object with some members replaced by JSON text. */
export function bodyOf(
  object: Record<string, unknown>,
  fields: readonly { readonly name: string }[],
  value: string,
): string {
  const names = fields.map((field) => field.name);
  const rest = Object.entries(object).filter(([name]) => !names.includes(name));
  const members = rest.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`);
  return `{${[...members, ...names.map((name) => `${JSON.stringify(name)}:${value}`)].join(",")}}`;
}
