/** Reads request bodies into memory. Limits their size, their time, and the memory of all bodies together. */

import { AppError } from "./errors.ts";
import { pacer } from "./pace.ts";
import { BODY_BUDGET_BYTES, RETRY_AFTER_S } from "./limits.ts";

/**
 * Time limit of a request body in milliseconds, extended by a second per {@link BODY_BYTES_PER_SECOND}
 * received. Also the longest time without any progress.
 */
const BODY_DEADLINE_MS = 30_000;
/** Minimum rate of a body in bytes per second: an eighth of a slow uplink of 1 Mbit/s. */
const BODY_BYTES_PER_SECOND = 16 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** Initial size of a buffer in bytes if the length is unknown: as much as the runtime reads at once. */
const FIRST_BYTES = 64 * 1024;

/** Limits on time and memory. The defaults are those of `limits.ts`. */
export interface BodyLimits {
  /** Maximum memory of the bodies of all requests together, in bytes. */
  readonly budgetBytes?: number;
  readonly deadlineMs?: number;
  readonly bytesPerSecond?: number;
}

/** The memory budget that all request bodies share. */
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

  /** Number of bytes in use. */
  get held(): number {
    return this.#held;
  }

  /** Returns the body of a request. */
  bodyOf(request: Request): RequestBody {
    return new RequestBody(request, { budget: this, ...this.#limits });
  }

  /** Reserves bytes of the budget. Errors: unavailable. */
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

/** The body of a request. */
export class RequestBody {
  readonly #request: Request;
  readonly #options: Required<BodyLimits> & { readonly budget: BodyBudget };
  #held = 0;

  constructor(request: Request, options: Required<BodyLimits> & { readonly budget: BodyBudget }) {
    this.#request = request;
    this.#options = options;
  }

  /**
   * Returns the whole body. Can be called only once. Errors: too_large (before more than that is read),
   * timeout, client_closed, unavailable.
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
    const room = new GrowingBuffer(maxBytes, {
      // The end is only detected if there is room for another byte.
      first: announced > 0 ? announced + 1 : FIRST_BYTES,
      hold: (bytes) => this.#holdAtLeast(bytes),
    });
    const deadline = new Deadline(this.#options, {
      received: () => room.size,
      expire: () => reader.cancel(),
    });
    try {
      // Reserves the announced length at once. Under load, some requests are then refused early, instead of
      // all of them after half of each body has been received.
      this.#holdAtLeast(announced);
      // Reading chunks that have already arrived never yields to the event loop, so pause explicitly.
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
      // The client has disconnected, unless the body is malformed (a chunk without its length, RFC 9112
      // §7.1).
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

  /** Releases the memory of the body in the budget. Must be called when the request is answered. */
  release(): void {
    this.#options.budget.release(this.#held);
    this.#held = 0;
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The request body is larger than the limit of ${maxBytes} bytes.`);
}

/**
 * A growing buffer. Its maximum size is one byte more than that of a body, so that a longer body is detected.
 */
class GrowingBuffer {
  readonly #maxBytes: number;
  /** Initial size of the buffer in bytes. */
  readonly #first: number;
  /** Called with the new size of the buffer in bytes, before it grows. */
  readonly #hold: (bytes: number) => void;
  #bytes: Bytes = new Uint8Array();
  size = 0;

  constructor(maxBytes: number, { first, hold }: { first: number; hold: (bytes: number) => void }) {
    this.#maxBytes = maxBytes;
    this.#first = first;
    this.#hold = hold;
  }

  /** Returns the unfilled part, which has at least `bytes` bytes. Errors: too_large, unavailable. */
  free(bytes: number): Bytes {
    const needed = this.size + bytes;
    if (needed > this.#maxBytes + 1) throw tooLarge(this.#maxBytes);
    if (needed > this.#bytes.length) {
      const grown = Math.max(needed, this.#first, this.#bytes.length * 2);
      const length = Math.min(this.#maxBytes + 1, grown);
      this.#hold(length);
      const larger = new Uint8Array(length);
      larger.set(this.filled());
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.size);
  }

  /**
   * Takes back the part from {@link free}, which the stream has transferred and filled with `added` bytes.
   * Errors: too_large.
   */
  adopt({ buffer }: Bytes, added: number): void {
    this.#bytes = new Uint8Array(buffer);
    this.size += added;
    if (this.size > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }

  filled(): Bytes {
    return this.#bytes.subarray(0, this.size);
  }
}

/** Reads from a stream into a buffer. Returns false at the end. */
interface BufferReader {
  fill(room: GrowingBuffer): Promise<boolean>;
  cancel(): Promise<void>;
}

/**
 * Returns a reader that avoids allocations, if possible. The runtime allocates 64 KiB for each chunk, and a
 * client may send a chunk per byte. Only a BYOB reader ("bring your own buffer") avoids that. Streams that
 * are not byte streams do not support it.
 */
function readerOf(body: ReadableStream<Bytes>): BufferReader {
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

function copyingReader(body: ReadableStream<Bytes>): BufferReader {
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

/**
 * The deadline of a body. A body that arrives too slowly or stops is refused. Each received byte extends the
 * deadline.
 */
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

  /** Extends the deadline by received bytes. */
  progress(): void {
    this.#progressed = performance.now();
  }

  /** Refuses the body if its deadline has passed. Errors: timeout. */
  check(): void {
    if (!this.#expired) return;
    // Closes the connection, because the rest of the body would be read as the next request.
    throw new AppError("timeout", "The request body arrived too slowly.", {
      headers: { connection: "close" },
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
