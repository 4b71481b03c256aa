/**
 * Delivery: dispatches events to webhooks, signs messages, sends them and retries. Notifications use parts of
 * it.
 */

export { type DeliveryRequest, sendOnce, type SendResult } from "./attempt.ts";
export { type RandomSource, retryPause } from "./backoff.ts";
export { drainOnce } from "./drain_once.ts";
export { memoryQueue } from "./memory_queue.ts";
export type { Hint, HintListener, Queue } from "./queue.ts";
export { type MessageKind, type SenderOf, senderOf } from "./sender.ts";
export { type Delivery, startDelivery } from "./service.ts";
export { type DeliveryUpdate, type StoredOutcome, storeOutcomes } from "./settle.ts";
export { signatureHeaders } from "./sign.ts";
