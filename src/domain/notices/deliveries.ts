/**
 * Notification deliveries: the messages to channels and their outcomes, which only the sender writes; and test messages.
 */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, visible } from "../../auth/mod.ts";
import { AppError, invalidField, notFound } from "../../base/errors.ts";
import { encoded } from "../../base/findings.ts";
import { isMailAddress } from "../../base/mail_address.ts";
import { announce } from "../../changes/mod.ts";
import { insertRows, nextIds, select } from "../../db/mod.ts";
import { notification_deliveries, notification_deliveries as table, users } from "../../db/schema/mod.ts";
import { objectBody, operation, shown } from "../../operation/mod.ts";
import {
  defineResource,
  documented,
  expression,
  integer,
  loadForChange,
  type Out,
  readAnswer,
  reference,
  type Resource,
  text,
  unexpected,
} from "../../resource/mod.ts";
import { columnOf, isEverything } from "../../filters/mod.ts";
import { contacts } from "../contacts/mod.ts";
import { outcomeFields } from "../webhooks/deliveries/resource.ts";
import { channels } from "./channels.ts";
import { OWNER_TOLD, TEST_NOTICE } from "./event_names.ts";
import { deliveryRow, type NewMessage, newNoticeId } from "./message.ts";
import { subscriptions } from "./subscriptions.ts";

/**
 * `certmgr.notificationdelivery`. The messages are not included: they contain what their recipients may view,
 * which the readers of this log may not.
 */
export const notificationDeliveries = defineResource({
  objectType: "certmgr.notificationdelivery",
  path: "plugins/certmgr/notification-deliveries",
  label: "notification delivery",
  labelPlural: "notification deliveries",
  table,
  fields: [
    reference("channel", {
      description: "The channel; null for e-mail to a user's own address, and to an owner.",
      target: (): Resource => channels,
      keys: ["name"],
      readOnly: true,
      onDelete: "drop",
    }),
    reference("subscription", {
      description: "The subscription; null for a test message, and for one to an owner.",
      target: (): Resource => subscriptions,
      keys: ["name"],
      readOnly: true,
      onDelete: "drop",
    }),
    text("message_id", {
      description:
        "Id of the message, the same for every attempt; the left side of an e-mail's `Message-ID`.",
      readOnly: true,
    }),
    text("event", {
      description: "The event of a single notice, `digest`, `owner_told`, or `test` for a test message.",
      readOnly: true,
    }),
    expression("recipient", {
      description:
        "E-mail address of an owner who was notified, for those who may view all contacts; empty for other messages.",
      output: z.string(),
      sql: ({ alias, ctx }) =>
        isEverything(visible(ctx, contacts.map))
          ? sql`iif(${columnOf(alias, "event")} = ${OWNER_TOLD}, ${columnOf(alias, "recipient")}, '')`
          : sql`''`,
    }),
    integer("notices", { description: "Number of notices in the message.", readOnly: true }),
    ...outcomeFields({
      responseStatus: "Status of the last response (HTTP or SMTP); null if there was none.",
      nextAttempt: "Time of the next attempt; null if the message is delivered or dead.",
    }),
  ],
  brief: ["event", "state"],
  displayNeeds: ["event", "message_id"],
  display: (row) => `${row.event} ${row.message_id}`,
  search: { fields: ["error", "message_id"] },
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  untracked: true,
});

export type NotificationDelivery = Out<typeof notificationDeliveries>;

/**
 * Sends a message with the event `test` and returns its delivery. E-mail is sent to `recipient`, or to the
 * caller's own address. Errors: forbidden, not_found, invalid, conflict (the channel is disabled).
 */
export const testChannel = operation({
  needs: [["change", channels]],
  input: objectBody({
    recipient: documented(
      z.string().max(254).refine(isMailAddress, {
        error: ({ input }) => encoded(unexpected("an e-mail address", input)),
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
        throw invalidField("recipient", "no_own_address");
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

function testMessage(ctx: Context, name: string, recipient: string): NewMessage {
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
