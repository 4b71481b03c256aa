/** Reads request bodies into memory: bounded in size, in time, and in what all requests hold together. */

import { AppError } from "./errors.ts";
import { pacer } from "./pace.ts";
import { BODY_BUDGET_BYTES, BODY_BYTES_PER_SECOND, BODY_DEADLINE_MS, RETRY_AFTER_S } from "./limits.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes that a buffer has to begin with: as much as the runtime reads at a time. */
const FIRST_BYTES = 64 * 1024;

/** How long bodies may take and how much memory they may hold. The defaults are those of `limits.ts`. */
export interface BodyLimits {
  /** Bytes that the bodies of all requests may hold together. */
  readonly budgetBytes?: number;
  readonly deadlineMs?: number;
  readonly bytesPerSecond?: number;
}

/** The memory that request bodies share. */
export class BodyBudget {
  readonly #limits: Required<BodyLimits>;
  #held = 0;

  constructor(limits: BodyLimits = {}) {
    this.#limits = {
      budgetBytes: BODY_BUDGET_BYTES,
      deadlineMs: BODY_DEADLINE_MS,
      bytesPerSecond: BODY_BYTES_PER_SECOND,
      ...limits,
    };
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** The body of a request. */
  bodyOf(request: Request): RequestBody {
    return new RequestBody(request, { budget: this, ...this.#limits });
  }

  /** Counts bytes as held. Errors: unavailable. */
  hold(bytes: number): void {
    if (this.#held + bytes > this.#limits.budgetBytes) {
      throw new AppError("unavailable", "Too many large requests at once. Try again in a moment.", {
        headers: { "retry-after": String(RETRY_AFTER_S) },
      });
    }
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/** The body of one request. */
export class RequestBody {
  readonly #request: Request;
  readonly #options: Required<BodyLimits> & { readonly budget: BodyBudget };
  #held = 0;

  constructor(request: Request, options: Required<BodyLimits> & { readonly budget: BodyBudget }) {
    this.#request = request;
    this.#options = options;
  }

  /**
   * Returns the whole body; can be called once.
   * Errors: too_large (before more than that is read), timeout, client_closed, unavailable.
   */
  async read(maxBytes: number): Promise<Bytes> {
    const { body, headers } = this.#request;
    const announced = Number(headers.get("content-length") ?? 0);
    if (announced > maxBytes) {
      await body?.cancel();
      throw tooLarge(maxBytes);
    }
    if (body === null) return new Uint8Array();
    const reader = readerOf(body);
    const room = new Room(maxBytes, (bytes) => this.#holdAtLeast(bytes));
    const deadline = new Deadline(this.#options, {
      received: () => room.size,
      expire: () => reader.cancel(),
    });
    try {
      // What is announced is held at once: then some requests are refused early, and not all of them when each has
      // come half of its way.
      this.#holdAtLeast(announced);
      // Chunks that have arrived are read without a turn of the event loop, however many there are.
      const pause = pacer();
      while (await reader.fill(room)) {
        deadline.progress();
        await pause();
      }
      deadline.check();
      return room.filled();
    } catch (error) {
      if (error instanceof AppError) {
        await reader.cancel();
        throw error;
      }
      deadline.check();
      // Nobody reads this, unless the body is malformed (a chunk without its length, RFC 9112 §7.1).
      throw new AppError("client_closed", "The request body ended before it was complete.", { cause: error });
    } finally {
      deadline.clear();
    }
  }

  #holdAtLeast(bytes: number): void {
    const more = bytes - this.#held;
    if (more <= 0) return;
    this.#options.budget.hold(more);
    this.#held = bytes;
  }

  /** Gives back the memory that the body holds in the budget; to be called when the request is answered. */
  release(): void {
    this.#options.budget.release(this.#held);
    this.#held = 0;
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The request body is larger than the limit of ${maxBytes} bytes.`);
}

/** One growing piece of memory. It has one byte more than a body may have, so that a longer one is noticed. */
class Room {
  readonly #maxBytes: number;
  /** Called with the bytes that the room has from now on. */
  readonly #hold: (bytes: number) => void;
  #bytes: Bytes = new Uint8Array();
  size = 0;

  constructor(maxBytes: number, hold: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#hold = hold;
  }

  /** The part that is not filled: at least `bytes`. Errors: too_large, unavailable. */
  free(bytes: number): Bytes {
    const needed = this.size + bytes;
    if (needed > this.#maxBytes + 1) throw tooLarge(this.#maxBytes);
    if (needed > this.#bytes.length) {
      const wanted = Math.max(needed, FIRST_BYTES, this.#bytes.length * 2);
      const length = Math.min(this.#maxBytes + 1, wanted);
      this.#hold(length);
      const larger = new Uint8Array(length);
      larger.set(this.filled());
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.size);
  }

  /** Takes back what {@link free} lent, moved to another buffer by the stream, with `added` bytes in it. Errors: too_large. */
  adopt({ buffer }: Bytes, added: number): void {
    this.#bytes = new Uint8Array(buffer);
    this.size += added;
    if (this.size > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }

  filled(): Bytes {
    return this.#bytes.subarray(0, this.size);
  }
}

/** Reads from a stream into a room; false at the end. */
interface Filler {
  fill(room: Room): Promise<boolean>;
  cancel(): Promise<void>;
}

/**
 * The runtime allocates 64 KiB for each chunk of a body, of which a client may send as many as bytes. Only a reader
 * that brings its own buffer avoids that; streams that are not made of bytes do not have one.
 */
function readerOf(body: ReadableStream<Bytes>): Filler {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return copyingReader(body);
  }
  return {
    async fill(room): Promise<boolean> {
      const { value, done } = await reader.read(room.free(1));
      if (value !== undefined) room.adopt(value, value.length);
      return !done;
    },
    cancel: () => reader.cancel().catch(() => {}),
  };
}

function copyingReader(body: ReadableStream<Bytes>): Filler {
  const reader = body.getReader();
  return {
    async fill(room): Promise<boolean> {
      const { value, done } = await reader.read();
      if (value !== undefined) {
        const free = room.free(value.length);
        free.set(value);
        room.adopt(free, value.length);
      }
      return !done;
    },
    cancel: () => reader.cancel().catch(() => {}),
  };
}

/** Ends the reading of a body that comes too slowly, or stops. Each byte that has come gives the whole more time. */
class Deadline {
  readonly #started = performance.now();
  #progressed = this.#started;
  #expired = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { deadlineMs, bytesPerSecond }: Required<BodyLimits>,
    { received, expire }: { received: () => number; expire: () => void },
  ) {
    const wait = (): void => {
      const end = Math.min(this.#started + 1000 * received() / bytesPerSecond, this.#progressed) + deadlineMs;
      const left = end - performance.now();
      if (left > 0) {
        this.#timer = setTimeout(wait, left);
        return;
      }
      this.#expired = true;
      expire();
    };
    wait();
  }

  /** Notes that bytes have come. */
  progress(): void {
    this.#progressed = performance.now();
  }

  /** Errors: timeout. */
  check(): void {
    if (!this.#expired) return;
    // What is left of the body would be taken for the next request.
    throw new AppError("timeout", "The request body came too slowly.", { headers: { connection: "close" } });
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
