/** Hono's trie router, safe for HTTP methods that clients invent. */

import type { Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { HTTP_METHODS, UNKNOWN_METHOD } from "../base/http_methods.ts";

/**
 * Treats every unknown method as {@link UNKNOWN_METHOD}, because the trie router fails for some names, such
 * as `constructor`. Hono's faster router refuses paths that have both literal and numeric siblings (`export/`
 * and `:id{[0-9]+}/`).
 */
export class MethodSafeRouter<T> extends TrieRouter<T> {
  override match(method: string, path: string): Result<T> {
    return super.match(HTTP_METHODS.has(method) ? method : UNKNOWN_METHOD, path);
  }
}
