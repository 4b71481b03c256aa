/** A worker's connection to its supervisor, and through it to the other workers. */

import type { PeerAnswer, Peers, Topic, WriteTurn, WriteTurns } from "../../base/peers.ts";
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

/** The connection of a worker to its supervisor, with which it ends. */
export class WorkerLink implements Peers {
  readonly worker: number;
  readonly workers: number;
  /** The turns of this worker to write. */
  readonly turns: WriteTurns;
  readonly #started = Promise.withResolvers<{ readonly port: number; readonly isFirst: boolean }>();
  readonly #stopped = Promise.withResolvers<string>();
  readonly #writer: MessageWriter<ToSupervisor>;
  readonly #turns: OwnTurns;
  readonly #handlers = new Map<Topic, (value: unknown) => unknown>();
  readonly #questions = new Map<number, (answers: readonly PeerAnswer[]) => void>();
  #lastAsk = 0;
  #isOpen = true;

  constructor({ worker, workers }: WorkerNumber, { readable, writable }: LinkStreams) {
    this.worker = worker;
    this.workers = workers;
    this.#writer = new MessageWriter(writable);
    this.#turns = new OwnTurns((type) => this.#writer.send({ type }));
    this.turns = this.#turns;
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

  ask(topic: Topic, value: unknown, limitMs: number): Promise<readonly PeerAnswer[]> {
    if (!this.#isOpen) return Promise.resolve([]);
    const id = ++this.#lastAsk;
    const { promise, resolve } = Promise.withResolvers<readonly PeerAnswer[]>();
    this.#questions.set(id, resolve);
    this.#writer.send({ type: "ask", id, topic, value, limitMs });
    return promise;
  }

  on(topic: Topic, handle: (value: unknown) => unknown): void {
    this.#handlers.set(topic, handle);
  }

  #receive(message: ToWorker): void {
    switch (message.type) {
      case "start":
        return this.#started.resolve(message);
      case "turn":
        return this.#turns.granted(message.isAwaited);
      case "yield":
        return this.#turns.yieldTurn();
      case "relayed":
        this.#handlers.get(message.topic)?.(message.value);
        return;
      case "asked": {
        const { id, topic, value } = message;
        this.#writer.send({ type: "answer", id, value: this.#handlers.get(topic)?.(value) ?? null });
        return;
      }
      case "answers":
        // A worker without a handler, or one that is still starting, answers null.
        this.#questions.get(message.id)?.(message.answers.filter(({ value }) => value !== null));
        this.#questions.delete(message.id);
        return;
      case "ping":
        return this.#writer.send({ type: "pong" });
      case "stop":
        return this.#stopped.resolve(message.reason);
    }
  }

  #close(): void {
    this.#isOpen = false;
    this.#turns.close();
    for (const resolve of this.#questions.values()) resolve([]);
    this.#questions.clear();
    this.#stopped.resolve("the supervisor has ended");
  }
}

/**
 * The turns of this worker. It keeps a turn until another worker needs it, so that its next write does not
 * have to request one.
 */
class OwnTurns implements WriteTurns {
  readonly #send: (type: "turn" | "end") => void;
  #state: "none" | "asked" | "kept" | "used" = "none";
  #isAwaited = false;
  #waiting: (() => void) | undefined;
  #isOpen = true;

  constructor(send: (type: "turn" | "end") => void) {
    this.#send = send;
  }

  async take(): Promise<WriteTurn> {
    if (this.#isOpen && this.#state === "none") {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = resolve;
      this.#state = "asked";
      this.#send("turn");
      await promise;
    }
    this.#state = "used";
    const isAwaited = (): boolean => this.#isAwaited;
    return {
      get isAwaited(): boolean {
        return isAwaited();
      },
      end: () => {
        this.#state = "kept";
        if (this.#isAwaited) this.#give();
      },
    };
  }

  granted(isAwaited: boolean): void {
    this.#isAwaited = isAwaited;
    this.#waiting?.();
    this.#waiting = undefined;
  }

  yieldTurn(): void {
    this.#isAwaited = true;
    if (this.#state === "kept") this.#give();
  }

  /** Lets writes continue without turns, because the supervisor has ended. */
  close(): void {
    this.#isOpen = false;
    this.granted(false);
  }

  #give(): void {
    this.#state = "none";
    this.#isAwaited = false;
    this.#send("end");
  }
}
