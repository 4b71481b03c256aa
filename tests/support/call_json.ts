/** Sends requests that must succeed, for tests that make several of them. */

import assert from "node:assert/strict";
import type { Client } from "./app.ts";

/** Sends a request and returns the body of its response, which must not be an error. */
export async function callJson(
  client: Client,
  path: string,
  method = "GET",
  body?: unknown,
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
): Promise<any> {
  const response = await client(path, { method, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  assert(response.status < 400, `${method} ${path} → ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
