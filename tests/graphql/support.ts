/** Queries in tests. */

import assert from "node:assert/strict";
import type { Client } from "../support/app.ts";

/** The body of a response. */
export interface Answered {
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
  readonly data?: any;
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

/** Sends a query; the status is not checked. */
export async function ask(
  client: Client,
  query: string,
  variables?: Record<string, unknown>,
): Promise<Answered> {
  const response = await client("/graphql/", { method: "POST", body: { query, variables } });
  return await response.json();
}

/** Returns the data of a query that must succeed. */
// deno-lint-ignore no-explicit-any -- what a test looks at is what it says
export async function data(client: Client, query: string, variables?: Record<string, unknown>): Promise<any> {
  const answer = await ask(client, query, variables);
  assert.deepEqual(answer.errors, undefined, query);
  return answer.data;
}

/** Returns the codes of a refused query. */
export function codes({ errors = [] }: Answered): unknown[] {
  return errors.map(({ extensions }) => extensions?.code);
}
