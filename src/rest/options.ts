/** OPTIONS: what a resource's fields are, as NetBox describes them. */

import { z } from "zod";
import { type Context, mayDo } from "../access/mod.ts";
import { type Method, type Resource } from "../resource/mod.ts";
import { json } from "./http.ts";

/** The answer to OPTIONS on a collection or an item; `actions` only where the caller may do them. */
export function describeOptions(
  resource: Resource,
  { ctx, methods, item }: { ctx: Context; methods: readonly Method[]; item: boolean },
): Response {
  const actions: Record<string, unknown> = {};
  const may = (action: string): boolean =>
    [action, resource.writeAction].some((one) => one !== undefined && mayDo(ctx, one, resource.objectType));
  if (!item && methods.includes("POST") && may("add")) actions.POST = describeFields(resource);
  if (item && methods.includes("PUT") && may("change")) actions.PUT = describeFields(resource);
  const allow = [...methods, "HEAD", "OPTIONS"].join(", ");
  return json({
    name: item ? resource.label : `${resource.label} list`,
    description: "",
    renders: ["application/json"],
    parses: ["application/json"],
    actions,
  }, { headers: { allow } });
}

function describeFields(resource: Resource): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  for (const field of Object.values(resource.fields)) {
    // Neither written nor read: kept for the change log only.
    if (field.readOnly && field.writeOnly) continue;
    const schema = z.toJSONSchema(field.writeOnly ? field.input ?? field.output : field.output, {
      io: "input",
      unrepresentable: "any",
    }) as Record<string, unknown>;
    described[field.name] = {
      type: typeOf(field.target === undefined ? schema : {}, field.many ?? false),
      required: field.required,
      read_only: field.readOnly,
      label: labelOf(field.name),
      help_text: field.description,
      ...(typeof schema.maxLength === "number" ? { max_length: schema.maxLength } : {}),
      ...choicesOf(schema),
    };
  }
  return described;
}

function labelOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function alternatives(schema: Record<string, unknown>): Record<string, unknown>[] {
  return [schema, ...(schema.anyOf as Record<string, unknown>[] | undefined ?? [])];
}

function choicesOf(schema: Record<string, unknown>): { choices?: unknown[] } {
  const values = alternatives(schema).map((one) => one.enum).find(Array.isArray);
  return values === undefined ? {} : {
    choices: values.filter((value) => value !== "").map((value) => ({
      value,
      display_name: labelOf(String(value)),
    })),
  };
}

/** NetBox's words for types. */
function typeOf(schema: Record<string, unknown>, many: boolean): string {
  if (choicesOf(schema).choices !== undefined) return "choice";
  for (const one of alternatives(schema)) {
    if (one.format === "date-time") return "datetime";
    if (one.type === "string") return "string";
    if (one.type === "integer" || one.type === "boolean") return one.type;
    if (one.type === "array") return "list";
  }
  return many ? "list" : "field";
}
