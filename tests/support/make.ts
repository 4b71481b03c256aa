/** Creates rows that a test needs in addition to the seeded ones, through the service itself. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { createObject, createObjects } from "../../src/resource/mod.ts";
import type { TestApp } from "./app.ts";

/** Creates objects in the collection at `path` and returns them as the API shows them. */
export async function make(
  { ctx }: TestApp,
  path: string,
  bodies: readonly Readonly<Record<string, unknown>>[],
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
): Promise<any[]> {
  const resource = resources.find((one) => `/api/${one.path}/` === path);
  assert(resource !== undefined, `No collection at ${path}`);
  if (!resource.written?.oneByOne) return await createObjects({ ctx, resource, input: bodies });
  const made = [];
  for (const input of bodies) made.push(await createObject({ ctx, resource, input }));
  return made;
}
