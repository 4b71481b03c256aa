/** Loads the choices of all fields of a form. */

import { type Field, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { SelectOption } from "../components/mod.ts";
import {
  choicesFor,
  chosenByIds,
  type Details,
  MAX_SELECT_OPTIONS,
  referenceTarget,
  SUGGESTIONS,
  type Suggestions,
  suggestionsFor,
} from "../reference/choices.ts";
import { type GenericReference, genericsOf } from "../reference/generic_reference.ts";
import type { FormState, View } from "../view.ts";

export interface FieldChoices {
  readonly options: readonly SelectOption[];
  /** False if there are too many to list; then only the current choices are included. */
  readonly all: boolean;
  /** What the form shows of the current choices, if they are certificates. */
  readonly details?: Details;
  /** Matches of the text of the field, if the user searches without scripts. */
  readonly found?: Suggestions;
}

/** Choices by object type, for generic references. */
export interface TargetChoices extends FieldChoices {
  readonly target: Resource;
}

/** Choices of the fields of a form. */
export interface Choices {
  /** Returns the choices of a field; undefined if it has none. */
  of(field: Field): FieldChoices | undefined;
  targets(generic: GenericReference): readonly TargetChoices[];
}

/** Name of the button that searches without scripts; its value is the name of a field. */
export const FIND = "find";

/** Loads the choices of all references in `fields`, with two or four statements each. */
export async function loadChoices(
  call: Call,
  view: View,
  { fields, state }: { fields: readonly Field[]; state: FormState },
): Promise<Choices> {
  const generics = genericsOf(view.resource).filter(({ type }) => fields.includes(type));
  const [ofFields, ofGenerics] = await Promise.all([
    Promise.all(
      fields.map(async (field) => [field.name, await choicesOf(call, view, { field, state })] as const),
    ),
    Promise.all(generics.map(async (one) => [one.name, await targetsOf(call, one, state)] as const)),
  ]);
  const [byField, byGeneric] = [new Map(ofFields), new Map(ofGenerics)];
  return {
    of: ({ name }) => byField.get(name),
    targets: ({ name }) => byGeneric.get(name) ?? [],
  };
}

async function choicesOf(
  call: Call,
  view: View,
  { field, state }: { field: Field; state: FormState },
): Promise<FieldChoices | undefined> {
  const own = view.options?.[field.name]?.();
  if (own !== undefined) return { options: own, all: true };
  const target = referenceTarget(field);
  return target === undefined ? undefined : await choose(call, target, {
    chosen: [state[field.name] ?? ""].flat(),
    searched: isSearched(call, field),
  });
}

/** Loads the choices of a generic reference, by object type. */
export async function targetsOf(
  call: Call,
  { name, targets, type, id }: GenericReference,
  state: FormState,
): Promise<TargetChoices[]> {
  const searched = call.form.get(FIND) === name;
  const text = String(state[id.name] ?? "");
  const choices = await Promise.all(targets.map(async (target) => {
    const isChosen = searched || state[type.name] === target.objectType;
    const chosen = isChosen ? [text] : [];
    return { target, ...await choose(call, target, { chosen, searched }) };
  }));
  const isLong = choices.some(({ all }) => !all) ||
    choices.flatMap(({ options }) => options).length > MAX_SELECT_OPTIONS;
  return isLong
    ? choices.map((one) => one.all ? { ...one, ...within(one, { text, searched }) } : one)
    : choices;
}

/** Returns choices of which a form lists only the current one, or the matches of a search. */
function within(
  { options }: FieldChoices,
  { text, searched }: { text: string; searched: boolean },
): FieldChoices {
  if (!searched) return { options: options.filter(([value]) => value === text), all: false };
  const found = options.filter(([, label]) => label.toLowerCase().includes(text.toLowerCase()));
  return {
    options: [],
    all: false,
    found: { options: found.slice(0, SUGGESTIONS), more: found.length > SUGGESTIONS },
  };
}

/** Returns whether the user searches for the object of this field. */
function isSearched({ form }: Call, { name }: Field): boolean {
  return form.get(FIND) === name;
}

async function choose(
  call: Call,
  target: Resource,
  { chosen, searched }: { chosen: readonly string[]; searched: boolean },
): Promise<FieldChoices> {
  const options = await choicesFor(call, target);
  if (options !== undefined) return { options, all: true };
  if (!searched) return { ...await chosenByIds(call, target, chosen), all: false };
  return { options: [], all: false, found: await suggestionsFor(call, target, chosen[0] ?? "") };
}
