/** Sends a test message to a channel. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../auth/mod.ts";
import { AppError, invalid, notFound } from "../../base/errors.ts";
import { insertRows, nextIds, select } from "../../db/mod.ts";
import { notification_deliveries, users } from "../../db/schema/mod.ts";
import { announce } from "../../changes/mod.ts";
import { objectBody, operation, shown } from "../../operation/mod.ts";
import { documented, loadForChange, quote, readAnswer } from "../../resource/mod.ts";
import { notificationDeliveries } from "./deliveries.ts";
import { TEST_NOTICE } from "./event_names.ts";
import { newNoticeId } from "./compose.ts";
import { deliveryRow } from "./store_evaluations.ts";
import { isMailAddress } from "../../base/mail_address.ts";
import { channels } from "./channels.ts";

/**
 * Sends a message with the event `test` and returns its delivery. E-mail is sent to `recipient`, or to the
 * caller's own address. Errors: forbidden, not_found, invalid, conflict (the channel is disabled).
 */
export const testChannel = operation({
  needs: [["change", channels]],
  input: objectBody({
    recipient: documented(
      z.string().max(254).refine(isMailAddress, {
        error: ({ input }) => `Expected an e-mail address, not ${quote(input)}.`,
      }),
      { type: "string", format: "email", maxLength: 254 },
    ).optional(),
  }).optional(),
  output: shown(notificationDeliveries),
  run: async ({ ctx, id, input, ...run }) => {
    const [own] = await ctx.database.all(
      select({ email: users.email }).from(users).where(sql`${users.id} = ${ctx.actor.userId}`),
    );
    const recipient = input?.recipient ?? own?.email ?? "";
    return await ctx.database.write(async (tx) => {
      const allowed = run.allowed(channels);
      const channel = (await loadForChange({ ctx, tx, resource: channels, allowed }, [id])).get(id);
      if (channel === undefined) throw notFound();
      if (channel.enabled !== 1) throw new AppError("conflict", "The channel is disabled. Enable it first.");
      const isMail = channel.kind === "email";
      if (isMail && recipient === "") {
        throw invalid({ recipient: ["Your account has no e-mail address. Specify recipient."] });
      }
      const delivery = await nextIds(tx, notification_deliveries, 1);
      const row = deliveryRow(testMessage(ctx, String(channel.name), isMail ? recipient : ""), {
        channelId: id,
        subscriptionId: null,
        now: ctx.clock.now(),
      });
      await tx.run(insertRows(notification_deliveries, [{ id: delivery, ...row }]));
      announce(tx, ctx.database);
      return await readAnswer({ ctx, reader: tx, resource: notificationDeliveries }, delivery);
    });
  },
});

function testMessage(
  ctx: Context,
  name: string,
  recipient: string,
): Parameters<typeof deliveryRow>[0] {
  return {
    messageId: newNoticeId(),
    recipient,
    event: TEST_NOTICE,
    message: {
      name,
      userId: null,
      more: 0,
      notices: [{
        event: TEST_NOTICE,
        objectType: channels.objectType,
        objectId: 0,
        detail: "",
        severity: "info",
        title: `Test message of the channel ${name}`,
        lines: [`Sent by ${ctx.actor.username}.`],
        path: "/notification-channels/",
      }],
    },
  };
}
