/** Methods that the service supports (RFC 9110 §9.3, RFC 5789). Clients may send others. */
export const HTTP_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

/** Name under which routes for all other methods are registered. */
export const UNKNOWN_METHOD = "UNKNOWN";
