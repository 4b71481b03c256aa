/** Swagger UI, served by the service itself. */

import { type ViewerAsset, viewerResponse } from "../../base/vendored.ts";
import type { ViewerFile } from "./mod.ts";

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

const ASSETS: Readonly<Record<ViewerFile, ViewerAsset>> = {
  "": ["html", PAGE],
  "start.js": ["javascript", START],
  "swagger-ui.css": ["css", () => import("./vendor/swagger-ui.css.br.txt", { with: { type: "text" } })],
  "swagger-ui-bundle.js": [
    "javascript",
    () => import("./vendor/swagger-ui-bundle.js.br.txt", { with: { type: "text" } }),
  ],
};

/** Returns a file of the viewer. */
export function swaggerFile(name: ViewerFile): Promise<Response> {
  return viewerResponse(ASSETS[name]);
}
