/** One row of the tables: something that a client may send. */

import type { Target } from "./target.ts";

/** How an input is sent. */
export interface Sending {
  readonly target: Target;
  /** Ends the sending when its time is over. */
  readonly signal: AbortSignal;
  /** The short form of the run: less of what only repeats. */
  readonly short: boolean;
}

/** Something that a client may send. */
export interface Input {
  readonly name: string;
  /** Makes what is sent, before anything is measured. */
  readonly prepare?: (target: Target) => Promise<unknown>;
  /** Memory that it takes by design, in bytes; it is added to the budget. */
  readonly designed?: number;
  /** Milliseconds by which another client may wait longer than without the input; absent: the budget of the run. */
  readonly extraWaitMs?: number;
  /** Sends it; gives the statuses of the answers, 0 for a connection that broke. */
  readonly send: (sending: Sending) => Promise<readonly number[]>;
}

/** The status of an answer whose text is not needed; 0 when the connection breaks or the time is over. */
export async function statusOf(answer: Promise<Response | { readonly status: number }>): Promise<number> {
  try {
    const response = await answer;
    if (response instanceof Response) await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Runs the same work `count` times at once. */
export function atOnce(count: number, work: (index: number) => Promise<number>): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Runs the same work `count` times, one after the other, until the time is over. */
export async function inTurn(
  count: number,
  { signal, work }: { signal: AbortSignal; work: (index: number) => Promise<number> },
): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count && !signal.aborted; index++) statuses.push(await work(index));
  return statuses;
}

const encoder = new TextEncoder();

/** A body of `bytes` bytes that repeats an element between a start and an end. */
export function repeated(
  element: string,
  { bytes, start = "", end = "" }: { bytes: number; start?: string; end?: string },
): Uint8Array<ArrayBuffer> {
  const count = Math.floor((bytes - start.length - end.length) / element.length);
  return encoder.encode(start + element.repeat(count) + end);
}
