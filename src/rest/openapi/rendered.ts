/** The API document as text. It takes a second to write as YAML: done once, whatever address it is asked for at. */

import { sha256Hex } from "../../base/bytes.ts";
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
): (form: DocumentForm, origin: string) => Promise<SentDocument> {
  const kept: Partial<Record<DocumentForm, Promise<Rendered>>> = {};
  return async (form, origin) => {
    const { before, after, hash } = await (kept[form] ??= render(form, table()));
    // A JSON string is a YAML string, too.
    const name = new TextEncoder().encode(JSON.stringify(origin));
    const bytes = new Uint8Array(before.length + name.length + after.length);
    bytes.set(before);
    bytes.set(name, before.length);
    bytes.set(after, before.length + name.length);
    return { bytes, etag: `W/"${sha256Hex(`${hash} ${origin}`).slice(0, 32)}"` };
  };
}

async function render(form: DocumentForm, operations: readonly Operation[]): Promise<Rendered> {
  const text = await textOf(form, apiDocument(operations, PLACEHOLDER));
  const [before = "", after = "", ...rest] = text.split(form === "json" ? `"${PLACEHOLDER}"` : PLACEHOLDER);
  if (rest.length > 0 || after === "") throw new Error("The API document names its origin more than once");
  const encoder = new TextEncoder();
  return { before: encoder.encode(before), after: encoder.encode(after), hash: sha256Hex(text) };
}

async function textOf(form: DocumentForm, document: unknown): Promise<string> {
  if (form === "json") return JSON.stringify(document);
  // Loaded when somebody asks for it: nothing else needs it, and it is large.
  const { stringify } = await import("yaml");
  return stringify(document, { aliasDuplicateObjects: false });
}
