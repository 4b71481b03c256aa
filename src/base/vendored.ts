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

/** A file of a viewer: our own text, or a function that loads a vendored file at its first request. */
export type ViewerAsset = readonly [
  type: "html" | "css" | "javascript",
  content: string | (() => Promise<{ default: string }>),
];

/** A viewer may set styles on elements, and its images may be data URLs. Scripts are allowed only from this origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Returns the response with a file of a viewer. `more` is what else its policy allows. */
export async function viewerResponse(
  [type, content]: ViewerAsset,
  { more = "", cache = "public, max-age=3600" }: { more?: string; cache?: string } = {},
): Promise<Response> {
  const headers = {
    "content-type": `text/${type}; charset=utf-8`,
    "content-security-policy": POLICY + more,
    "cache-control": cache,
  };
  return typeof content === "string"
    ? new Response(content, { headers })
    : vendoredResponse((await content()).default, headers);
}
