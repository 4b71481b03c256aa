/** Hono's trie router, for methods that a client makes up. */

import type { Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { HTTP_METHODS, UNKNOWN_METHOD } from "../base/http_methods.ts";

/**
 * Matches every unknown method as {@link UNKNOWN_METHOD}: the trie router fails on `constructor`, for one. Hono's faster
 * router refuses paths whose siblings are literal and numeric (`export/` and `:id{[0-9]+}/`).
 */
export class MethodSafeRouter<T> extends TrieRouter<T> {
  override match(method: string, path: string): Result<T> {
    return super.match(HTTP_METHODS.has(method) ? method : UNKNOWN_METHOD, path);
  }
}
