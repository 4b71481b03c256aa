/** Events are stored for the webhooks that are enabled when a change is committed, and for no others. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import type { Context } from "../../src/auth/mod.ts";
import { type ChangeAction, recordChanges, recordNotices } from "../../src/changes/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import type { Database } from "../../src/db/mod.ts";
import { DISPATCH_BATCH, dispatchEvents } from "../../src/domain/webhooks/sending/dispatch.ts";
import { addWebhook, changeOf, deliveries } from "../domain/webhooks/sending/support.ts";
import { testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";

const TYPES = ["certmgr.certificate", "certmgr.certificateassignment"] as const;
const EVENTS = ["created", "updated", "deleted"] as const;

/** Changes of one object in a transaction, and the event that they are together. */
const MERGED: readonly (readonly [actions: readonly ChangeAction[], event: string | null])[] = [
  [["create"], "created"],
  [["update"], "updated"],
  [["delete"], "deleted"],
  [["create", "update"], "created"],
  [["update", "delete"], "deleted"],
  [["create", "delete"], null],
];

type Step =
  | { readonly kind: "change"; readonly type: string; readonly object: number; readonly merged: number }
  | { readonly kind: "enable"; readonly webhook: number; readonly enabled: boolean }
  | { readonly kind: "remove"; readonly webhook: number }
  | { readonly kind: "dispatch" };

interface Webhook {
  readonly id: number;
  readonly types: readonly string[];
  readonly events: readonly string[];
  enabled: boolean;
}

const SELECTION = fc.record({ types: fc.subarray([...TYPES]), events: fc.subarray([...EVENTS]) });
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      type: fc.constantFrom(...TYPES),
      object: fc.integer({ min: 1, max: 2 }),
      merged: fc.nat(MERGED.length - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("enable" as const), webhook: fc.nat(2), enabled: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), webhook: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("dispatch" as const) }) },
);

async function dispatchAll(ctx: Context): Promise<void> {
  while (await dispatchEvents(ctx) === DISPATCH_BATCH);
}

async function commitChanges(
  ctx: Context,
  { type, object, merged }: Step & { kind: "change" },
): Promise<void> {
  const [actions] = MERGED[merged]!;
  await ctx.database.write(async (tx) => {
    for (const action of actions) {
      await recordChanges(tx, ctx, [{ ...changeOf(object, action), objectType: type }]);
    }
  });
}

function selects(webhook: Webhook, { type, event }: { type: string; event: string }): boolean {
  return webhook.enabled && webhook.types.includes(type) && webhook.events.includes(event);
}

async function openEvents(database: Database): Promise<string[]> {
  const rows = await database.all<{ event: string }>(
    sql`SELECT object_type || ' ' || object_id || ' ' || event AS event FROM outbox WHERE state = 'pending' ORDER BY id`,
  );
  return rows.map(({ event }) => event);
}

Deno.test("each webhook gets the events that it selects while it is enabled, and others are not stored", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(SELECTION, { minLength: 3, maxLength: 3 }),
      fc.array(STEP, { minLength: 5, maxLength: 25 }),
      async (selections, steps) => {
        await using database = await testDatabase();
        const other = await openFileDatabase({ path: database.path, durable: false });
        try {
          const webhooks: Webhook[] = [];
          for (const [index, { types, events }] of selections.entries()) {
            const id = await addWebhook(database, {
              name: `w${index}`,
              object_types: JSON.stringify(types),
              events: JSON.stringify(events),
              enabled: 0,
            });
            webhooks.push({ id, types, events, enabled: false });
          }
          const open: { type: string; object: number; event: string }[] = [];
          const expected: string[] = [];
          for (const [at, step] of [...steps, { kind: "dispatch" } as const].entries()) {
            // Two processes take turns.
            const ctx = testContext({ database: at % 2 === 0 ? database : other });
            if (step.kind === "change") {
              await commitChanges(ctx, step);
              const [, event] = MERGED[step.merged]!;
              const one = { type: step.type, object: step.object, event: event ?? "" };
              if (webhooks.some((webhook) => selects(webhook, one))) open.push(one);
            } else if (step.kind === "dispatch") {
              await dispatchAll(ctx);
              for (const one of open.splice(0)) {
                for (const webhook of webhooks.filter((webhook) => selects(webhook, one))) {
                  expected.push(`${webhook.id} ${one.type} ${one.object} ${one.event}`);
                }
              }
            } else {
              const webhook = webhooks[step.webhook]!;
              const removes = step.kind === "remove";
              webhook.enabled = !removes && step.enabled;
              await ctx.database.write((tx) =>
                tx.run(
                  removes
                    ? sql`UPDATE webhooks SET enabled = 0, object_types = '[]' WHERE id = ${webhook.id}`
                    : sql`UPDATE webhooks SET enabled = ${webhook.enabled ? 1 : 0} WHERE id = ${webhook.id}`,
                )
              );
              if (removes) webhooks[step.webhook] = { ...webhook, types: [] };
            }
            assert.deepEqual(
              await openEvents(database),
              open.map(({ type, object, event }) => `${type} ${object} ${event}`),
            );
          }
          const stored = (await deliveries(database)).map(({ webhook_id, object_type, object_id, event }) =>
            `${webhook_id} ${object_type} ${object_id} ${event}`
          );
          assert.deepEqual(stored, expected);
        } finally {
          other.close();
        }
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("a webhook that is stored with a change in one transaction gets its event", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const id = await addWebhook(database, { enabled: 0 });
  await database.write(async (tx) => {
    await tx.run(sql`UPDATE webhooks SET enabled = 1 WHERE id = ${id}`);
    await recordChanges(tx, ctx, [changeOf(1)]);
  });
  assert.deepEqual(await openEvents(database), ["certmgr.certificate 1 updated"]);
});

Deno.test("of notices in one transaction only the selected ones are stored", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const notice = (objectId: number, event: string): Parameters<typeof recordNotices>[2][number] => ({
    event,
    objectType: "certmgr.certificate",
    objectId,
    snapshot: { id: objectId },
  });
  const both = [notice(1, "certificate_expiring"), notice(2, "created")];
  await database.write((tx) => recordNotices(tx, ctx, both));
  assert.deepEqual(await openEvents(database), []);
  await addWebhook(database, { events: '["certificate_expiring"]' });
  await database.write((tx) => recordNotices(tx, ctx, both));
  assert.deepEqual(await openEvents(database), ["certmgr.certificate 1 certificate_expiring"]);
});
