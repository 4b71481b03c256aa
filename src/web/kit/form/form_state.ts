/** Converts between objects, the values of form fields, and request bodies. */

import { isDictionary } from "../../../filters/mod.ts";
import { addText, type FieldErrors, finding } from "../../../base/findings.ts";
import {
  CUSTOM_COLUMN,
  customMembersOf,
  type Field,
  isCustomMember,
  memberValue,
  type Out,
  shapeOf,
  type Values,
} from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { fileTextOf, textOf, textsOf as postedTexts } from "../../forms.ts";
import { sentenceOf } from "../../messages.ts";
import { durationText, headersOf, isDuration, minutesOf, proposedValues } from "./field_input.tsx";
import {
  genericsOf,
  genericState,
  partsOfTarget,
  referenceValue,
  targetsOf,
} from "../reference/reference_text.ts";
import { readReferences } from "../reference/read_references.ts";
import { isPart, membersIn, partsOf, partValue } from "./parts.ts";
import { FIND } from "../reference/choices.ts";
import type { FormState, View } from "../view.ts";

/**
 * Returns the fields of a view's form, including custom fields, and the members of an object separately; generic
 * references are one field. `chosen` is the value of the field that decides the members.
 */
export function formFields({ ctx }: Call, view: View, chosen: string): Field[] {
  const { resource, form, parts } = view;
  const writable = Object.values(resource.fields).filter((field) =>
    field.input !== undefined && !field.shown?.alias
  );
  const names = form?.fields ?? writable.map(({ name }) => name);
  const without = parts?.without?.(chosen) ?? [];
  return names.filter((name) => !without.includes(name)).flatMap((name): readonly Field[] | Field =>
    name === CUSTOM_COLUMN
      ? customMembersOf(ctx.database, resource.objectType).filter(({ custom }) => custom.editable === "yes")
      : name === parts?.field
      ? partsOf(parts, chosen)
      : genericsOf(resource).some(({ id }) => id.name === name)
      ? []
      : genericsOf(resource).find(({ type }) => type.name === name)?.field ??
        writable.find((field) => field.name === name) ?? []
  );
}

/** Returns the value of the field that decides which members an object has; empty without one. */
export function chosenIn({ parts }: View, state: FormState): string {
  return parts === undefined ? "" : String(state[parts.by] ?? "");
}

/** Returns the form values of an object, or the defaults of a new one. */
export function stateOf(call: Call, view: View, object: Out): FormState {
  const { parts } = view;
  const chosen = parts === undefined ? "" : String(object[parts.by] ?? "");
  const members = membersIn(object[parts?.field ?? ""]);
  const valueIn = (field: Field): unknown =>
    isCustomMember(field)
      ? memberValue(object, field)
      : isPart(field)
      ? members[field.part]
      : object[field.name] ?? (field.writeOnly ? field.fallback : undefined);
  const fields = formFields(call, view, chosen);
  return {
    ...Object.fromEntries(fields.map((field) => [field.name, textsOf(view, field, valueIn(field))])),
    ...genericState(view.resource, ({ type, id }) => [object[type.name], object[id.name]]),
  };
}

/** Returns the form values of a new object: values of the URL (`?tenant=3`), prefilled ones, and defaults. */
export function newState(call: Call, view: View): FormState {
  const chosen = call.query.get(view.parts?.by ?? "") ?? "";
  const prefilled = view.create?.(call).values ?? {};
  const entries = formFields(call, view, chosen).map((field): [string, FormState[string]] => {
    const [first, ...others] = call.query.getAll(field.name);
    if (first === undefined) {
      return [field.name, prefilled[field.name] ?? textsOf(view, field, field.fallback)];
    }
    const proposals = view.fields?.[field.name]?.proposals;
    if (proposals !== undefined) return [field.name, proposedValues(proposals, [first, ...others])];
    return [field.name, isMany(view, field) ? [first, ...others] : first];
  });
  return {
    ...Object.fromEntries(entries),
    ...genericState(
      view.resource,
      ({ type, id }) => call.query.has(id.name) ? [type, id].map(({ name }) => call.query.get(name)) : [],
    ),
  };
}

