/**
 * Middleware of all interfaces, in the order in which `app.ts` registers it. Hono's own is used where it is
 * suitable (`hono/request-id`). The following is not:
 *
 * - `hono/cors` answers every OPTIONS request itself, but the API describes its resources by OPTIONS.
 * - `hono/secure-headers` overwrites the policies that pages, viewers and assets set themselves.
 * - `hono/body-limit` limits single bodies, but the time of bodies and their memory together must be limited,
 *   too.
 * - `hono/compress` has no Brotli, and compresses the shortest body unless its handler declares the length.
 */

export { admit, createRateLimiter, MONITORED } from "./admit.ts";
export { compress, lengthOfHead } from "./response_body.ts";
export { cors, defaultHeaders, type Step } from "./headers.ts";
export { observe } from "./observe.ts";
export { checkRequest, isApi, MethodSafeRouter, receive } from "./receive.ts";
