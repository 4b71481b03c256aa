/** What a form's fields may be set to: loaded once for all of them. */

import { type Field, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { SelectOption } from "../components/mod.ts";
import { choicesByIds, choicesFor, targetOf } from "./choices.ts";
import { type GenericReference, genericsOf } from "./generic_reference.ts";
import type { FormState, View } from "./view.ts";

/** What one field may be set to. */
export interface FieldChoices {
  readonly options: readonly SelectOption[];
  /** False where there are too many to list: the options are then those that are chosen already. */
  readonly all: boolean;
}

/** The same for each kind of object that a generic reference may mean. */
export interface TargetChoices extends FieldChoices {
  readonly target: Resource;
}

/** What the fields of a form may be set to. */
export interface Choices {
  /** Undefined where a field has no list to choose from. */
  of(field: Field): FieldChoices | undefined;
  targets(generic: GenericReference): readonly TargetChoices[];
}

/** Loads what all references among `fields` may be set to: two statements or four each. */
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
  const target = targetOf(field);
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
