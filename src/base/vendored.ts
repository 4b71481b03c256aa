/** Files of other projects that the service serves: stored compressed, as base64 (see `tools/vendor.ts`). */

/**
 * Returns a response with such a file as it is stored, in Brotli. Clients that do not accept it get it decompressed
 * (`middleware/response_body.ts`).
 */
export function vendoredResponse(stored: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(Uint8Array.fromBase64(stored), { headers: { ...headers, "content-encoding": "br" } });
}
