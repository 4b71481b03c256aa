/** Hono's trie router with cached results, and safe for HTTP methods that clients invent. */

import type { Params, Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { HTTP_METHODS, UNKNOWN_METHOD } from "../base/http_methods.ts";

/** A path segment of digits: an id. */
const NUMBER = /\/(\d+)(?=\/|$)/;
/** Replaces every id in {@link MethodSafeRouter}'s results. */
const ANY_NUMBER = "0";
/** Maximum number of results that a router caches: more than there are routes and methods. */
const MAX_KEPT = 2_000;

/** Handlers with their parameters. */
type Found<T> = [[T, Params][]];

/**
 * Treats every unknown method as {@link UNKNOWN_METHOD}, because the trie router fails for some names, such
 * as `constructor`. Hono's faster router refuses paths that have both literal and numeric siblings (`export/`
 * and `:id{[0-9]+}/`). A search of the trie takes a twentieth of the time of the fastest requests, so its
 * results are cached, one for all ids.
 */
export class MethodSafeRouter<T> extends TrieRouter<T> {
  readonly #kept = new Map<string, Found<T>>();
  /**
   * Number of handlers of paths that no route matches: the middleware. Such paths are not cached, because
   * clients can invent any number of them.
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
    // Paths with two numbers are rare.
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

/** Returns whether a result is valid for every number, because it has no other parameters. */
function isFixed<T>([handlers]: Found<T>): boolean {
  return handlers.every(([, params]) => {
    for (const name in params) if (params[name] !== ANY_NUMBER) return false;
    return true;
  });
}

/** Replaces {@link ANY_NUMBER} by the number of the path. */
function withNumber(params: Params, number: string): Params {
  const result: Params = {};
  for (const name in params) result[name] = number;
  return result;
}
