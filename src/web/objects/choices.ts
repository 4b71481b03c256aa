/** What may be chosen for a reference: the objects that the user may see, by name. */

import { isGranted } from "../../auth/mod.ts";
import type { Field, Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { type SelectOption, truncate } from "../components/mod.ts";
import { type Params, readRows } from "./listing.ts";

/** Objects that a list to choose from may hold; beyond that one types, and a script suggests. */
const MAX_CHOICES = 100;
/** Suggestions for what has been typed. */
const SUGGESTIONS = 20;

/** The resource that a field refers to. */
export function targetOf(field: Field): Resource | undefined {
  return field.target?.();
}

/** All objects of a resource to choose from, by name; undefined when there are too many of them. */
export async function choicesFor(
  call: Call,
  resource: Resource,
): Promise<readonly SelectOption[] | undefined> {
  const options = await some(call, resource, { limit: MAX_CHOICES + 1 });
  return options.length > MAX_CHOICES ? undefined : options;
}

/** Those with these ids, by name. One statement or two; none for no ids. */
export async function choicesByIds(
  call: Call,
  resource: Resource,
  ids: readonly string[],
): Promise<readonly SelectOption[]> {
  const known = ids.filter((id) => /^\d{1,15}$/.test(id));
  if (known.length === 0) return [];
  return await some(call, resource, { limit: 0, id: known });
}

/** The objects that a text may mean. */
export async function suggestionsFor(
  call: Call,
  resource: Resource,
  text: string,
): Promise<readonly SelectOption[]> {
  return await some(call, resource, { limit: SUGGESTIONS, ...(text === "" ? {} : { q: text }) });
}

async function some(call: Call, resource: Resource, params: Params): Promise<SelectOption[]> {
  if (!isGranted(call.ctx, "view", resource.objectType)) return [];
  const { rows } = await readRows(call, resource, { params: { ...params, brief: "true" } });
  return rows.map(({ id, display }) => [String(id), truncate(display)] as const);
}
