/** Loads the choices of all fields of a form. */

import { type Field, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { SelectOption } from "../components/mod.ts";
import { choicesByIds, choicesFor, referenceTarget } from "./choices.ts";
import { type GenericReference, genericsOf } from "./generic_reference.ts";
import type { FormState, View } from "./view.ts";

/** Choices of a field. */
export interface FieldChoices {
  readonly options: readonly SelectOption[];
  /** False if there are too many to list; then only the current choices are included. */
  readonly all: boolean;
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
  return target === undefined ? undefined : await choose(call, target, [state[field.name] ?? ""].flat());
}

async function targetsOf(
  call: Call,
  { targets, type, id }: GenericReference,
  state: FormState,
): Promise<TargetChoices[]> {
  return await Promise.all(targets.map(async (target) => {
    const chosen = state[type.name] === target.objectType ? [String(state[id.name] ?? "")] : [];
    return { target, ...await choose(call, target, chosen) };
  }));
}

async function choose(call: Call, target: Resource, chosen: readonly string[]): Promise<FieldChoices> {
  const options = await choicesFor(call, target);
  if (options !== undefined) return { options, all: true };
  return { options: await choicesByIds(call, target, chosen), all: false };
}
