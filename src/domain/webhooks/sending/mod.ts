/** Delivery: dispatches events to webhooks, signs messages, sends them and retries. */

export { drainOnce } from "./drain_once.ts";
export { memoryQueue } from "./memory_queue.ts";
export type { Hint, HintListener, Queue } from "./queue.ts";
export { type Delivery, startDelivery } from "./service.ts";
