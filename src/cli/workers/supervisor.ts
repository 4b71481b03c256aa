/**
 * Runs several workers that serve the same port, and one for the background work. Replaces those that die or
 * hang, passes messages between them, and stops them. The supervisor itself serves no requests.
 */

import type { Logger } from "../../base/log.ts";
import { BACKGROUND_WORKER } from "../../base/peers.ts";
import { MessageWriter, readMessages, type ToSupervisor, type ToWorker } from "./messages.ts";

/**
 * Time in milliseconds after which a worker that should stop is killed: longer than a worker needs to stop.
 */
const KILL_AFTER_MS = 13_000;
/** A worker that has served for less than this time is replaced only after a pause, in milliseconds. */
const SHORT_LIFE_MS = 10_000;
/** Pause before the second replacement in a row, in milliseconds. Each later one is twice as long. */
const PAUSE_MS = 500;
/** Maximum pause before a replacement, in milliseconds. */
const MAX_PAUSE_MS = 30_000;
/**
 * Maximum number of failed replacements in a row while no other worker serves. After that, the service ends.
 */
const MAX_FAILURES = 5;
/**
 * Number of consecutive unanswered pings after which a worker counts as hanging. Pings are counted instead of
 * comparing times, so that a pause of the whole machine does not count as many missed pings.
 */
const MAX_MISSED_PINGS = 10;
/**
 * The same for a worker that does not serve yet. It answers only after it has loaded the service, which takes the one
 * for background work minutes on a busy machine; killed too early, it would never start.
 */
const MAX_MISSED_PINGS_AT_START = 10 * MAX_MISSED_PINGS;

export interface SupervisorOptions {
  /** Number of workers that serve the port. */
  readonly workers: number;
  /** The configured port; 0 for any free one. */
  readonly port: number;
  /** How long a worker that serves may leave pings unanswered, in milliseconds; one that starts, ten times as long. */
  readonly hangMs: number;
  /** Starts the process of a worker, with pipes as its standard input and output. */
  readonly spawn: (worker: number) => Deno.ChildProcess;
  readonly print: (...lines: readonly string[]) => void;
  readonly log: Logger;
  /** Resolves with the name of the signal that stops the service. */
  readonly signalled: Promise<string>;
  /** For tests. */
  readonly pauseMs?: number;
}

/** A running worker. */
interface Running {
  readonly child: Deno.ChildProcess;
  readonly writer: MessageWriter<ToWorker>;
  readonly since: number;
  isConnected: boolean;
  isReady: boolean;
  /** Whether it is preparing the database, however long that takes. */
  readonly isFirst: boolean;
  /** Number of pings since its last message. */
  missedPings: number;
  /** Resolves when its process has ended. */
  readonly gone: PromiseWithResolvers<void>;
}

/** Runs the workers until a signal stops them, or they cannot be kept running. Returns the exit code. */
export function supervise(options: SupervisorOptions): Promise<number> {
  return new Supervisor(options).run();
}

