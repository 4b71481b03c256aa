/** A page on which people read and try the API document: Swagger UI, served by ourselves. */

/** A file of the viewer. */
interface Asset {
  readonly type: string;
  readonly load: () => Promise<string>;
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>certmgr API</title>
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<div id="viewer"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`;

const START =
  `SwaggerUIBundle({ url: "../", dom_id: "#viewer", deepLinking: true, docExpansion: "none", persistAuthorization: false });
`;

const ASSETS: Readonly<Record<string, Asset>> = {
  "": { type: "text/html; charset=utf-8", load: () => Promise.resolve(PAGE) },
  "start.js": { type: "text/javascript; charset=utf-8", load: () => Promise.resolve(START) },
  "swagger-ui.css": {
    type: "text/css; charset=utf-8",
    load: async () => (await import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } })).default,
  },
  "swagger-ui-bundle.js": {
    type: "text/javascript; charset=utf-8",
    load: async () =>
      (await import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } })).default,
  },
};

/** Swagger UI sets styles on elements and draws its icons from data URLs; scripts come from here only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Names of the viewer's files, below its address. */
export const VIEWER_FILES: readonly string[] = Object.keys(ASSETS);

/** One of the viewer's files. */
export async function viewerFile(name: string): Promise<Response> {
  const asset = ASSETS[name] as Asset;
  return new Response(await asset.load(), {
    headers: {
      "content-type": asset.type,
      "content-security-policy": POLICY,
      "cache-control": "public, max-age=3600",
    },
  });
}
