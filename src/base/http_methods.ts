/** Methods that the service knows (RFC 9110 §9.3, RFC 5789); clients may send others. */
export const HTTP_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

/** Name under which routes are registered for every other method. */
export const UNKNOWN_METHOD = "UNKNOWN";
