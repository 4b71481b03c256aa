/** Hono's trie router with a cache of its results, safe for HTTP methods that clients invent. */

import type { Params, Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { HTTP_METHODS, UNKNOWN_METHOD } from "../base/http_methods.ts";

/** A segment of digits: an id. */
const NUMBER = /\/(\d+)(?=\/|$)/;
/** Stands for every id in {@link MethodSafeRouter}'s results. */
const ANY_NUMBER = "0";
/** Results that one router keeps: more than there are routes and methods. */
const MAX_KEPT = 2_000;

/** Handlers with their parameters. */
type Found<T> = [[T, Params][]];

/**
 * Matches every unknown method as {@link UNKNOWN_METHOD}: the trie router fails on `constructor`, for one. Hono's
 * faster router refuses paths whose siblings are literal and numeric (`export/` and `:id{[0-9]+}/`), and a search of
 * the trie takes a twentieth of the time of the fastest requests; so its results are kept, for all ids together.
 */
export class MethodSafeRouter<T> extends TrieRouter<T> {
  readonly #kept = new Map<string, Found<T>>();
  /**
   * Handlers of paths that no route matches: the middleware. Such paths are not cached, because clients can invent any
   * number of them.
   */
  #unmatched: number | undefined;

  override add(method: string, path: string, handler: T): void {
    this.#kept.clear();
    this.#unmatched = undefined;
    super.add(method, path, handler);
  }

  override match(method: string, path: string): Result<T> {
    const known = HTTP_METHODS.has(method) ? method : UNKNOWN_METHOD;
    const number = NUMBER.exec(path);
    if (number === null) return this.#find(known, path);
    const rest = path.slice(number.index + number[0].length);
    // Rare: paths with two numbers.
    if (NUMBER.test(rest)) return super.match(known, path);
    const found = this.#find(known, `${path.slice(0, number.index)}/${ANY_NUMBER}${rest}`);
    if (!isFixed(found)) return super.match(known, path);
    return [found[0].map(([handler, params]) => [handler, withNumber(params, number[1] as string)])];
  }

  #find(method: string, path: string): Found<T> {
    const key = `${method} ${path}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const found = super.match(method, path) as Found<T>;
    this.#unmatched ??= (super.match(method, "/\0") as Found<T>)[0].length;
    if (found[0].length > this.#unmatched && this.#kept.size < MAX_KEPT && isFixed(found)) {
      this.#kept.set(key, found);
    }
    return found;
  }
}

/** Whether a result holds for every number: it has no other parameters. */
function isFixed<T>([handlers]: Found<T>): boolean {
  return handlers.every(([, params]) => {
    for (const name in params) if (params[name] !== ANY_NUMBER) return false;
    return true;
  });
}

/** Puts the number of a path in place of {@link ANY_NUMBER}. */
function withNumber(params: Params, number: string): Params {
  const result: Params = {};
  for (const name in params) result[name] = number;
  return result;
}
