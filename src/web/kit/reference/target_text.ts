/** The text of a generic reference in a form: `web-01 (device #3)`, as a suggestion or a choice writes it, or a name. */

import { listText, numberText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../../filters/mod.ts";
import { type Field, quote, type Resource, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { SelectOption } from "../components/mod.ts";
import { textOf, textsOf } from "../../forms.ts";
import { choicesByIds } from "./choices.ts";
import type { GenericReference } from "./generic_reference.ts";
import { countRows, readRows } from "../list/read_list.ts";
import { idText, parseSuggestion, suggestionText } from "./suggestion_text.ts";
import { articled, nounOf, pluralOf } from "../../type_label.ts";

/** The object of a generic reference: its type, and its id or another text. */
export interface TargetState {
  readonly type: string;
  readonly id: string;
}

/** Maximum of objects that are read for a name; two are enough to know that it is ambiguous. */
const MAX_NAMED = 2;

/** Returns the id for one text, as {@link referenceTexts} does. */
export async function referenceText(call: Call, target: Resource, text: string): Promise<string> {
  const [id = ""] = await referenceTexts(call, target, [text]);
  return id;
}

/**
 * Returns ids for the texts of suggestions (`Acme (#3)`) and ids (`#3`). A name is returned unchanged, also if it ends like a
 * suggestion: an object has this name, or the object with the id has another one. At most three statements for all
 * texts, none without texts that look like suggestions.
 */
export async function referenceTexts(
  call: Call,
  target: Resource,
  texts: readonly string[],
): Promise<string[]> {
  const given = texts.map((text) => text.trim());
  const suggested = new Map(given.flatMap((text) => {
    const suggestion = parseSuggestion(text);
    return suggestion === undefined ? [] : [[text, suggestion] as const];
  }));
  if (suggested.size === 0) return given.map(idText);
  const [named, options] = await Promise.all([
    idsByName(call, target, [...suggested.keys()]),
    choicesByIds(call, target, [...suggested.values()].map(({ id }) => id)),
  ]);
  const names = new Map(options.map(([id, name]) => [id, name]));
  return given.map((text) => {
    const suggestion = suggested.get(text);
    if (suggestion === undefined) return idText(text);
    const [only, ...others] = named.get(text) ?? [];
    if (only !== undefined) return others.length === 0 ? only : text;
    const expected = [names.get(suggestion.id) ?? "", ""].map((name) => suggestionText(suggestion, name));
    return expected.includes(text) ? suggestion.id : text;
  });
}

/** Replaces the texts of suggestions in a posted form by ids, see {@link referenceTexts}. At most three statements for each field. */
export async function replaceSuggestions(
  call: Call,
  fields: readonly Pick<Field, "name" | "target">[],
  generics: readonly Pick<GenericReference, "name" | "targets">[] = [],
): Promise<void> {
  const { form } = call;
  await Promise.all(fields.map(async ({ name, target }) => {
    const texts = textsOf(form, name);
    if (target === undefined || !texts.some((text) => parseSuggestion(text) !== undefined)) return;
    const ids = await referenceTexts(call, target(), texts);
    form.delete(name);
    for (const id of ids) form.append(name, id);
  }));
  for (const { name, targets } of generics) {
    const text = textOf(form, name);
    const noun = parseSuggestion(text)?.noun;
    const target = noun === undefined ? undefined : targets.find((one) => nounOf(one) === noun);
    if (target === undefined) continue;
    const id = await referenceText(call, target, text);
    if (/^\d+$/.test(id)) form.set(name, `${target.objectType} ${id}`);
  }
}

/** Returns whether a field refers to one or several objects. */
export function isReference(field: Field): boolean {
  return ["reference", "references"].includes(shapeOf(field).kind);
}

/** Returns the text of an object that the user may not view. */
function hiddenText(target: Resource): string {
  return `${articled(nounOf(target))} that you may not view`;
}

/** Returns the object of a text, `dcim.device 3`; for a name without a type, for a hidden object without an id. */
export function parseTarget(text: string, { targets }: Pick<GenericReference, "targets">): TargetState {
  const given = text.trim();
  const hidden = targets.find((target) => given === hiddenText(target));
  if (hidden !== undefined) return { type: hidden.objectType, id: "" };
  const [, type, chosen = ""] = /^([a-z]+\.[a-z]+) (\d{1,15})$/.exec(given) ?? [];
  return type === undefined ? { type: "", id: given } : { type, id: chosen };
}

/** Returns the text of an object in a form, `web-01 (device #3)`; without a type, the text that the user typed. */
export function targetText(
  { targets }: Pick<GenericReference, "targets">,
  { type, id }: TargetState,
  options: readonly SelectOption[],
): string {
  const target = targets.find(({ objectType }) => objectType === type);
  const option = options.find(([value]) => value === id);
  if (target === undefined) return id;
  if (id === "") return hiddenText(target);
  return suggestionText({ id, noun: nounOf(target) }, option?.[1] ?? "");
}

/** Returns the object with exactly the typed name; unchanged if there is none, or more than one. */
export async function findTarget(
  call: Call,
  { targets }: Pick<GenericReference, "targets">,
  state: TargetState,
): Promise<TargetState> {
  if (state.type !== "") return state;
  const found = await Promise.all(targets.map(async (target) => {
    const ids = await findNamed(call, target, state.id);
    return ids.map((id) => ({ type: target.objectType, id }));
  }));
  const [only, ...others] = found.flat();
  return only === undefined || others.length > 0 ? state : only;
}

/** Returns the ids of objects with exactly this name, at most two. One statement. */
export async function findNamed(call: Call, target: Resource, name: string): Promise<string[]> {
  return (await idsByName(call, target, [name])).get(name) ?? [];
}

/** Returns the ids of objects by their exact names; at most two of a single name. At most one statement. */
async function idsByName(
  call: Call,
  target: Resource,
  names: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const field = nameField(call, target);
  const searched = names.filter(isSearchable);
  if (field === undefined || searched.length === 0) return new Map();
  // With `start`, a list is not counted.
  const params = { [exactly(field)]: searched, start: 0, limit: searched.length === 1 ? MAX_NAMED : 0 };
  const { rows } = await readRows(call, target, { params, fields: ["id", field] });
  return new Map(
    [...Map.groupBy(rows, (row) => String(row[field]))].map(([name, found]) => [
      name,
      found.map(({ id }) => String(id)),
    ]),
  );
}

/** Returns the field with the names of objects; undefined if they have none, or the user may view none. */
function nameField({ ctx }: Call, target: Resource): string | undefined {
  if (!isGranted(ctx, "view", target.objectType)) return undefined;
  return ["name", "common_name"].find((one) => one in target.fields);
}

/** Returns the filter for the exact value: that of common names without a suffix finds parts of them. */
function exactly(field: string): string {
  return `${field}__exact`;
}

function isSearchable(name: string): boolean {
  return name !== "" && name.length <= MAX_FILTER_VALUE_CHARS;
}

/** Returns why a text is no object: none has this name, or several have it. One statement for each type. */
export async function notFoundText(
  call: Call,
  { targets }: Pick<GenericReference, "targets">,
  text: string,
): Promise<string> {
  const counts = await Promise.all(targets.map(async (target) => {
    const field = nameField(call, target);
    return field === undefined || !isSearchable(text)
      ? 0
      : await countRows(call, target, { [exactly(field)]: text });
  }));
  const count = counts.reduce((sum, one) => sum + one, 0);
  const [only] = targets.length === 1 ? targets : [];
  const what = count < 2
    ? `No ${listText(targets.map(({ label }) => label), "or")} is`
    : `${numberText(count)} ${only === undefined ? "objects" : pluralOf(only)} are`;
  return `${what} called ${quote(text)}. Choose one of the suggestions.`;
}
