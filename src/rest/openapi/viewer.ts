/** Swagger UI, served by the service itself. */

import { vendoredResponse } from "../../base/vendored.ts";
import type { ViewerFile } from "./mod.ts";

interface Asset {
  readonly type: string;
  /** The content of our own file. */
  readonly text?: string;
  /** Loads a vendored file at its first request. */
  readonly load?: () => Promise<{ default: string }>;
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

const ASSETS: Readonly<Record<ViewerFile, Asset>> = {
  "": { type: "text/html; charset=utf-8", text: PAGE },
  "start.js": { type: "text/javascript; charset=utf-8", text: START },
  "swagger-ui.css": {
    type: "text/css; charset=utf-8",
    load: () => import("./vendor/swagger-ui.css.br.txt", { with: { type: "text" } }),
  },
  "swagger-ui-bundle.js": {
    type: "text/javascript; charset=utf-8",
    load: () => import("./vendor/swagger-ui-bundle.js.br.txt", { with: { type: "text" } }),
  },
};

/**
 * Swagger UI sets styles on elements, and its icons are data URLs. Scripts are allowed only from this origin.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Returns a file of the viewer. */
export async function swaggerFile(name: ViewerFile): Promise<Response> {
  const { type, text, load } = ASSETS[name];
  const headers = {
    "content-type": type,
    "content-security-policy": POLICY,
    "cache-control": "public, max-age=3600",
  };
  return load === undefined
    ? new Response(text ?? "", { headers })
    : vendoredResponse((await load()).default, headers);
}
