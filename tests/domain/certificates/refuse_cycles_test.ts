/** Successors: no sequence of changes makes a certificate its own successor, and every other change is allowed. */

import assert from "node:assert/strict";
import { AppError } from "../../../src/base/errors.ts";
import { certificates } from "../../../src/domain/certificates/mod.ts";
import { updateObjects } from "../../../src/resource/mod.ts";
import { testApp } from "../../support/app.ts";
import { metadata, storeCertificates } from "../../support/stored.ts";

/** Returns a repeatable generator of numbers from 0 to below `below` (mulberry32). */
function numbers(state: number): (below: number) => number {
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Returns certificates whose successors lead back to them. */
function cyclic(next: ReadonlyMap<number, number | null>): Set<number> {
  return new Set([...next.keys()].filter((start) => {
    let at = next.get(start) ?? null;
    for (let steps = 0; at !== null && at !== start && steps <= next.size; steps++) at = next.get(at) ?? null;
    return at === start;
  }));
}

Deno.test("random bulk changes of successors are refused if they make a cycle, and stored otherwise", async () => {
  await using app = await testApp();
  const { ctx } = app;
  const ids = await storeCertificates(app, Array.from({ length: 7 }, (_, number) => metadata(number + 1)));
  let stored = new Map<number, number | null>(ids.map((id) => [id, null]));
  const random = numbers(5);
  const seen = { refused: 0, stored: 0 };
  for (let round = 0; round < 150; round++) {
    const chosen = ids.filter(() => random(3) === 0);
    if (chosen.length === 0) continue;
    const input = chosen.map((id) => ({
      id,
      replaced_by: random(4) === 0 ? null : ids[random(7)] as number,
    }));
    const next = new Map(stored);
    for (const { id, replaced_by } of input) next.set(id, replaced_by);
    const bad = cyclic(next);
    const result = await updateObjects({ ctx, resource: certificates, input, mode: "patch" })
      .catch((error) => error as AppError);
    if (bad.size === 0) {
      assert(Array.isArray(result), String(result));
      stored = next;
      seen.stored++;
      continue;
    }
    assert(result instanceof AppError && Array.isArray(result.public));
    const refused = result.public.map((errors) => Object.hasOwn(errors, "replaced_by"));
    assert.deepEqual(
      refused,
      input.map(({ id, replaced_by }) => bad.has(id) && replaced_by !== stored.get(id)),
    );
    seen.refused++;
  }
  assert(seen.refused > 20 && seen.stored > 20, JSON.stringify(seen));
});
