/**
 * Messages between the supervisor and a worker: one JSON text per line, through the worker's standard input
 * and output.
 */

import type { PeerAnswer, Topic } from "../../base/peers.ts";

/** A question of a worker to all others. The id is its own. */
interface Question {
  readonly id: number;
  readonly topic: Topic;
  readonly value: unknown;
}

/** From the supervisor to a worker. */
export type ToWorker =
  /**
   * Starts the worker: it listens on this port, or does the background work. `isFirst`: it also prepares the
   * database, and checks that the port is free.
   */
  | { readonly type: "start"; readonly port: number; readonly isFirst: boolean }
  | { readonly type: "relayed"; readonly topic: Topic; readonly value: unknown }
  | ({ readonly type: "asked"; readonly from: number } & Question)
  /** The number of workers that were asked. */
  | { readonly type: "awaited"; readonly id: number; readonly count: number }
  | ({ readonly type: "answered"; readonly id: number } & PeerAnswer)
  /** A ping, which the worker answers unless it hangs. */
  | { readonly type: "ping" }
  | { readonly type: "stop"; readonly reason: string };

/** From a worker to the supervisor. */
export type ToSupervisor =
  /** The worker has started to read messages. */
  | { readonly type: "connected" }
  | { readonly type: "print"; readonly lines: readonly string[] }
  /** The worker serves this port, or does the background work. */
  | { readonly type: "ready"; readonly port?: number }
  | { readonly type: "notify"; readonly topic: Topic; readonly value: unknown }
  | ({ readonly type: "ask" } & Question)
  | { readonly type: "answer"; readonly to: number; readonly id: number; readonly value: unknown }
  | { readonly type: "pong" };

/** Sends messages without waiting. Messages to a process that no longer reads are dropped. */
export class MessageWriter<Message> {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #encoder = new TextEncoder();

  constructor(stream: WritableStream<Uint8Array<ArrayBuffer>>) {
    this.#writer = stream.getWriter();
    this.#writer.closed.catch(() => undefined);
  }

  send(message: Message): void {
    this.#writer.write(this.#encoder.encode(`${JSON.stringify(message)}\n`)).catch(() => undefined);
  }

  /** Closes the stream to a process that has ended. */
  close(): void {
    this.#writer.close().catch(() => undefined);
  }
}

/** Calls `handle` with each message until the stream ends or breaks. Ignores other lines. */
export async function readMessages<Message>(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  handle: (message: Message) => void,
): Promise<void> {
  let rest = "";
  try {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const message of lines.map((line) => parseMessage<Message>(line))) {
        if (message !== undefined) handle(message);
      }
    }
  } catch (error) {
    // The pipe of a killed process may break.
    if (!(error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.Interrupted)) throw error;
  }
}

function parseMessage<Message>(line: string): Message | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