/**
 * Returns the posted values, with references by id; those that are not found stay as they were typed, and have errors.
 * At most two statements for each type to which a reference can refer.
 */
export async function postedState(
  call: Call,
  view: View,
): Promise<{ readonly state: FormState; readonly errors: FieldErrors }> {
  const { form } = call;
  const chosen = view.parts === undefined ? "" : textOf(form, view.parts.by);
  const fields = formFields(call, view, chosen);
  const valueIn = (field: Field): FormState[string] => {
    const proposals = view.fields?.[field.name]?.proposals;
    const texts = postedTexts(form, field.name);
    if (proposals !== undefined) return proposedValues(proposals, texts);
    return isMany(view, field) ? texts.filter((text) => text !== "") : texts[0] ?? "";
  };
  const state = Object.fromEntries(fields.map((field) => [field.name, valueIn(field)]));
  const errors: FieldErrors = {};
  for (const name of Object.keys(view.fields ?? {})) {
    const text = await fileTextOf(form, name);
    if (text === undefined) continue;
    if (state[name] !== "") addText(errors, name, sentenceOf(finding("text_or_file", { files: "a file" })));
    else state[name] = text;
  }
  await Promise.all(fields.map(async (field) => {
    const { name } = field;
    const targets = targetsOf(field);
    const given = state[name] ?? "";
    // The text of a search stays.
    if (targets.length === 0 || form.get(FIND) === name) return;
    const texts = [given].flat().filter((text) => text.trim() !== "");
    const values = (await readReferences(call, targets, texts)).map((reading, index) => {
      if (!("finding" in reading)) return referenceValue(targets, reading);
      addText(errors, name, sentenceOf({ ...reading.finding, path: isMany(view, field) ? [index] : [] }));
      return texts[index] ?? "";
    });
    state[name] = typeof given === "string" ? values[0] ?? "" : values;
  }));
  return { state, errors };
}

/** Returns whether a field has several values. */
function isMany({ fields = {} }: View, field: Field): boolean {
  const { proposals, choices: own } = fields[field.name] ?? {};
  const { kind, choices = own } = shapeOf(field);
  return proposals !== undefined || kind === "references" || (kind === "list" && choices !== undefined);
}

function textsOf(view: View, field: Field, value: unknown): FormState[string] {
  const { kind, nullable } = shapeOf(field);
  const { notation, labels } = field.shown ?? {};
  // Stored values are not shown.
  if (notation === "headers") return Object.keys(value ?? {}).map((name) => `${name}:`).join("\n");
  if (kind === "list" && isMany(view, field)) {
    return Array.isArray(value) ? value.map(String) : [];
  }
  if (kind === "list" && nullable && Array.isArray(value) && value.length === 0) return "none";
  if (value === null || value === undefined) return kind === "references" ? [] : "";
  if (isDuration(field)) return durationText(Number(value));
  if (labels !== undefined) return String(isDictionary(value) ? value.value : value);
  switch (kind) {
    case "reference":
      return idIn(value);
    case "references":
      return [value].flat().map(idIn);
    case "list":
      return [value].flat().map(String).join("\n");
    case "object":
      return JSON.stringify(value, null, 2);
    case "datetime":
      // A browser's field has at most milliseconds.
      return String(value).replace(/(?:000)?Z$/, "");
    default:
      return String(value);
  }
}

/** Returns the id of a reference, which is an object or an id. */
function idIn(value: unknown): string {
  return String(typeof value === "object" && value !== null && "id" in value ? value.id : value);
}

