/** Between objects, forms and bodies: what stands in a form's fields, as texts. */

import { addError, type FieldErrors } from "../../base/errors.ts";
import { type Field, shapeOf } from "../../resource/mod.ts";
import { textOf, textsOf as postedTexts } from "../forms.ts";
import { genericsOf } from "./generic_reference.ts";
import type { FormState, View } from "./view.ts";

/** The fields that a view's form asks for. */
export function formFields({ resource, form, first = [] }: View): Field[] {
  const writable = Object.values(resource.fields).filter((field) => field.input !== undefined);
  const names = form ?? new Set([...first, ...writable.map(({ name }) => name)]);
  return [...names].flatMap((name) => writable.find((field) => field.name === name) ?? []);
}

/** What an object, or the defaults of a new one, look like in the form. */
export function stateOf(view: View, object: Readonly<Record<string, unknown>>): FormState {
  return Object.fromEntries(
    formFields(view).map((field) => [field.name, textsOf(view, field, object[field.name])]),
  );
}

/** The form of a new object: defaults, and what the address gives (`?tenant=3`). */
export function newState(view: View, query: URLSearchParams): FormState {
  const entries = formFields(view).map((field) => {
    const given = query.getAll(field.name);
    if (given.length > 0) return [field.name, isMany(view, field) ? given : given[0] as string] as const;
    return [field.name, textsOf(view, field, field.fallback)] as const;
  });
  return Object.fromEntries(entries);
}

/** What was posted. */
export function postedState(view: View, form: FormData): FormState {
  const entries = formFields(view).map((field) => {
    const refers = ["reference", "references"].includes(shapeOf(field).kind);
    const texts = postedTexts(form, field.name).map((text) => refers ? idText(text) : text);
    return [field.name, isMany(view, field) ? texts.filter((text) => text !== "") : texts[0] ?? ""] as const;
  });
  const state: Record<string, string | readonly string[]> = Object.fromEntries(entries);
  for (const { name, type, id } of genericsOf(view.resource)) {
    if (form.has(name)) [state[type.name] = "", state[id.name] = ""] = textOf(form, name).split(" ");
    else state[id.name] = idText(textOf(form, id.name));
  }
  return state;
}

/** A suggestion as it is typed, `#3 web-01`, by its id alone. */
function idText(text: string): string {
  return /^\s*#(\d{1,15})\b/.exec(text)?.[1] ?? text.trim();
}

/** Whether several values may be chosen. */
function isMany({ options }: View, field: Field): boolean {
  const { kind } = shapeOf(field);
  return kind === "references" || (kind === "list" && options?.[field.name] !== undefined);
}

function textsOf(view: View, field: Field, value: unknown): string | readonly string[] {
  const { kind, nullable } = shapeOf(field);
  if (kind === "list" && isMany(view, field)) return (value as unknown[] | undefined ?? []).map(String);
  if (kind === "list" && nullable && Array.isArray(value) && value.length === 0) return "none";
  if (value === null || value === undefined) return kind === "references" ? [] : "";
  switch (kind) {
    case "reference":
      return String((value as { id?: number }).id ?? value);
    case "references":
      return (value as { id: number }[]).map((one) => String(one.id ?? one));
    case "list":
      return (value as unknown[]).map(String).join("\n");
    case "object":
      return JSON.stringify(value, null, 2);
    case "datetime":
      return String(value).slice(0, 19);
    default:
      return String(value);
  }
}

/** Returns the request body of a form; invalid JSON texts are added to `errors`. */
export function bodyOf(
  view: View,
  state: FormState,
  { changing, errors }: { changing: boolean; errors: FieldErrors },
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of formFields(view)) {
    const given = state[field.name] ?? "";
    // What cannot be read back stays as it is unless something is written; of what is new, an empty field says
    // nothing, so that it may be derived (from a PEM) or take its default.
    if (given === "" && (changing ? field.writeOnly : shapeOf(field).kind === "string")) continue;
    const value = valueOf(field, given, errors);
    if (value !== undefined) body[field.name] = value;
  }
  return body;
}

/** undefined: nothing was given, and nothing is to be said. */
function valueOf(field: Field, given: string | readonly string[], errors: FieldErrors): unknown {
  const { kind, nullable } = shapeOf(field);
  if (typeof given !== "string") return kind === "references" ? given.map(idOrName(field)) : given;
  if (kind === "boolean") return given === "true";
  // An empty list and none at all may differ (expiry notices: never, or as the tenant has them).
  if (kind === "list" && nullable) {
    return given.trim() === "" ? null : /^\s*none\s*$/i.test(given) ? [] : listOf(field, given);
  }
  if (kind === "list") return listOf(field, given);
  if (given.trim() === "" && kind !== "string") {
    if (nullable) return null;
    return kind === "object"
      ? field.fallback ?? null
      : kind === "choice" && field.fallback === ""
      ? ""
      : undefined;
  }
  if (given === "" && nullable) return null;
  if (kind === "reference") return idOrName(field)(given.trim());
  return kind === "object" ? jsonOf(field, given, errors) : given;
}

/** Lines, or words where a comma parts them; numbers where all of them are (ports). */
export function listOf(field: Field, given: string): unknown[] {
  const items = given.split(/[\r\n]+/).map((item) => item.trim()).filter(Boolean);
  if (!/ports/.test(field.name)) return items;
  return items.flatMap((item) => item.split(/[\s,]+/)).filter(Boolean).map((item) =>
    /^\d+$/.test(item) ? Number(item) : item
  );
}

function jsonOf(field: Field, given: string, errors: FieldErrors): unknown {
  try {
    return JSON.parse(given);
  } catch {
    addError(errors, field.name, "Expected JSON.");
    return undefined;
  }
}

/** A reference that was chosen by its id, or written as a name. */
function idOrName(field: Field): (given: string) => unknown {
  return (given) => {
    if (/^\d{1,15}$/.test(given)) return Number(given);
    const filter = Object.values(field.filters).find((one) =>
      one.kind === "reference" || one.kind === "many"
    );
    const key = filter !== undefined && "keys" in filter ? filter.keys.at(-1) : undefined;
    return key === undefined ? given : { [key]: given };
  };
}
