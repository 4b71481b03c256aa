/** Choices for references: objects that the user may view, by name. */

import { isGranted } from "../../auth/mod.ts";
import type { Field, Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { expiryText, type SelectOption, truncate } from "../components/mod.ts";
import { type Params, readRows } from "./read_list.ts";
import type { ApiObject } from "./view.ts";
import { unchangedRead } from "./unchanged_read.ts";

/** Maximum number of objects in a select; with more, the user types and a script suggests. */
export const MAX_SELECT_OPTIONS = 100;
/** Maximum number of suggestions. */
export const SUGGESTIONS = 20;

/** Returns the resource to which a field refers. */
export function referenceTarget(field: Field): Resource | undefined {
  return field.target?.();
}

/** Returns all objects of a resource, by name; undefined if there are too many. No statement if nothing has changed. */
export async function choicesFor(
  call: Call,
  resource: Resource,
): Promise<readonly SelectOption[] | undefined> {
  return await unchangedRead(call, `choices ${resource.objectType}`, async () => {
    const options = await some(call, resource, { limit: MAX_SELECT_OPTIONS + 1 });
    return options.length > MAX_SELECT_OPTIONS ? undefined : options;
  });
}

/** Returns the objects with these ids, by name. One statement or two; none without ids. */
export async function choicesByIds(
  call: Call,
  resource: Resource,
  ids: readonly string[],
): Promise<readonly SelectOption[]> {
  const known = ids.filter((id) => /^\d{1,15}$/.test(id));
  if (known.length === 0) return [];
  return await some(call, resource, { limit: 0, id: known });
}

/** Objects that match a typed text, and whether there are more. */
export interface Suggestions {
  readonly options: readonly SelectOption[];
  /** What distinguishes them, in the same order: when certificates expire. */
  readonly notes?: readonly string[];
  readonly more: boolean;
}

/**
 * Returns the first objects that match a typed text; expired certificates come last. Two statements, for certificates
 * four.
 */
export async function suggestionsFor(call: Call, resource: Resource, text: string): Promise<Suggestions> {
  if (!isGranted(call.ctx, "view", resource.objectType)) return { options: [], more: false };
  const expires = resource.fields.days_remaining !== undefined;
  const fields = ["id", "display", ...(expires ? ["days_remaining"] : [])];
  const found: ApiObject[] = [];
  for (const part of expires ? [{ expired: "false" }, { expired: "true" }] : [{}]) {
    const limit = SUGGESTIONS + 1 - found.length;
    const params = { ...part, ...(text === "" ? {} : { q: text }), limit };
    if (limit > 0) found.push(...(await readRows(call, resource, { params, fields })).rows);
  }
  const shown = found.slice(0, SUGGESTIONS);
  return {
    options: shown.map(({ id, display }) => [String(id), truncate(display)]),
    ...(expires ? { notes: shown.map(({ days_remaining: days }) => expiryText(Number(days))) } : {}),
    more: found.length > SUGGESTIONS,
  };
}

async function some(call: Call, resource: Resource, params: Params): Promise<SelectOption[]> {
  if (!isGranted(call.ctx, "view", resource.objectType)) return [];
  const { rows } = await readRows(call, resource, { params: { ...params, brief: "true" } });
  return rows.map(({ id, display }) => [String(id), truncate(display)] as const);
}
