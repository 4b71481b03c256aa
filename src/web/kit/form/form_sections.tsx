/** The sections of a form. */

import type { FieldErrors } from "../../../base/errors.ts";
import type { Field } from "../../../resource/mod.ts";
import type { Content, Html } from "../components/mod.ts";
import type { Fieldset, FormState, View } from "../view.ts";

/** Renders the controls in the sections of the view; without sections, one after another. */
export function Sections(
  { view: { form: { sections = [] } = {} }, fields, errors, state, render }: {
    view: View;
    fields: readonly Field[];
    errors: FieldErrors;
    state: FormState;
    render: (field: Field) => Content;
  },
): Html {
  const inSections = new Set(sections.flatMap((one) => one.fields));
  const rest = fields.filter(({ name }) => !inSections.has(name));
  const section = (fieldset: Fieldset): Content => {
    const own = fieldset.fields.flatMap((name) => fields.find((field) => field.name === name) ?? []);
    if (own.length === 0) return null;
    const given = fieldset.readFrom !== undefined && !isUntouched(state[fieldset.readFrom], undefined);
    const open = own.some(({ name, fallback }) =>
      name in errors || (!given && !isUntouched(state[name], fallback))
    );
    return <Section fieldset={fieldset} open={open}>{own.map(render)}</Section>;
  };
  return (
    <>
      {sections.filter(({ folded }) => !folded).map(section)}
      {rest.length === 0 ? null : <div class="fields">{rest.map(render)}</div>}
      {sections.filter(({ folded }) => folded).map(section)}
    </>
  );
}

/** Returns the names of the fields in the order in which the form shows them. */
export function inOrder({ form: { sections = [] } = {} }: View, fields: readonly Field[]): string[] {
  const names = fields.map(({ name }) => name);
  return [...sections.flatMap((one) => one.fields).filter((name) => names.includes(name)), ...names];
}

/** Returns the labels of the fields with a separate label. */
export function labelsOf(fields: readonly Field[]): Record<string, string> {
  return Object.fromEntries(fields.flatMap(({ name, label }) => label === undefined ? [] : [[name, label]]));
}

/** Returns whether a field is empty or has the value of new objects. */
export function isUntouched(value: FormState[string] | undefined, fallback: unknown): boolean {
  return value === undefined || value.length === 0 || value === "false" || value === String(fallback);
}

function Section(
  { fieldset: { title, about, folded }, open, children }: {
    fieldset: Fieldset;
    open: boolean;
    children: Content;
  },
): Html {
  const body = (
    <>
      {about === undefined ? null : <p class="faint">{about}</p>}
      <div class="fields">{children}</div>
    </>
  );
  if (folded) {
    return (
      <details class="fieldset" open={open}>
        <summary>{title}</summary>
        {body}
      </details>
    );
  }
  if (title === "") return body;
  return (
    <fieldset class="fieldset">
      <legend>{title}</legend>
      {body}
    </fieldset>
  );
}
