/** The control of a generic reference, for forms that are not made from a resource. */

import type { FieldErrors } from "../../../base/errors.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import type { Html } from "../components/mod.ts";
import { targetsOf } from "../form/form_choices.ts";
import { idText } from "./suggestion_text.ts";
import { type GenericReference, genericsOf } from "./generic_reference.ts";
import { TargetInput } from "./target_input.tsx";
import {
  findTarget,
  notFoundText,
  parseTarget,
  replaceSuggestions,
  type TargetState,
} from "./target_text.ts";

/**
 * Renders the control for the only generic reference of a resource, with the posted value; undefined without objects.
 */
export async function targetControl(
  call: Call,
  resource: Resource,
  errors: FieldErrors,
): Promise<Html | undefined> {
  const generic = genericOf(resource);
  const { type, id } = await postedTarget(call, resource);
  const state = { [generic.type.name]: type, [generic.id.name]: id };
  const choices = await targetsOf(call, generic, state);
  if (choices.every(({ all, options }) => all && options.length === 0)) return undefined;
  return <TargetInput generic={generic} choices={choices} state={state} errors={errors} />;
}

/** Returns the posted object: its type, and its id or another text. */
async function postedTarget(call: Call, resource: Resource): Promise<TargetState> {
  const { form } = call;
  const generic = genericOf(resource);
  await replaceSuggestions(call, [], [generic]);
  if (form.has(generic.name)) return parseTarget(textOf(form, generic.name), generic);
  return { type: textOf(form, generic.type.name), id: idText(textOf(form, generic.id.name)) };
}

/** Returns the posted object; for a name that was typed, the object with it. */
export async function namedTarget(call: Call, resource: Resource): Promise<TargetState> {
  return await findTarget(call, genericOf(resource), await postedTarget(call, resource));
}

/** Returns why the text of an object is none. */
export async function unknownTarget(call: Call, resource: Resource, text: string): Promise<string> {
  return await notFoundText(call, genericOf(resource), text);
}

function genericOf(resource: Resource): GenericReference {
  const [generic] = genericsOf(resource);
  if (generic === undefined) throw new Error(`${resource.objectType} has no generic reference`);
  return generic;
}
