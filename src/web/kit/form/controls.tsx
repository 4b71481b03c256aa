/** The controls of the form of an object. */

import type { FieldErrors } from "../../../base/errors.ts";
import { type Field, isCustomMember, type Out } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, FileField, type Html } from "../components/mod.ts";
import { FieldInput } from "./field_input.tsx";
import { FilterRows } from "../filters/filter_picker.tsx";
import { chosenIn } from "./form_state.ts";
import { fileOf } from "../../forms.ts";
import { loadReference } from "../reference/choices.ts";
import { targetsOf } from "../reference/reference_text.ts";
import { helpOf } from "./help.ts";
import { choiceName, isChosen, type Parts } from "./parts.ts";
import type { Fieldset, FormState, View } from "../view.ts";
import { labelOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { listTitle, nounOf } from "../../type_label.ts";

/** Renders the control of each field. At most two statements for each type to which a reference can refer. */
export async function formControls(
  call: Call,
  view: View,
  { fields, errors, object, state }: {
    readonly fields: readonly Field[];
    readonly errors: FieldErrors;
    readonly object?: Out;
    readonly state: FormState;
  },
): Promise<Content> {
  const { fields: own = {}, parts } = view;
  const chosen = chosenIn(view, state);
  const helps = parts?.help?.(chosen) ?? {};
  const required = parts?.required?.(chosen) ?? [];
  const control = async (field: Field): Promise<Content> => {
    const { name } = field;
    const { choices, suggestions, proposals, blank } = own[name] ?? {};
    const value = state[name] ?? "";
    const targets = choices === undefined ? targetsOf(field) : [];
    const [reference, suggested, proposed] = await Promise.all([
      targets.length === 0 ? undefined : loadReference(call, targets, { name, values: [value].flat() }),
      suggestions?.(call),
      proposals?.load(call),
    ]);
    return (
      <FieldInput
        field={field}
        help={helps[name] ?? helpOf(view, field)}
        value={value}
        errors={errors}
        choices={choices?.()}
        reference={reference}
        suggestions={suggested}
        proposals={proposed}
        changing={object !== undefined}
        required={required.includes(name)}
        blank={blank}
      />
    );
  };
  const controls = async (some: readonly Field[]): Promise<Content[]> => await Promise.all(some.map(control));
  const custom = fields.filter(isCustomMember);
  const folded = new Set(Object.values(own).flatMap(({ picker }) => picker?.also ?? []));
  const render = async (field: Field): Promise<Content> => {
    const { name } = field;
    // All custom fields are together, in their groups.
    if (isCustomMember(field)) {
      const groups = field === custom[0] ? [...Map.groupBy(custom, (one) => one.custom.group)] : [];
      return await Promise.all(groups.map(async ([group, members]) => (
        <fieldset class="custom-group">
          <legend>{group === "" ? "Custom fields" : group}</legend>
          {await controls(members)}
        </fieldset>
      )));
    }
    if (folded.has(name)) return null;
    if (parts !== undefined && name === parts.by && isChosen(parts, chosen)) {
      return <ChosenKind parts={parts} field={field} value={chosen} />;
    }
    const { picker, note, file } = own[name] ?? {};
    const notes = [
      file ? <FileField name={fileOf(name)} label="or choose a file" accept=".csv,.txt,text/*" /> : null,
      await note?.(call, state) ?? null,
    ];
    if (picker === undefined) return [await control(field), notes];
    const advanced = await controls([...fields.filter((one) => picker.also?.includes(one.name)), field]);
    return [await FilterRows({ call, view, state, errors, name, picker, advanced }), notes];
  };
  const rendered = new Map(
    await Promise.all(fields.map(async (field) => [field.name, await render(field)] as const)),
  );
  return <Sections view={view} fields={fields} errors={errors} state={state} rendered={rendered} />;
}

/** Renders the controls in the sections of the view; those in no section come before the collapsed ones. */
function Sections(
  { view: { form: { sections = [] } = {} }, fields, errors, state, rendered }: {
    view: View;
    fields: readonly Field[];
    errors: FieldErrors;
    state: FormState;
    rendered: ReadonlyMap<string, Content>;
  },
): Html {
  const [folded = [], open = []] = [true, false].map((one) =>
    sections.filter(({ folded = false }) => folded === one)
  );
  const inSections = new Set(sections.flatMap((one) => one.fields));
  const rest = { title: "", fields: fields.map(({ name }) => name).filter((name) => !inSections.has(name)) };
  return (
    <>
      {[...open, rest, ...folded].map((fieldset: Fieldset): Content => {
        const { title, about, insteadOf } = fieldset;
        const own = fieldset.fields.flatMap((name) => fields.find((field) => field.name === name) ?? []);
        if (own.length === 0) return null;
        const body = (
          <>
            {about === undefined ? null : <p class="faint">{about}</p>}
            <div class="fields">{own.map(({ name }) => rendered.get(name))}</div>
          </>
        );
        if (fieldset.folded) {
          const isRead = insteadOf !== undefined && !isUntouched(state[insteadOf], undefined);
          const isOpen = own.some(({ name, fallback }) =>
            name in errors || (!isRead && !isUntouched(state[name], fallback))
          );
          return (
            <details class="fieldset" open={isOpen}>
              <summary>{title}</summary>
              {body}
            </details>
          );
        }
        return title === "" ? body : (
          <fieldset class="fieldset">
            <legend>{title}</legend>
            {body}
          </fieldset>
        );
      })}
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
  return Object.fromEntries(
    fields.flatMap(({ name, shown: { label } = {} }) => label === undefined ? [] : [[name, label]]),
  );
}

/** Returns whether a field is empty or has the value of new objects. */
export function isUntouched(value: FormState[string] | undefined, fallback: unknown): boolean {
  return value === undefined || value.length === 0 || value === "false" || value === String(fallback);
}

/** Renders the fixed value that decides the members of an object. */
function ChosenKind({ parts, field, value }: { parts: Parts; field: Field; value: string }): Html {
  return (
    <div class="field">
      <span class="label">{field.shown?.label ?? labelOf(field.name)}</span>
      <p>{choiceName(parts, value)}</p>
      <input type="hidden" name={field.name} value={value} />
    </div>
  );
}

/** Asks for the kind of a new object before its form; other parameters of the URL are kept. */
export function choosePage(call: Call, view: View, parts: Parts): Response {
  const { resource } = view;
  const entries = parts.choices().map(([value, name, about]) => {
    const query = new URLSearchParams(call.query);
    query.set(parts.by, value);
    return { href: `${listPath(resource)}new/?${query}`, name, about };
  });
  return page(
    call,
    { title: `New ${nounOf(resource)}`, above: [[listTitle(view.resource), listPath(resource)]] },
    <ul class="choose">
      {entries.map(({ href, name, about }) => (
        <li>
          <a href={href}>{name}</a>
          <small>{about}</small>
        </li>
      ))}
    </ul>,
  );
}

/** Returns the query of the form of a kind, so that its URL has the kind after an error, too. */
export function chosenQuery(view: View, state: FormState): string {
  const chosen = chosenIn(view, state);
  return view.parts === undefined || !isChosen(view.parts, chosen)
    ? ""
    : `?${new URLSearchParams({ [view.parts.by]: chosen })}`;
}
