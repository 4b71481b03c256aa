/** Messages to webhooks, as a kind of message for senders. */

import { DELIVERY_SLOTS } from "../limits.ts";
import type { Send } from "../../../http/mod.ts";
import { attemptDelivery, type DeliveryOutcome } from "./attempt.ts";
import { chooseMessages, type ClaimedMessage, claimMessages, type DueMessage, dueMessages } from "./claim.ts";
import { type MessageKind, type SenderOf, senderOf } from "./sender.ts";
import { isFinal, settle } from "./settle.ts";

/** Returns a function that creates the senders of messages to webhooks. */
export function webhookSender(send: Send): SenderOf {
  const kind: MessageKind<DueMessage, ClaimedMessage, DeliveryOutcome> = {
    choose: async (reader, { now, inFlight }) =>
      inFlight.length < DELIVERY_SLOTS ? chooseMessages(await dueMessages(reader, now), inFlight) : [],
    claim: claimMessages,
    attempt: (ctx, message) => attemptDelivery(ctx, message, send),
    isFinal,
    settle,
    describe: ({ message, status, error, durationMs }) => ({
      webhook: message.webhookId,
      attempt: message.attempts,
      status,
      duration_ms: durationMs,
      error,
    }),
  };
  return senderOf(kind);
}
