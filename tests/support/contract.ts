/** Validates responses by the API document. */

import Ajv from "ajv/dist/2020.js";
import { apiDocument } from "../../src/rest/openapi/rendered.ts";
import type { Operation } from "../../src/rest/mod.ts";
import { operations } from "./operations.ts";

/** The document of the service as a test reaches it. */
// deno-lint-ignore no-explicit-any -- tests walk through it
export const document: any = apiDocument(operations, "https://certmgr.example");

// Formats are for readers; what is not JSON Schema in the document (paths, examples) is not validated.
const ajv = new Ajv.default({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, "document");

/** Statuses that every path may answer, and which the document therefore does not repeat. */
const EVERYWHERE = [301, 405];

function pointer(...segments: readonly string[]): string {
  return segments.map((segment) => segment.replaceAll("~", "~0").replaceAll("/", "~1")).map(
    encodeURIComponent,
  ).join("/");
}

/** Returns how a response of an operation violates the document; an empty list if it does not. */
export function violations(
  operation: Operation,
  status: number,
  { type, text }: { type: string; text: string },
): string[] {
  if (EVERYWHERE.includes(status)) return [];
  const place = [operation.path, operation.method.toLowerCase(), "responses", String(status)];
  const [path, method, , code] = place as [string, string, string, string];
  const response = document.paths[path]?.[method]?.responses?.[code];
  if (response === undefined) return [`${operation.operationId} does not document ${status}`];
  if (text === "") return [];
  const media = type.split(";")[0] as string;
  if (response.content?.[media] === undefined) {
    return [`${operation.operationId} does not document ${media} for ${status}`];
  }
  if (response.content[media].schema === undefined) return [];
  const validate = ajv.getSchema(`document#/${pointer("paths", ...place, "content", media, "schema")}`);
  if (validate === undefined) throw new Error(`No schema for ${place.join(" ")}`);
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) =>
    `${operation.operationId} ${status}: ${instancePath} ${message}`
  );
}
