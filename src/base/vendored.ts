/**
 * Files from other projects that the service serves. They are stored compressed, as base64 (see
 * `tools/vendor.ts`).
 */

/**
 * Returns a response with such a file in Brotli, as it is stored. It is decompressed for clients that do not
 * accept Brotli (`middleware/response_body.ts`).
 */
export function vendoredResponse(stored: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(Uint8Array.fromBase64(stored), { headers: { ...headers, "content-encoding": "br" } });
}