/** Returns the request body of a form; invalid JSON texts are added to `errors`. */
export function bodyOf(
  call: Call,
  view: View,
  { state, changing, errors }: { state: FormState; changing: boolean; errors: FieldErrors },
): Values {
  const body: Values = {};
  const custom: Values = {};
  const fields = formFields(call, view, chosenIn(view, state));
  if (view.parts !== undefined) {
    body[view.parts.field] = Object.fromEntries(
      fields.filter(isPart).flatMap((field) => {
        const value = partValue(field, valueOf(field, state[field.name] ?? "", errors));
        return value === undefined ? [] : [[field.part, value]];
      }),
    );
  }
  for (const field of fields) {
    if (isPart(field)) continue;
    const given = givenFor(field, { state, changing });
    if (isCustomMember(field)) {
      const value = valueOf(field, given, errors);
      // An empty field removes the value, and the default of a new object as well.
      if (value !== undefined && errors[field.name] === undefined) custom[field.custom.name] = value;
      continue;
    }
    // Write-only fields do not change unless a value is entered; a checkbox always has one. For a new object, an empty
    // field is left out, so that it is derived (from a PEM) or gets its default.
    const generic = genericsOf(view.resource).find((one) => one.field === field);
    if (generic !== undefined) {
      for (const [one, text] of partsOfTarget(generic, String(given))) {
        const value = valueOf(one, text, errors);
        if (value !== undefined) body[one.name] = value;
      }
      continue;
    }
    const { kind } = shapeOf(field);
    if (given === "" && (changing ? field.writeOnly && kind !== "boolean" : kind === "string")) continue;
    const value = valueOf(field, given, errors);
    if (value !== undefined) body[field.name] = value;
  }
  return Object.keys(custom).length === 0 ? body : { ...body, [CUSTOM_COLUMN]: custom };
}

/** Returns the text of a field; for an empty slug of a new object one that is derived from the name. */
function givenFor(
  field: Field,
  { state, changing }: { state: FormState; changing: boolean },
): FormState[string] {
  const given = state[field.name] ?? "";
  const derives = field.shown?.notation === "slug" && !changing && given === "";
  return derives ? slugOf(String(state.name ?? state.model ?? "")) : given;
}

/** Returns a name in lower case, with hyphens for all but letters and digits; the script of pages does the same. */
function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").slice(0, 100).replace(/^-|-$/g, "");
}

/** Returns the value of a field; undefined to leave it out. */
function valueOf(field: Field, given: FormState[string], errors: FieldErrors): unknown {
  const { kind, nullable } = shapeOf(field);
  if (field.shown?.notation === "headers") return headersOf(field.name, String(given), errors);
  if (typeof given !== "string") {
    return kind === "references" ? given.map(idOrText) : nullable && given.length === 0 ? null : given;
  }
  if (kind === "boolean") return given === "true";
  // An empty list and null can differ (expiry notices: never, or inherited from the tenant).
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
  if (isDuration(field)) return minutesOf(given) ?? given;
  if (kind === "reference") return idOrText(given.trim());
  return kind === "object" ? jsonOf(field, given, errors) : given;
}

/** Splits text at line breaks or commas; returns numbers if all parts are (ports). */
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
  } catch (error) {
    addText(errors, field.name, jsonFault(error));
    // No object is a text, so that this field is refused together with all others that are invalid.
    return given;
  }
}

/** Returns what is wrong with a JSON text, and where if V8 reports it. */
function jsonFault(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const fault = message.replace(/(,? in JSON at position |, (\.\.\.)?".* is not valid JSON$).*$/s, "").trim();
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  const position = line === undefined ? "" : ` at line ${line}, character ${column}`;
  return `Not JSON: ${fault.charAt(0).toLowerCase()}${fault.slice(1)}${position}.`;
}

/** Returns the id of a reference; a text that is none, which is refused together with all other errors. */
function idOrText(given: string): number | string {
  return /^\d{1,15}$/.test(given) ? Number(given) : given;
}
