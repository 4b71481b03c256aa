/** GraphiQL, the query editor, served by the service itself. */

import { notFound } from "../base/errors.ts";
import { type ViewerAsset, viewerResponse } from "../base/vendored.ts";

/** Path of the files of the page. */
export const VIEWER_PATH = "/graphql/viewer/";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>certmgr GraphQL</title>
<link rel="stylesheet" href="${VIEWER_PATH}graphiql.css">
</head>
<body>
<div id="root"></div>
<script src="${VIEWER_PATH}workers.js"></script>
<script src="${VIEWER_PATH}graphiql.js"></script>
<script src="${VIEWER_PATH}start.js"></script>
</body>
</html>
`;

/** The editor's workers, by the names that it uses for them. */
const WORKERS = `self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_, label) => "${VIEWER_PATH}" + ({ graphql: "graphql", json: "json" }[label] ?? "editor") + ".worker.js",
};
`;

const START = `YogaGraphiQL.renderYogaGraphiQL(document.querySelector("#root"), {
  endpoint: "/graphql/",
  title: "certmgr GraphQL",
  headers: JSON.stringify({ Authorization: "Token <key>" }, null, 2),
  defaultQuery: "{\\n  certificate_list(filters: {status: \\"active\\"}, pagination: {limit: 10}) {\\n    id\\n    common_name\\n    valid_to\\n    days_remaining\\n  }\\n}\\n",
  credentials: "same-origin",
  shouldPersistHeaders: false,
});
`;

const ASSETS: Readonly<Record<string, ViewerAsset>> = {
  "": ["html", PAGE],
  "workers.js": ["javascript", WORKERS],
  "start.js": ["javascript", START],
  "graphiql.css": ["css", () => import("./vendor/graphiql.css.br.txt", { with: { type: "text" } })],
  "graphiql.js": ["javascript", () => import("./vendor/graphiql.js.br.txt", { with: { type: "text" } })],
  "editor.worker.js": [
    "javascript",
    () => import("./vendor/editor.worker.js.br.txt", { with: { type: "text" } }),
  ],
  "json.worker.js": [
    "javascript",
    () => import("./vendor/json.worker.js.br.txt", { with: { type: "text" } }),
  ],
  "graphql.worker.js": [
    "javascript",
    () => import("./vendor/graphql.worker.js.br.txt", { with: { type: "text" } }),
  ],
};

/** Its font is a data URL, too, and it has workers. */
const MORE = "; worker-src 'self'; font-src 'self' data:";

/** Returns a file of the page. Errors: not_found. */
export async function graphiqlFile(name: string): Promise<Response> {
  const asset = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (asset === undefined) throw notFound();
  return await viewerResponse(asset, { more: MORE, ...name === "" ? { cache: "no-cache" } : {} });
}
