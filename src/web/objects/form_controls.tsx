/** The controls of the form of an object. */

import type { FieldErrors } from "../../base/errors.ts";
import { type Field, isCustomMember } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { Content } from "../components/mod.ts";
import { ChosenKind } from "./choose_kind.tsx";
import { CustomGroups } from "./custom_groups.tsx";
import { FieldInput } from "./field_input.tsx";
import { FilterPickerControls, PICK } from "./filter_picker.tsx";
import { loadChoices } from "./form_choices.ts";
import { Sections } from "./form_sections.tsx";
import { chosenIn } from "./form_state.ts";
import { genericsOf } from "./generic_reference.ts";
import { helpOf } from "./help.ts";
import { isChosen } from "./parts.ts";
import { filtersOfForm } from "./stored_filter.tsx";
import { TargetInput } from "./target_input.tsx";
import type { ApiObject, FormState, View } from "./view.ts";

/** Renders the control of each field; the two fields of a generic reference share one. */
export async function formControls(
  call: Call,
  view: View,
  { fields, errors, object, state }: {
    readonly fields: readonly Field[];
    readonly errors: FieldErrors;
    readonly object?: ApiObject;
    readonly state: FormState;
  },
): Promise<Content> {
  const generics = genericsOf(view.resource);
  const choices = await loadChoices(call, view, { fields, state });
  const suggestions = await loadSuggestions(call, view);
  const own = view.parts?.help?.(chosenIn(view, state)) ?? {};
  const control = (field: Field): Content => (
    <FieldInput
      field={field}
      help={own[field.name] ?? helpOf(view, field)}
      value={state[field.name] ?? ""}
      errors={errors}
      choices={choices.of(field)}
      suggestions={suggestions.get(field.name)}
      changing={object !== undefined}
    />
  );
  const firstCustom = fields.find(isCustomMember);
  const shown = fields.filter((field) => !generics.some(({ id }) => id.name === field.name));
  const folded = new Set(Object.values(view.pickers ?? {}).flatMap(({ also = [] }) => also));
  const words = await filtersInForm(call, view, state);
  const render = (field: Field): Content => {
    // All custom fields are together, in their groups.
    if (field === firstCustom) {
      return <CustomGroups members={fields.filter(isCustomMember)} control={control} />;
    }
    if (isCustomMember(field)) return null;
    if (folded.has(field.name)) return null;
    if (field.name === view.parts?.by && isChosen(view.parts, chosenIn(view, state))) {
      return <ChosenKind parts={view.parts} field={field} value={chosenIn(view, state)} />;
    }
    const generic = generics.find(({ type }) => type.name === field.name);
    const picker = view.pickers?.[field.name];
    const notes = view.notes?.[field.name]?.(call, state) ?? null;
    if (generic !== undefined) {
      return (
        <TargetInput generic={generic} choices={choices.targets(generic)} state={state} errors={errors} />
      );
    }
    const controls = picker === undefined ? control(field) : (
      <>
        {shown.filter(({ name }) => picker.also?.includes(name)).map(control)}
        {control(field)}
        <FilterPickerControls call={call} view={view} state={state} name={field.name} picker={picker} />
      </>
    );
    const inWords = words.get(field.name);
    if (inWords === undefined) return <>{controls}{notes}</>;
    // Without filters, the form offers to add some.
    const open = state[field.name] === undefined || state[field.name] === "" || call.form.has(PICK) ||
      [field.name, ...picker?.also ?? []].some((name) => name in errors);
    return (
      <div class="stored-filters">
        {inWords}
        <details class="fieldset" open={open}>
          <summary>Change the filters</summary>
          <div class="fields">{controls}</div>
        </details>
        {notes}
      </div>
    );
  };
  return <Sections view={view} fields={shown} errors={errors} state={state} render={render} />;
}

/** Renders the filters of the form in words, by the field with their text. */
async function filtersInForm(
  call: Call,
  { pickers = {} }: View,
  state: FormState,
): Promise<ReadonlyMap<string, Content>> {
  const words = Object.entries(pickers).map(async ([name, { list }]) =>
    list === undefined ? [] : [
      [
        name,
        await filtersOfForm(call, { resource: list(state), query: String(state[name] ?? "") }),
      ] as const,
    ]
  );
  return new Map((await Promise.all(words)).flat());
}

/** Returns the texts that the view suggests, by field. */
async function loadSuggestions(
  call: Call,
  { suggestions = {} }: View,
): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map(
    await Promise.all(
      Object.entries(suggestions).map(async ([name, load]) => [name, await load(call)] as const),
    ),
  );
}
