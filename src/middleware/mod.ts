/**
 * Middleware of every interface, in the order in which `app.ts` registers it. Where Hono's own fits, it is used
 * (`hono/request-id`). These do not fit, for a reason each:
 *
 * - `hono/cors` answers every OPTIONS request itself; the API describes its resources by OPTIONS.
 * - `hono/secure-headers` overwrites the policies that pages, viewers and assets set themselves.
 * - `hono/body-limit` bounds one body; bodies are also bounded in time, and in what all of them hold together.
 * - `hono/compress` has no Brotli, and compresses the shortest body unless its handler declares the length.
 */

export { admit, createRateLimiter, MONITORED } from "./admit.ts";
export { compress, lengthOfHead } from "./response_body.ts";
export { cors, defaultHeaders, type Step } from "./headers.ts";
export { MethodSafeRouter } from "./method_safe_router.ts";
export { observe } from "./observe.ts";
export { checkRequest, isApi, receive } from "./receive.ts";
