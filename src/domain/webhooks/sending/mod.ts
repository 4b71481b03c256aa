/**
 * Delivery: dispatches events to webhooks, signs messages, sends them and retries. Notifications use parts of
 * it.
 */

export { sendOnce, type SendResult } from "./attempt.ts";
export { drainOnce, startDelivery } from "./deliver.ts";
export type { Queue } from "./queue.ts";
export { type MessageKind, type SenderOf, senderOf } from "./sender.ts";
export { storeOutcomes } from "./settle.ts";
export { signatureHeaders } from "./sign.ts";
