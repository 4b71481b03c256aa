/** Renders the API document as text, once for all origins. */

import { sha256Hex } from "../../base/bytes.ts";
import { yamlDocument } from "../../formats/mod.ts";
import type { Operation } from "../operation.ts";
import { apiDocument } from "./document.ts";
import type { DocumentForm } from "./mod.ts";

/** Placeholder for the origin in the cached text. */
const PLACEHOLDER = "https://origin.invalid";

/** The bytes before and after the origin. */
interface Rendered {
  readonly before: Uint8Array<ArrayBuffer>;
  readonly after: Uint8Array<ArrayBuffer>;
  readonly hash: string;
}

/** Bytes per chunk, so that a slow client keeps no more than this in memory. */
const CHUNK_BYTES = 64 * 1024;

/** A document with its entity tag. */
export interface SentDocument {
  /** Returns a new stream. All requests share the bytes of one text of about a megabyte. */
  readonly stream: () => ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly length: number;
  readonly etag: string;
}

/** Returns the document for an origin. */
export type DocumentWriter = (form: DocumentForm, origin: string) => SentDocument;

export function documentWriter(table: () => readonly Operation[]): DocumentWriter {
  const kept: Partial<Record<DocumentForm, Rendered>> = {};
  return (form, origin) => {
    const { before, after, hash } = (kept[form] ??= render(form, table()));
    // Every JSON string is also a YAML string.
    const name = new TextEncoder().encode(JSON.stringify(origin));
    const parts = [before, name, after];
    return {
      stream: () => streamOf(parts),
      length: parts.reduce((sum, part) => sum + part.length, 0),
      etag: `W/"${sha256Hex(`${hash} ${origin}`).slice(0, 32)}"`,
    };
  };
}

/** Streams views of shared bytes without copying them. */
function streamOf(parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = parts.flatMap((part) =>
    Array.from(
      { length: Math.ceil(part.length / CHUNK_BYTES) },
      (_, index) => part.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
    )
  ).values();
  return new ReadableStream({
    pull(controller): void {
      const { value, done } = chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function render(form: DocumentForm, operations: readonly Operation[]): Rendered {
  const document = apiDocument(operations, PLACEHOLDER);
  const text = form === "json" ? JSON.stringify(document) : yamlDocument(document);
  const [before = "", after = "", ...rest] = text.split(`"${PLACEHOLDER}"`);
  if (rest.length > 0 || after === "") throw new Error("The API document names its origin more than once");
  const encoder = new TextEncoder();
  return { before: encoder.encode(before), after: encoder.encode(after), hash: sha256Hex(text) };
}
