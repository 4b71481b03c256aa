/** Limits the number of enabled webhooks. */

import { count, eq } from "drizzle-orm";
import { MAX_WEBHOOKS } from "./limits.ts";
import { select } from "../../db/mod.ts";
import { webhooks } from "../../db/schema/mod.ts";
import { type Draft, refuse, type WriteStep } from "../../resource/mod.ts";

/**
 * Refuses to enable more than `MAX_WEBHOOKS` webhooks. They are counted in the write transaction, so that
 * concurrent requests cannot exceed the limit together. One statement if a webhook is created or enabled.
 */
export async function limitWebhooks({ tx, drafts }: WriteStep): Promise<void> {
  const added = drafts.filter((draft) => draft.input.enabled === true && !isEnabled(draft));
  if (added.length === 0) return;
  const removed = drafts.filter((draft) => draft.input.enabled === false && isEnabled(draft));
  const [row] = await tx.all(select({ n: count() }).from(webhooks).where(eq(webhooks.enabled, 1)));
  const free = MAX_WEBHOOKS - (row?.n ?? 0) + removed.length;
  for (const draft of added.slice(Math.max(free, 0))) {
    refuse(draft, "enabled", `At most ${MAX_WEBHOOKS} webhooks can be enabled. Disable or delete one first.`);
  }
}

function isEnabled({ before }: Draft): boolean {
  return before?.enabled === 1;
}
