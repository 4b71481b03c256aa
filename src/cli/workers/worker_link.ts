/** A worker's connection to its supervisor, and through it to the other workers. */

import type { PeerAnswer, Peers, Topic } from "../../base/peers.ts";
import { MessageWriter, readMessages, type ToSupervisor, type ToWorker } from "./messages.ts";

/** The number of this worker, and the number of all workers. */
export interface WorkerNumber {
  /** From 1. {@link BACKGROUND_WORKER} is not one of `workers`. */
  readonly worker: number;
  readonly workers: number;
}

/** Parses `2/4`; undefined for any other text. */
export function readWorkerNumber(text: string): WorkerNumber | undefined {
  const match = /^(\d|[1-9]\d)\/([1-9]\d?)$/.exec(text);
  if (match === null) return undefined;
  const [worker, workers] = [Number(match[1]), Number(match[2])];
  return worker <= workers ? { worker, workers } : undefined;
}

/** The streams of the connection. */
export interface LinkStreams {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
}

/** A question to the other workers, and the answers so far. */
interface PendingQuestion {
  readonly answers: PeerAnswer[];
  /** Number of answers that are expected. */
  count: number;
  readonly ended: PromiseWithResolvers<void>;
}

/** The connection of a worker to its supervisor, with which it ends. */
export class WorkerLink implements Peers {
  readonly worker: number;
  readonly workers: number;
  readonly #started = Promise.withResolvers<{ readonly port: number; readonly isFirst: boolean }>();
  readonly #stopped = Promise.withResolvers<string>();
  readonly #writer: MessageWriter<ToSupervisor>;
  readonly #handlers = new Map<Topic, (value: unknown) => unknown>();
  readonly #questions = new Map<number, PendingQuestion>();
  #lastAsk = 0;
  #isOpen = true;

  constructor({ worker, workers }: WorkerNumber, { readable, writable }: LinkStreams) {
    this.worker = worker;
    this.workers = workers;
    this.#writer = new MessageWriter(writable);
    this.#writer.send({ type: "connected" });
    readMessages<ToWorker>(readable, (message) => this.#receive(message)).finally(() => this.#close());
  }

  /** Resolves when this worker must start. */
  get started(): Promise<{ readonly port: number; readonly isFirst: boolean }> {
    return this.#started.promise;
  }

  /** Resolves with the reason when this worker must stop. */
  get stopped(): Promise<string> {
    return this.#stopped.promise;
  }

  /** Makes the supervisor print lines. */
  print(lines: readonly string[]): void {
    this.#writer.send({ type: "print", lines });
  }

  /**
   * Reports that this worker has started. `port` is the one that it serves; absent if it does the background
   * work.
   */
  ready(port?: number): void {
    this.#writer.send({ type: "ready", ...(port === undefined ? {} : { port }) });
  }

  notify(topic: Topic, value: unknown): void {
    this.#writer.send({ type: "notify", topic, value });
  }

  async ask(topic: Topic, value: unknown, limitMs: number): Promise<readonly PeerAnswer[]> {
    if (!this.#isOpen) return [];
    const id = ++this.#lastAsk;
    const question: PendingQuestion = { answers: [], count: Infinity, ended: Promise.withResolvers() };
    this.#questions.set(id, question);
    this.#writer.send({ type: "ask", id, topic, value });
    const timer = setTimeout(question.ended.resolve, limitMs);
    await question.ended.promise;
    clearTimeout(timer);
    this.#questions.delete(id);
    // A worker without a handler, or one that is still starting, answers null.
    return question.answers.filter((answer) => answer.value !== null);
  }

  on(topic: Topic, handle: (value: unknown) => unknown): void {
    this.#handlers.set(topic, handle);
  }

  #receive(message: ToWorker): void {
    switch (message.type) {
      case "start":
        return this.#started.resolve(message);
      case "relayed":
        this.#handlers.get(message.topic)?.(message.value);
        return;
      case "asked": {
        const { from, id, topic, value } = message;
        const answer = this.#handlers.get(topic)?.(value) ?? null;
        return this.#writer.send({ type: "answer", to: from, id, value: answer });
      }
      case "awaited":
      case "answered": {
        const question = this.#questions.get(message.id);
        if (question === undefined) return;
        if (message.type === "awaited") question.count = message.count;
        else question.answers.push({ worker: message.worker, value: message.value });
        if (question.answers.length >= question.count) question.ended.resolve();
        return;
      }
      case "ping":
        return this.#writer.send({ type: "pong" });
      case "stop":
        return this.#stopped.resolve(message.reason);
    }
  }

  #close(): void {
    this.#isOpen = false;
    for (const { ended } of this.#questions.values()) ended.resolve();
    this.#stopped.resolve("the supervisor has ended");
  }
}
