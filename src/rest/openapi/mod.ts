/** Operations that return the API document and its viewer. Both are loaded at the first request. */

import { quoteJson } from "../../base/quote.ts";
import { isKnown, jsonResponse } from "../http.ts";
import type { Call, Operation } from "../operation.ts";
import type { DocumentWriter } from "./rendered.ts";

/** The formats of the document, and their media types. */
const DOCUMENT_TYPES = { json: "application/json", yaml: "application/yaml" } as const;
export type DocumentForm = keyof typeof DOCUMENT_TYPES;
/** Names of the viewer's files, relative to its URL. */
const VIEWER_FILES = ["", "start.js", "swagger-ui.css", "swagger-ui-bundle.js"] as const;
export type ViewerFile = typeof VIEWER_FILES[number];

const FORMATS = Object.keys(DOCUMENT_TYPES);

export function documentOperations(table: () => readonly Operation[]): Operation[] {
  let writing: Promise<DocumentWriter> | undefined;
  const writer = (): Promise<DocumentWriter> =>
    writing ??= import("./rendered.ts").then(({ documentWriter }) => documentWriter(table));
  const document: Operation = {
    method: "GET",
    path: "/api/schema/",
    operationId: "getSchema",
    summary: "Read the OpenAPI document",
    description:
      "JSON, or YAML if `format` or the header `Accept` requests it. It has an `ETag`; with it in " +
      "`If-None-Match` the response is 304 until the service is upgraded.",
    tag: "schema",
    anonymous: true,
    parameters: () => [{
      name: "format",
      description: "Format of the document.",
      schema: { type: "string", enum: FORMATS },
    }],
    responses: {
      200: { description: "The document.", mediaTypes: ["application/json", "application/yaml"] },
      304: { description: "Not changed since the version named in If-None-Match." },
    },
    handle: (call) => answer(call, writer),
  };
  const files = VIEWER_FILES.map((name): Operation => ({
    method: "GET",
    path: `/api/schema/swagger-ui/${name}`,
    operationId: `getSchemaViewer${name.replace(/\W/g, "")}`,
    summary: name === "" ? "Read the page that shows the OpenAPI document" : "Read a file of that page",
    description: "Served by this service; nothing is loaded from other servers.",
    tag: "schema",
    anonymous: true,
    responses: {
      200: { description: "The file.", mediaTypes: ["text/html", "text/css", "text/javascript"] },
    },
    handle: async () => await (await import("./viewer.ts")).swaggerFile(name),
  }));
  return [document, ...files];
}

async function answer(
  { ctx, query, request }: Call,
  writer: () => Promise<DocumentWriter>,
): Promise<Response> {
  const unknown = [...query.keys()].find((name) => name !== "format");
  if (unknown !== undefined) {
    return jsonResponse({ [unknown]: ["Unknown parameter. Expected format."] }, { status: 400 });
  }
  const format = query.get("format") ?? (request.headers.get("accept")?.includes("yaml") ? "yaml" : "json");
  if (!FORMATS.includes(format)) {
    return jsonResponse({ format: [`Expected one of ${FORMATS.join(", ")}, not ${quoteJson(format)}.`] }, {
      status: 400,
    });
  }
  const form = format as DocumentForm;
  const { stream, length, etag } = (await writer())(form, ctx.baseUrl);
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag } });
  return new Response(stream(), {
    headers: { etag, "content-type": DOCUMENT_TYPES[form], "content-length": String(length) },
  });
}
