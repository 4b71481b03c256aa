/** Renders the API document as text, once for all origins that it is requested at. */

import { sha256Hex } from "../../base/bytes.ts";
import { yamlDocument } from "../../formats/mod.ts";
import type { Operation } from "../operation.ts";
import { apiDocument } from "./document.ts";

/** Forms of the document, and their media types. */
export const DOCUMENT_TYPES = { json: "application/json", yaml: "application/yaml" } as const;
export type DocumentForm = keyof typeof DOCUMENT_TYPES;

/** Stands for the origin in the text that is kept. */
const PLACEHOLDER = "https://origin.invalid";

/** The document around the origin. */
interface Rendered {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly hash: string;
}

/** The document as it is sent, with its entity tag. */
export interface SentDocument {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Writes the document of a table of operations for the origins that it is asked for at. */
export function documentWriter(
  table: () => readonly Operation[],
): (form: DocumentForm, origin: string) => SentDocument {
  const kept: Partial<Record<DocumentForm, Rendered>> = {};
  return (form, origin) => {
    const { before, after, hash } = (kept[form] ??= render(form, table()));
    // A JSON string is a YAML string, too.
    const name = new TextEncoder().encode(JSON.stringify(origin));
    const bytes = new Uint8Array(before.length + name.length + after.length);
    bytes.set(before);
    bytes.set(name, before.length);
    bytes.set(after, before.length + name.length);
    return { bytes, etag: `W/"${sha256Hex(`${hash} ${origin}`).slice(0, 32)}"` };
  };
}

function render(form: DocumentForm, operations: readonly Operation[]): Rendered {
  const document = apiDocument(operations, PLACEHOLDER);
  const text = form === "json" ? JSON.stringify(document) : yamlDocument(document);
  const [before = "", after = "", ...rest] = text.split(`"${PLACEHOLDER}"`);
  if (rest.length > 0 || after === "") throw new Error("The API document names its origin more than once");
  const encoder = new TextEncoder();
  return { before: encoder.encode(before), after: encoder.encode(after), hash: sha256Hex(text) };
}
