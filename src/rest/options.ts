/** OPTIONS: describes the fields of a resource in NetBox's format. */

import { type Context, isGranted } from "../auth/mod.ts";
import { countDependents, type Field, type Method, type Resource, shapeOf } from "../resource/mod.ts";
import { jsonResponse } from "./http.ts";

/**
 * Answers OPTIONS for a collection, or for the item `id`. Lists only the `actions` that the caller may
 * perform.
 */
export async function describeOptions(
  resource: Resource,
  { ctx, methods, id }: { ctx: Context; methods: readonly Method[]; id?: number | undefined },
): Promise<Response> {
  const item = id !== undefined;
  const actions: Record<string, unknown> = {};
  const may = (action: string): boolean =>
    [action, resource.writeAction].some((one) =>
      one !== undefined && isGranted(ctx, one, resource.objectType)
    );
  if (!item && methods.includes("POST") && may("add")) actions.POST = describeFields(resource);
  if (item && methods.includes("PUT") && may("change")) actions.PUT = describeFields(resource);
  const deletes = item && methods.includes("DELETE") && may("delete");
  const allow = [...methods, "HEAD", "OPTIONS"].join(", ");
  return jsonResponse({
    name: item ? resource.label : `${resource.label} list`,
    description: "",
    renders: ["application/json"],
    parses: ["application/json"],
    actions,
    ...(deletes ? { on_delete: await describeDeletion(ctx, resource, id) } : {}),
  }, { headers: { allow } });
}

/** Returns what a deletion would do to other objects, counting those that the caller may view. */
async function describeDeletion(ctx: Context, resource: Resource, id: number): Promise<unknown[]> {
  const dependents = await countDependents(ctx, resource, [id]);
  return dependents.map(({ resource: { objectType }, field, effect, count }) => ({
    object_type: objectType,
    field,
    effect,
    count,
  }));
}

function describeFields(resource: Resource): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  for (const field of Object.values(resource.fields)) {
    // Neither readable nor writable: only recorded in the change log.
    if (field.readOnly && field.writeOnly) continue;
    const { choices, maxLength } = shapeOf(field);
    described[field.name] = {
      type: typeOf(field),
      required: field.required,
      read_only: field.readOnly,
      label: labelOf(field.name),
      help_text: field.description,
      ...(maxLength === undefined ? {} : { max_length: maxLength }),
      ...(choices === undefined ? {} : { choices: choices.filter(Boolean).map(choiceOf) }),
    };
  }
  return described;
}

function labelOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function choiceOf(value: string): { value: string; display_name: string } {
  return { value, display_name: labelOf(value) };
}

/** Returns NetBox's name of a field's type. */
function typeOf(field: Field): string {
  const { kind } = shapeOf(field);
  if (kind === "references") return "list";
  return kind === "reference" || kind === "object" ? "field" : kind;
}
