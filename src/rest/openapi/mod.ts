/** The API document and its viewer. */

import { json } from "../http.ts";
import type { Call, Operation } from "../operation.ts";
import { apiDocument } from "./document.ts";
import { VIEWER_FILES, viewerFile } from "./viewer.ts";

const FORMATS = ["json", "yaml"];

/** The document's own operations; they are in the table like all others. */
export function documentOperations(table: () => readonly Operation[]): Operation[] {
  const document: Operation = {
    method: "GET",
    path: "/api/schema/",
    operationId: "getSchema",
    summary: "This document",
    description: "JSON, or YAML where `format` or the header `Accept` asks for it.",
    tag: "schema",
    anonymous: true,
    parameters: [{
      name: "format",
      description: "Form of the document.",
      schema: { type: "string", enum: FORMATS },
    }],
    answers: {
      200: { description: "The document.", mediaTypes: ["application/json", "application/yaml"] },
    },
    handle: (call) => answer(call, table()),
  };
  const files = VIEWER_FILES.map((name): Operation => ({
    method: "GET",
    path: `/api/schema/swagger-ui/${name}`,
    operationId: `getSchemaViewer${name.replace(/\W/g, "")}`,
    summary: name === "" ? "A page to read this document" : "A file of that page",
    description: "Served by this service; nothing is loaded from elsewhere.",
    tag: "schema",
    anonymous: true,
    answers: { 200: { description: "The file.", mediaTypes: ["text/html", "text/css", "text/javascript"] } },
    handle: () => viewerFile(name),
  }));
  return [document, ...files];
}

async function answer(
  { ctx, query, request }: Call,
  operations: readonly Operation[],
): Promise<Response> {
  const unknown = [...query.keys()].find((name) => name !== "format");
  if (unknown !== undefined) {
    return json({ [unknown]: ["Unknown parameter. Expected format."] }, { status: 400 });
  }
  const format = query.get("format") ?? (request.headers.get("accept")?.includes("yaml") ? "yaml" : "json");
  if (!FORMATS.includes(format)) {
    return json({ format: [`Expected one of ${FORMATS.join(", ")}, not ${JSON.stringify(format)}.`] }, {
      status: 400,
    });
  }
  const document = apiDocument(operations, ctx.baseUrl);
  if (format === "json") return json(document);
  // Loaded when somebody asks for it: nothing else needs it, and it is large.
  const { stringify } = await import("yaml");
  return new Response(stringify(document, { aliasDuplicateObjects: false }), {
    headers: { "content-type": "application/yaml" },
  });
}
