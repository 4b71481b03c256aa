/** The fields of the form that edits several objects: which there are, their controls, and what was posted. */

import { isSameValue } from "../../../changes/mod.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { type AnyObject, type Field, type Resource, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  Checkbox,
  CheckboxList,
  type Html,
  Select,
  type SelectOption,
  TextField,
} from "../components/mod.ts";
import { textOf, textsOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { choicesFor } from "../reference/choices.ts";
import { idText } from "../reference/suggestion_text.ts";
import { isReference, replaceSuggestions } from "../reference/target_text.ts";
import { helpOf } from "../form/help.ts";
import { SeveralReferences } from "../reference/reference_input.tsx";
import type { View } from "../view.ts";

/** Value of the choice that removes a reference. */
const NONE = "null";
/** The choice of fields that keep their values. */
const KEEP = ["", "Keep"] as const;

/** A posted edit. */
export interface PostedEdit {
  /** New values by field; other fields keep theirs. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Tags to add. */
  readonly add: readonly unknown[];
  /** Tags to remove. */
  readonly remove: readonly unknown[];
  readonly message: string;
}

/** Returns the fields that can be edited for several objects together. */
export function editedFields({ resource: { fields }, bulkFields = [] }: View): Field[] {
  return ["tenant", ...bulkFields, "tags"].flatMap((name) =>
    fields[name]?.input === undefined ? [] : fields[name]
  );
}

/** Returns what the form contains. */
export async function postedEdit(call: Call, view: View): Promise<PostedEdit> {
  const { form } = call;
  const { target } = view.resource.fields.tags ?? {};
  await replaceSuggestions(call, [
    ...editedFields(view).filter(isReference),
    ...["add_tags", "remove_tags"].map((name) => ({ name, ...(target === undefined ? {} : { target }) })),
  ]);
  const tags = (name: string): unknown[] =>
    textsOf(form, name).map(idText).map(referenceOf).filter((one) => one !== undefined);
  return {
    values: Object.fromEntries(
      editedFields(view).map((field) => [field.name, newValue(call, field)]).filter(([, value]) =>
        value !== undefined
      ),
    ),
    add: tags("add_tags"),
    remove: tags("remove_tags"),
    message: textOf(form, "changelog_message"),
  };
}

/** Returns the posted value of a field; undefined to keep the values. */
function newValue({ form }: Call, field: Field): unknown {
  const { name } = field;
  if (field.many) return undefined;
  const text = textOf(form, name).trim();
  if (form.has(removalName(field))) return emptyValue(field);
  if (field.target === undefined) return text === "" ? undefined : text;
  const given = idText(text);
  return given === NONE ? null : referenceOf(given);
}

/** Returns the errors of an edit that is not tried; undefined if there are none. */
export function editErrors({ form }: Call, { values, add, remove }: PostedEdit): FieldErrors | undefined {
  if (Object.keys(values).length + add.length + remove.length === 0) {
    return { __all__: ["Choose at least one new value."] };
  }
  const both = Object.keys(values).filter((name) =>
    form.has(removalName({ name })) && textOf(form, name).trim() !== ""
  );
  if (both.length > 0) {
    return Object.fromEntries(
      both.map((name) => [name, ["Enter a new value or remove the present one, not both."]]),
    );
  }
  return add.some((tag) => remove.some((other) => isSameValue(tag, other)))
    ? { remove_tags: ["Choose to add or to remove a tag, not both."] }
    : undefined;
}

/** Returns a reference by id or by name; undefined for an empty text. */
function referenceOf(text: string): unknown {
  return text === "" ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : { name: text };
}

/** Returns the name of the checkbox that removes the values of a field. */
function removalName({ name }: Pick<Field, "name">): string {
  return `no_${name}`;
}

/** Returns the value of a field without a value; undefined if it always has one. */
function emptyValue(field: Field): unknown {
  return shapeOf(field).nullable ? null : field.fallback === "" ? "" : undefined;
}

/** Renders the controls, and returns the names of those that show their own errors. */
export async function fieldControls(
  call: Call,
  view: View,
  { objects, errors }: { objects: readonly AnyObject[]; errors: FieldErrors },
): Promise<{ controls: Html[]; shown: readonly string[] }> {
  const fields = editedFields(view);
  const controls = await Promise.all(
    fields.map(async (field) =>
      field.many
        ? await tagControls(call, field, { objects, errors })
        : [await valueControl(call, view, { field, errors })]
    ),
  );
  const shown = fields.flatMap(({ many, name }) => many ? ["add_tags", "remove_tags"] : [name]);
  return { controls: controls.flat(), shown };
}

/** Renders a select if there are few choices, else a text field with a checkbox that removes the value. */
async function valueControl(
  call: Call,
  view: View,
  { field, errors }: { field: Field; errors: FieldErrors },
): Promise<Html> {
  const { name, label = labelOf(name) } = field;
  const value = textOf(call.form, name);
  const target = field.target?.();
  const options = target === undefined ? choicesOf(field) : await choicesFor(call, target);
  const removable = emptyValue(field) !== undefined;
  if (options !== undefined) {
    const none = target === undefined || !removable ? [] : [[NONE, `No ${label.toLowerCase()}`] as const];
    const all = [KEEP, ...none, ...options];
    return <Select name={name} label={label} value={value} options={all} errors={errors} />;
  }
  const help = target === undefined ? helpOf(view, field) : "Search by name.";
  const input = (
    <TextField
      name={name}
      label={label}
      value={value}
      {...(target === undefined ? {} : { suggest: `/suggest${listPath(target)}` })}
      help={`${help} Leave empty to keep the present values.`.trim()}
      errors={errors}
    />
  );
  if (!removable) return input;
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

/** Returns the choices of a field; undefined for free texts. */
function choicesOf(field: Field): SelectOption[] | undefined {
  const { labels = {} } = field;
  return shapeOf(field).choices?.map((value) => [value, labels[value] ?? value.replaceAll("_", " ")]);
}

/** Renders a control for the tags to add, and one for those to remove: of the selected objects, if there are few. */
async function tagControls(
  call: Call,
  field: Field,
  { objects, errors }: { objects: readonly AnyObject[]; errors: FieldErrors },
): Promise<Html[]> {
  const target = field.target?.() as Resource;
  const options = await choicesFor(call, target);
  const held = new Set(
    objects.flatMap(({ tags }) => (tags as readonly { id: number }[]).map(({ id }) => String(id))),
  );
  return ([["add_tags", "Add tags"], ["remove_tags", "Remove tags"]] as const).flatMap(([name, label]) => {
    const values = textsOf(call.form, name).filter((text) => text !== "");
    if (options === undefined) {
      const common = { name, label, help: "", errors };
      return [<SeveralReferences common={common} target={target} texts={values} options={[]} />];
    }
    const shown = name === "add_tags"
      ? options
      : options.filter(([id]) => held.has(id) || values.includes(id));
    if (shown.length === 0) return [];
    return [<CheckboxList name={name} label={label} values={values} options={shown} errors={errors} />];
  });
}
