/** Checks that take a millisecond for each object let other requests run in between. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { countPauses } from "../support/pauses.ts";

type Body = Record<string, unknown>;

/** Unknown names of filters, for each of which the nearest known one is searched. */
const UNKNOWN = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`comon_nmae${index}`, 1]));

const CHECKED: Readonly<Record<string, readonly [path: string, bodyOf: (index: number) => Body]>> = {
  "constraints of permissions": [PATHS.permissions, (index) => ({
    name: `Permission ${index}`,
    object_types: ["certmgr.certificate"],
    actions: ["view"],
    constraints: UNKNOWN,
  })],
  "conditions of webhooks": [PATHS.webhooks, (index) => ({
    name: `Webhook ${index}`,
    object_types: ["certmgr.certificate"],
    events: ["created"],
    payload_url: "https://93.184.215.14/",
    conditions: UNKNOWN,
  })],
};

for (const [title, [path, bodyOf]] of Object.entries(CHECKED)) {
  Deno.test(`other requests run while the ${title} of a list are checked`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const pausesOf = (count: number): Promise<number> =>
      countPauses(async () => {
        const body = Array.from({ length: count }, (_, index) => bodyOf(index));
        assert.equal((await client(path, { method: "POST", body })).status, 400);
      });
    await pausesOf(1);
    const [few, many] = [await pausesOf(10), await pausesOf(50)] as const;
    // Once when a body is parsed, and once when it is checked as a whole.
    assert(many >= few + 2 * 40, `${few} pauses for 10, ${many} for 50`);
  });
}
