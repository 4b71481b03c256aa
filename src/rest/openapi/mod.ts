/** The API document and its viewer. */

import { isKnown, json } from "../http.ts";
import type { Call, Operation } from "../operation.ts";
import { DOCUMENT_TYPES, type DocumentForm, documentWriter } from "./rendered.ts";
import { VIEWER_FILES, viewerFile } from "./viewer.ts";

const FORMATS = Object.keys(DOCUMENT_TYPES);

/** The document's own operations; they are in the table like all others. */
export function documentOperations(table: () => readonly Operation[]): Operation[] {
  const write = documentWriter(table);
  const document: Operation = {
    method: "GET",
    path: "/api/schema/",
    operationId: "getSchema",
    summary: "This document",
    description:
      "JSON, or YAML where `format` or the header `Accept` asks for it. It has an `ETag`; with it in " +
      "`If-None-Match` the answer is 304 until there is another release.",
    tag: "schema",
    anonymous: true,
    parameters: [{
      name: "format",
      description: "Form of the document.",
      schema: { type: "string", enum: FORMATS },
    }],
    answers: {
      200: { description: "The document.", mediaTypes: ["application/json", "application/yaml"] },
      304: { description: "Not changed since the version named in If-None-Match." },
    },
    handle: (call) => answer(call, write),
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

function answer(
  { ctx, query, request }: Call,
  write: ReturnType<typeof documentWriter>,
): Response {
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
  const form = format as DocumentForm;
  const { bytes, etag } = write(form, ctx.baseUrl);
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag } });
  return new Response(bytes, { headers: { etag, "content-type": DOCUMENT_TYPES[form] } });
}
