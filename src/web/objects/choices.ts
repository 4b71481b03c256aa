/** What may be chosen for a reference: the objects that the user may see, by name. */

import { mayDo } from "../../access/mod.ts";
import { type Field, listObjects, parseListQuery, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { SelectOption } from "../kit/mod.ts";
import type { Shown } from "./view.ts";

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
  const objects = await some(call, resource, { limit: String(MAX_CHOICES + 1) });
  if (objects.length > MAX_CHOICES) return undefined;
  return objects.map((object) => [String(object.id), object.display] as const);
}

/** The objects that a text may mean. */
export function suggestionsFor(call: Call, resource: Resource, text: string): Promise<Shown[]> {
  return some(call, resource, { limit: String(SUGGESTIONS), ...(text === "" ? {} : { q: text }) });
}

async function some(call: Call, resource: Resource, params: Record<string, string>): Promise<Shown[]> {
  if (!mayDo(call.ctx, "view", resource.objectType)) return [];
  const query = parseListQuery(resource, new URLSearchParams({ ...params, brief: "true" }), call.ctx);
  const { results } = await listObjects({ ctx: call.ctx, resource, query });
  return results as unknown as Shown[];
}
