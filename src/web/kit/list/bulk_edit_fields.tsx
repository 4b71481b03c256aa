/** The fields of the form that edits several objects: what was posted, and their controls. */

import type { Call } from "../../call.ts";
import { addText, type FieldErrors } from "../../../base/findings.ts";
import { targetsOf } from "../reference/reference_text.ts";
import { type Field, type Out, shapeOf, type Values } from "../../../resource/mod.ts";
import { FieldInput } from "../form/field_input.tsx";
import { labelOf, sentenceOf } from "../../messages.ts";
import { Checkbox, type Html } from "../components/mod.ts";
import { textOf, textsOf } from "../../forms.ts";
import { helpOf } from "../form/help.ts";
import { readReferences } from "../reference/read_references.ts";
import type { View } from "../view.ts";
import { References } from "../reference/reference.tsx";
import { loadReference } from "../reference/choices.ts";

/** The controls for the tags to add and to remove. */
export const TAG_FIELDS = [["add_tags", "Add tags"], ["remove_tags", "Remove tags"]] as const;

/** A posted edit. */
export interface PostedEdit {
  /** New values by field; other fields keep theirs. */
  readonly values: Readonly<Values>;
  /** Ids of tags to add, and of those to remove. */
  readonly add: readonly number[];
  readonly remove: readonly number[];
  /** Why it is not tried. */
  readonly errors: FieldErrors;
}

/** Returns the fields that can be edited for several objects together. */
export function editedFields({ resource: { fields }, fields: own = {} }: View): Field[] {
  return ["tenant", ...Object.keys(own).filter((name) => own[name]?.together), "tags"].flatMap((name) =>
    fields[name]?.input === undefined ? [] : fields[name]
  );
}

/** Returns what the form contains. At most two statements for each reference. */
export async function postedEdit(call: Call, view: View): Promise<PostedEdit> {
  const { form } = call;
  const errors: FieldErrors = {};
  const values: Values = {};
  const idsOf = async (name: string, field: Field | undefined): Promise<number[]> => {
    const texts = textsOf(form, name).filter((text) => text.trim() !== "");
    const readings = field === undefined ? [] : await readReferences(call, targetsOf(field), texts);
    return readings.flatMap((reading) => {
      if (!("finding" in reading)) return Number(reading.id);
      addText(errors, name, sentenceOf(reading.finding));
      return [];
    });
  };
  await Promise.all(
    editedFields(view).filter(({ many }) => !many).map(async (field) => {
      const { name } = field;
      const text = textOf(form, name).trim();
      const removed = form.has(removalName(field));
      if (removed && text !== "") {
        addText(errors, name, "Enter a new value or remove the present one, not both.");
      }
      const value = removed
        ? emptyValue(field)
        : text === ""
        ? undefined
        : field.refers?.target === undefined
        ? text
        : (await idsOf(name, field))[0];
      if (value !== undefined) {
        values[name] = value;
      }
    }),
  );
  const { tags } = view.resource.fields;
  const [add = [], remove = []] = await Promise.all(TAG_FIELDS.map(([name]) => idsOf(name, tags)));
  if (add.some((tag) => remove.includes(tag))) {
    addText(errors, "remove_tags", "Choose to add or to remove a tag, not both.");
  }
  const isEmpty = Object.keys(values).length + add.length + remove.length === 0;
  if (isEmpty && Object.keys(errors).length === 0) {
    addText(errors, "__all__", "Choose at least one new value.");
  }
  return { values, add, remove, errors };
}

/** Returns the name of the checkbox that removes the values of a field. */
function removalName({ name }: Pick<Field, "name">): string {
  return `no_${name}`;
}

/** Returns the value of a field without a value; undefined if it always has one. */
function emptyValue(field: Field): unknown {
  return shapeOf(field).nullable ? null : field.fallback === "" ? "" : undefined;
}

/** Renders the control of a field, with a checkbox that removes its value. */
export async function valueControl(
  call: Call,
  view: View,
  { field, errors }: { field: Field; errors: FieldErrors },
): Promise<Html> {
  const { name, shown: { label = labelOf(name) } = {} } = field;
  const targets = targetsOf(field);
  const value = textOf(call.form, name);
  const reference = targets.length === 0
    ? undefined
    : await loadReference(call, targets, { name, values: [value] });
  const listed = shapeOf(field).choices !== undefined || reference?.options !== undefined;
  const help = listed
    ? ""
    : `${reference === undefined ? helpOf(view, field) : ""} Leave empty to keep the present values.`;
  const input = (
    <FieldInput
      field={{ ...field, required: false }}
      help={help.trim()}
      value={value}
      errors={errors}
      reference={reference}
      blank="Keep"
    />
  );
  if (emptyValue(field) === undefined) return input;
  return (
    <div class="field">
      {input}
      <Checkbox
        name={removalName(field)}
        label={`Remove the ${label.toLowerCase()}`}
        checked={call.form.has(removalName(field))}
      />
    </div>
  );
}

/** Renders a control for the tags to add, and one for those to remove: of the selected objects, if there are few. */
export async function tagControls(
  call: Call,
  field: Field,
  { objects, errors }: { objects: readonly Out[]; errors: FieldErrors },
): Promise<Html[]> {
  const held = objects.flatMap(tagsOf).map(String);
  const controls = await Promise.all(TAG_FIELDS.map(async ([name, label]) => {
    const values = textsOf(call.form, name).filter((text) => text !== "");
    const { options: all, ...loaded } = await loadReference(call, targetsOf(field), { name, values });
    const options = all?.filter(([id]) => name === "add_tags" || held.includes(id) || values.includes(id));
    if (options?.length === 0) return [];
    const reference = { ...loaded, ...(options === undefined ? {} : { options }) };
    return [<References field={{ name, label, errors }} reference={reference} values={values} />];
  }));
  return controls.flat();
}

export function tagsOf({ tags }: Out): number[] {
  return Array.isArray(tags) ? tags.map(({ id }) => Number(id)) : [];
}
