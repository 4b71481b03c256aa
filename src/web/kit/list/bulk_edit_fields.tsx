/** The fields of the form that edits several objects: which there are, their controls, and what was posted. */

import { addError, type FieldErrors } from "../../../base/errors.ts";
import { type AnyObject, type Field, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Checkbox, type Html, Select, type SelectOption, TextField } from "../components/mod.ts";
import { textOf, textsOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { type LoadedReference, loadReference } from "../reference/choices.ts";
import { targetsOf } from "../reference/generic_reference.ts";
import { readReferences } from "../reference/read_references.ts";
import { Reference, References } from "../reference/reference.tsx";
import { helpOf } from "../form/help.ts";
import type { View } from "../view.ts";

/** Value of the choice that removes a reference. */
const NONE = "null";
/** The choice of fields that keep their values. */
const KEEP = ["", "Keep"] as const;

/** A posted edit. */
export interface PostedEdit {
  /** New values by field; other fields keep theirs. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Ids of tags to add. */
  readonly add: readonly number[];
  /** Ids of tags to remove. */
  readonly remove: readonly number[];
  readonly message: string;
  /** Texts that are not the name of an object. */
  readonly findings: FieldErrors;
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
  const findings: FieldErrors = {};
  const idsOf = async (name: string, field: Field): Promise<number[]> => {
    const texts = textsOf(form, name).filter((text) => text.trim() !== "");
    const readings = await readReferences(call, targetsOf(field), texts);
    return readings.flatMap((reading) => {
      if (!("finding" in reading)) return Number(reading.id);
      addError(findings, name, reading.finding);
      return [];
    });
  };
  /** Returns the posted value of a field; undefined to keep the values. */
  const newValue = async (field: Field): Promise<unknown> => {
    const { name } = field;
    const text = textOf(form, name).trim();
    if (form.has(removalName(field))) return emptyValue(field);
    if (field.target === undefined) return text === "" ? undefined : text;
    return text === NONE ? null : (await idsOf(name, field))[0];
  };
  const { tags } = view.resource.fields;
  const [values, add = [], remove = []] = await Promise.all([
    Promise.all(
      editedFields(view).filter(({ many }) => !many).map(async (field) =>
        [field.name, await newValue(field)] as const
      ),
    ),
    ...(tags === undefined ? [] : TAG_FIELDS.map(([name]) => idsOf(name, tags))),
  ]);
  return {
    values: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    add,
    remove,
    message: textOf(form, "changelog_message"),
    findings,
  };
}

/** The controls for the tags to add and to remove. */
const TAG_FIELDS = [["add_tags", "Add tags"], ["remove_tags", "Remove tags"]] as const;

/** Returns the errors of an edit that is not tried; undefined if there are none. */
export function editErrors(
  { form }: Call,
  { values, add, remove, findings }: PostedEdit,
): FieldErrors | undefined {
  if (Object.keys(findings).length > 0) return findings;
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
  return add.some((tag) => remove.includes(tag))
    ? { remove_tags: ["Choose to add or to remove a tag, not both."] }
    : undefined;
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
  const removable = emptyValue(field) !== undefined;
  const targets = targetsOf(field);
  const reference = targets.length === 0
    ? undefined
    : await loadReference(call, targets, { name, values: [value] });
  const choices = choicesOf(field);
  if (choices !== undefined) {
    return <Select name={name} label={label} value={value} options={[KEEP, ...choices]} errors={errors} />;
  }
  const help = `${
    reference === undefined ? helpOf(view, field) : ""
  } Leave empty to keep the present values.`;
  const common = { name, label, errors, help: reference?.options === undefined ? help.trim() : "" };
  const none = removable ? [[NONE, `No ${label.toLowerCase()}`] as const] : [];
  const input = reference === undefined
    ? <TextField {...common} value={value} />
    : <Reference field={common} reference={reference} values={[value]} empty={[KEEP, ...none]} />;
  if (!removable || reference?.options !== undefined) return input;
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
  const held = new Set(
    objects.flatMap(({ tags }) => Array.isArray(tags) ? tags.map(({ id }) => String(id)) : []),
  );
  const controls = await Promise.all(TAG_FIELDS.map(async ([name, label]) => {
    const values = textsOf(call.form, name).filter((text) => text !== "");
    const loaded = await loadReference(call, targetsOf(field), { name, values });
    const isShown = ([id]: SelectOption): boolean =>
      name === "add_tags" || held.has(id) || values.includes(id);
    const reference: LoadedReference = loaded.options === undefined
      ? loaded
      : { ...loaded, options: loaded.options.filter(isShown) };
    if (reference.options?.length === 0) return [];
    return [<References field={{ name, label, errors }} reference={reference} values={values} />];
  }));
  return controls.flat();
}
