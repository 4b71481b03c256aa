/** Sends requests at a steady rate to a running service, and measures how long they take. */

import { BENCH_KEY } from "./bench_database.ts";

const REQUESTS_PER_SECOND = 100;

/** The service under load, and its number of certificates. */
export interface Target {
  readonly url: string;
  readonly certificates: number;
}

/**
 * Sends requests at fixed times, as long as `goesOn` returns true after each second. Returns for each the milliseconds
 * from its planned time to its response, so that a blocked service counts in full.
 */
export async function load(target: Target, goesOn: () => boolean | Promise<boolean>): Promise<number[]> {
  const took: number[] = [];
  const start = performance.now();
  const pending: Promise<void>[] = [];
  for (let index = 0; index % REQUESTS_PER_SECOND > 0 || await goesOn(); index++) {
    const due = start + index * 1_000 / REQUESTS_PER_SECOND;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const sent = performance.now();
    pending.push(ask(target, index).then(() => void took.push(performance.now() - Math.min(sent, due + 2))));
  }
  await Promise.all(pending);
  return took;
}

/** Sends requests for some seconds. */
export async function loadFor(target: Target, seconds: number): Promise<number[]> {
  let left = seconds;
  return await load(target, () => left-- > 0);
}

async function ask({ url, certificates }: Target, index: number): Promise<void> {
  const base = `${url}/api/plugins/certmgr/certificates/`;
  // Consecutive requests differ, because cached responses would be measured otherwise.
  const path = index % 2 === 0
    ? `${base}${index % certificates + 1}/`
    : `${base}?status=active&limit=20&offset=${index % 1_000}`;
  const response = await fetch(path, { headers: { authorization: `Token ${BENCH_KEY}` } });
  await response.bytes();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
}

/** Returns a quantile. */
export function quantile(values: readonly number[], q: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? 0;
}

/** Describes the durations of requests. */
export function figures(values: readonly number[]): string {
  const [p50, p99, max] = [0.5, 0.99, 0.99999].map((q) => quantile(values, q).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms`;
}
