/** A row of the tables: an input that a client may send. */

import type { Target } from "./target.ts";

/** How an input is sent. */
export interface Sending {
  readonly target: Target;
  /** Aborts the sending after its time limit. */
  readonly signal: AbortSignal;
  /** The short run, with fewer repetitions. */
  readonly short: boolean;
}

/** An input that a client may send. */
export interface Input {
  readonly name: string;
  /** Prepares the input before the measurement. */
  readonly prepare?: (target: Target) => Promise<unknown>;
  /** Memory that it needs by design, in bytes, which is added to the budget. */
  readonly designed?: number;
  /**
   * Milliseconds by which another client may wait longer than without the input. The default is the budget of the run.
   */
  readonly extraWaitMs?: number;
  /** Sends the input and returns the statuses of the responses, 0 for a broken connection. */
  readonly send: (sending: Sending) => Promise<readonly number[]>;
}

/**
 * Returns the status of a response whose body is not needed; 0 if the connection breaks or the time limit is exceeded.
 */
export async function statusOf(
  answer: Promise<Response | { readonly status: number }>,
): Promise<number> {
  try {
    const response = await answer;
    if (response instanceof Response) await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Milliseconds by which other clients may wait longer while one client has chains validated. */
export const EXTRA_WAIT_MS = 25;

/** Maximum size of a response about a certificate, in bytes. */
const SHORT_BYTES = 1024 * 1024;

/** Works like {@link statusOf}; a response of more than 1 MiB counts as {@link TOO_LONG}. */
export async function shortStatusOf(
  answer: Promise<
    Response | { readonly status: number; readonly text: string }
  >,
): Promise<number> {
  try {
    const response = await answer;
    const text = response instanceof Response ? await response.text() : response.text;
    return encoder.encode(text).length > SHORT_BYTES ? TOO_LONG : response.status;
  } catch {
    return 0;
  }
}

/** The status of a response that is too long; such an input fails like one that is answered 500. */
const TOO_LONG = 599;

/** Runs the same work `count` times concurrently. */
export function atOnce(
  count: number,
  work: (index: number) => Promise<number>,
): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Runs the same work `count` times, one after another, within the time limit. */
export async function inTurn(
  count: number,
  { signal, work }: {
    signal: AbortSignal;
    work: (index: number) => Promise<number>;
  },
): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count && !signal.aborted; index++) {
    statuses.push(await work(index));
  }
  return statuses;
}

const encoder = new TextEncoder();

/** Returns a body of `bytes` bytes that repeats an element between a start and an end. */
export function repeated(
  element: string,
  { bytes, start = "", end = "" }: {
    bytes: number;
    start?: string;
    end?: string;
  },
): Uint8Array<ArrayBuffer> {
  const count = Math.floor(
    (bytes - start.length - end.length) / element.length,
  );
  return encoder.encode(start + element.repeat(count) + end);
}