class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<number, Running>();
  readonly #pauses = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #failures = new Map<number, number>();
  readonly #ended = Promise.withResolvers<number>();
  #port: number;
  #isStopping = false;
  #pings: ReturnType<typeof setInterval> | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;
  /** Whether any worker has served. */
  #hasServed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  async run(): Promise<number> {
    this.#options.signalled.then((reason) => this.#stop(reason));
    // The others start after the first one has prepared the database and found the port free.
    this.#start(1);
    this.#pings = setInterval(() => this.#ping(), this.#options.hangMs / MAX_MISSED_PINGS);
    const code = await this.#ended.promise;
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    clearInterval(this.#pings);
    clearTimeout(this.#patience);
    for (const { child } of this.#running.values()) kill(child);
    await Promise.all([...this.#running.values()].map(({ gone }) => gone.promise));
    return code;
  }

  #start(worker: number): void {
    const child = this.#options.spawn(worker);
    const running: Running = {
      child,
      writer: new MessageWriter<ToWorker>(child.stdin),
      since: performance.now(),
      isConnected: false,
      isReady: false,
      isFirst: !this.#hasServed,
      missedPings: 0,
      gone: Promise.withResolvers(),
    };
    this.#running.set(worker, running);
    this.#send(worker, { type: "start", port: this.#port, isFirst: running.isFirst });
    const read = readMessages<ToSupervisor>(child.stdout, (message) => this.#receive(worker, message));
    Promise.all([child.status, read]).then(([status]) => this.#died(worker, running, status));
  }

  #send(worker: number, message: ToWorker): void {
    this.#running.get(worker)?.writer.send(message);
  }

  #receive(worker: number, message: ToSupervisor): void {
    const running = this.#running.get(worker);
    if (running === undefined) return;
    running.missedPings = 0;
    switch (message.type) {
      case "connected":
        running.isConnected = true;
        return;
      case "print":
        return this.#options.print(...message.lines);
      case "ready":
        return this.#ready(worker, message.port);
      case "notify": {
        const { topic, value } = message;
        for (const other of this.#others(worker)) this.#send(other, { type: "relayed", topic, value });
        return;
      }
      case "ask": {
        const others = this.#others(worker);
        for (const other of others) this.#send(other, { ...message, type: "asked", from: worker });
        return this.#send(worker, { type: "awaited", id: message.id, count: others.length });
      }
      case "answer": {
        const { to, id, value } = message;
        return this.#send(to, { type: "answered", id, worker, value });
      }
      case "pong":
        return;
    }
  }

  /** Pings each worker, and kills those that have not answered for too long. They are then replaced. */
  #ping(): void {
    if (this.#isStopping) return;
    for (const [worker, running] of this.#running) {
      if (running.isFirst && !running.isReady) continue;
      if (running.missedPings === (running.isReady ? MAX_MISSED_PINGS : MAX_MISSED_PINGS_AT_START)) {
        this.#options.log.log("error", "worker hangs", { worker, pid: running.child.pid });
        kill(running.child);
      }
      running.missedPings++;
      this.#send(worker, { type: "ping" });
    }
  }

  /** Returns the other workers that read messages. A worker that does not read yet has empty caches. */
  #others(worker: number): number[] {
    return [...this.#running].filter(([other, { isConnected }]) => other !== worker && isConnected)
      .map(([other]) => other);
  }

  #ready(worker: number, port = this.#port): void {
    if (this.#isStopping) return;
    const running = this.#running.get(worker);
    if (running === undefined) return;
    running.isReady = true;
    this.#options.log.log("info", "worker started", { worker, pid: running.child.pid });
    if (!this.#hasServed) {
      this.#hasServed = true;
      this.#port = port;
      for (let other = 2; other <= this.#options.workers; other++) this.#start(other);
      this.#start(BACKGROUND_WORKER);
    }
  }

  #died(worker: number, running: Running, { code, signal }: Deno.CommandStatus): void {
    const { since, isReady, writer, gone } = running;
    this.#running.delete(worker);
    writer.close();
    gone.resolve();
    if (this.#isStopping) {
      if (this.#patience !== undefined && isReady && code !== 0) {
        this.#options.log.log("error", "worker ended", { worker, code, signal });
      }
      if (this.#running.size === 0) this.#ended.resolve(0);
      return;
    }
    // The reason why the first worker cannot serve, such as an invalid setting or an address in use, also
    // affects the others.
    if (!this.#hasServed) return this.#end(code === 0 ? 1 : code);
    const isShort = !isReady || performance.now() - since < SHORT_LIFE_MS;
    const failures = isShort ? (this.#failures.get(worker) ?? 0) + 1 : 0;
    this.#failures.set(worker, failures);
    const { pauseMs: first = PAUSE_MS } = this.#options;
    // The first replacement is immediate.
    const pauseMs = failures <= 1 ? 0 : Math.min(first * 2 ** (failures - 2), MAX_PAUSE_MS);
    this.#options.log.log("error", "worker ended", { worker, code, signal, pause_ms: pauseMs });
    const serves = [...this.#running].some(([other, { isReady }]) => other !== BACKGROUND_WORKER && isReady);
    if (failures > MAX_FAILURES && !serves) {
      this.#options.log.log("error", "no worker stays alive", { worker, code, signal });
      return this.#end(1);
    }
    this.#pauses.set(worker, setTimeout(() => this.#start(worker), pauseMs));
  }

  /** Ends the service without waiting for the workers. */
  #end(code: number): void {
    this.#isStopping = true;
    this.#ended.resolve(code);
  }

  #stop(reason: string): void {
    this.#isStopping = true;
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    if (this.#running.size === 0) return this.#ended.resolve(0);
    for (const [worker, { child, isReady, isFirst }] of this.#running) {
      // A worker that is still starting has nothing to finish, and would read the message only afterwards.
      if (isReady || isFirst) this.#send(worker, { type: "stop", reason });
      else kill(child);
    }
    this.#patience = setTimeout(() => {
      this.#options.log.log("error", "workers killed", { workers: [...this.#running.keys()] });
      this.#ended.resolve(1);
    }, KILL_AFTER_MS);
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // The process has ended.
  }
}
