/** The controls of the form of an object. */

import type { FieldErrors } from "../../../base/errors.ts";
import { type AnyObject, type Field, isCustomMember } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { Content } from "../components/mod.ts";
import { ChosenKind } from "./choose_kind.tsx";
import { CustomGroups } from "../detail/custom_groups.tsx";
import { FieldInput } from "./field_input.tsx";
import { FilterRows } from "../filters/filter_picker.tsx";
import { Sections } from "./form_sections.tsx";
import { chosenIn } from "./form_state.ts";
import { loadReference } from "../reference/choices.ts";
import { targetsOf } from "../reference/generic_reference.ts";
import { helpOf } from "./help.ts";
import { isChosen } from "./parts.ts";
import type { FieldView, FormState, View } from "../view.ts";

/** Renders the control of each field. At most two statements for each type to which a reference can refer. */
export async function formControls(
  call: Call,
  view: View,
  { fields, errors, object, state }: {
    readonly fields: readonly Field[];
    readonly errors: FieldErrors;
    readonly object?: AnyObject;
    readonly state: FormState;
  },
): Promise<Content> {
  const references = new Map(
    await Promise.all(
      fields.filter(({ name }) => view.fields?.[name]?.choices === undefined).map(async (field) => {
        const { name } = field;
        const values = [state[name] ?? ""].flat();
        const targets = targetsOf(field);
        return [
          name,
          targets.length > 0 ? await loadReference(call, targets, { name, values }) : undefined,
        ] as const;
      }),
    ),
  );
  const { fields: own = {} } = view;
  const suggestions = await loadEach(own, ({ suggestions }) => suggestions?.(call));
  const proposals = await loadEach(own, ({ proposals }) => proposals?.load(call));
  const helps = view.parts?.help?.(chosenIn(view, state)) ?? {};
  const required = view.create?.(call).required ?? view.parts?.required?.(chosenIn(view, state)) ?? [];
  const control = (field: Field): Content => (
    <FieldInput
      field={field}
      help={helps[field.name] ?? helpOf(view, field)}
      value={state[field.name] ?? ""}
      errors={errors}
      choices={own[field.name]?.choices?.()}
      reference={references.get(field.name)}
      suggestions={suggestions.get(field.name)}
      proposals={proposals.get(field.name)}
      changing={object !== undefined}
      required={required.includes(field.name)}
      blank={own[field.name]?.blank}
      visibleGroups={own[field.name]?.groups}
    />
  );
  const firstCustom = fields.find(isCustomMember);
  const folded = new Set(Object.values(own).flatMap(({ picker }) => picker?.also ?? []));
  const rows = new Map(
    await Promise.all(
      fields.flatMap((field) => {
        const picker = own[field.name]?.picker;
        if (picker === undefined) return [];
        const advanced = (
          <>{fields.filter(({ name }) => picker.also?.includes(name)).map(control)}{control(field)}</>
        );
        return [
          FilterRows({ call, view, state, errors, name: field.name, picker, advanced }).then((html) =>
            [field.name, html] as const
          ),
        ];
      }),
    ),
  );
  const noted = await loadEach(own, ({ note }) => note?.(call, state));
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
    const picker = own[field.name]?.picker;
    const notes = noted.get(field.name) ?? null;
    if (picker !== undefined) return <>{rows.get(field.name)}{notes}</>;
    return <>{control(field)}{notes}</>;
  };
  return <Sections view={view} fields={fields} errors={errors} state={state} render={render} />;
}

/** Loads something for each field that a view shows in another way. */
async function loadEach<Loaded>(
  fields: Readonly<Record<string, FieldView>>,
  load: (field: FieldView) => Loaded | Promise<Loaded>,
): Promise<ReadonlyMap<string, Loaded>> {
  return new Map(
    await Promise.all(
      Object.entries(fields).map(async ([name, field]) => [name, await load(field)] as const),
    ),
  );
}
