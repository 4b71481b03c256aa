/** Parses orderings: `ordering=-valid_to,common_name`. */

import type { FieldErrors } from "../base/errors.ts";
import type { OrderKey } from "./ast.ts";
import type { FieldMap } from "./field_map.ts";
import { addMessage, type Messages, quoteInput, toFieldErrors } from "./messages.ts";
import { fieldByName } from "./names.ts";
import { nearest } from "./suggest.ts";

/** A total order, or the errors of the requested one. */
export interface ParsedOrdering {
  readonly keys: readonly OrderKey[];
  readonly errors: FieldErrors;
}

/**
 * Parses an ordering; an empty one is replaced by `fallback` (default: by id). The id is added as a tie-breaker in the
 * direction of the last key, so that one index can provide the complete order.
 */
export function parseOrdering(
  text: string | null | undefined,
  map: FieldMap,
  options: { fallback?: readonly OrderKey[] } = {},
): ParsedOrdering {
  const messages: Messages = new Map();
  const keys = new Map<string, OrderKey>();
  for (const part of (text ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const descending = part.startsWith("-");
    const field = descending ? part.slice(1) : part;
    if (!isSortable(map, field)) addMessage(messages, "ordering", refusal(map, field));
    else if (!keys.has(field)) keys.set(field, { field, descending });
  }
  const chosen = keys.size === 0 ? options.fallback ?? [] : [...keys.values()];
  return { keys: complete(chosen), errors: toFieldErrors(messages) };
}

/** Ends an order with the id; keys after the id have no effect. */
function complete(keys: readonly OrderKey[]): readonly OrderKey[] {
  const id = keys.findIndex((key) => key.field === "id");
  return id >= 0
    ? keys.slice(0, id + 1)
    : [...keys, { field: "id", descending: keys.at(-1)?.descending ?? false }];
}

function isSortable(map: FieldMap, name: string): boolean {
  const field = fieldByName(map, name);
  return name === "id" || (field !== undefined && "sortable" in field && field.sortable);
}

function refusal(map: FieldMap, name: string): string {
  const best = nearest(name, Object.keys(map.fields).filter((known) => isSortable(map, known)));
  const question = best === undefined ? "" : ` Did you mean “${best}”?`;
  return `Cannot order by ${quoteInput(name)}.${question}`;
}
