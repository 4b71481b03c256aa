/** Forms with the session's token; fields with label, help and errors. */

import type { FieldErrors } from "../../../base/errors.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { CSRF_FIELD } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import type { Content, Html } from "./html.ts";

/** Renders a form that is posted to `action`. */
export function Form(
  props: {
    call: Call;
    action: string;
    class?: string;
    id?: string;
    files?: boolean;
    /** Whether a script asks before edits are lost. */
    kept?: boolean;
    children?: Content;
  },
): Html {
  return (
    <form
      method="post"
      action={props.action}
      class={props.class}
      id={props.id}
      enctype={props.files ? "multipart/form-data" : undefined}
      data-kept={props.kept ? "" : undefined}
    >
      <input type="hidden" name={CSRF_FIELD} value={props.call.formToken} />
      {props.children}
    </form>
  );
}

/** Common properties of fields. */
export interface FieldProps {
  readonly name: string;
  readonly label?: string;
  readonly help?: string;
  readonly errors?: FieldErrors;
  readonly required?: boolean;
  readonly autofocus?: boolean;
}

/** Renders a field with label, help and errors. */
function LabelledField({ field, children }: { field: FieldProps; children: Content }): Html {
  const { name, label = labelOf(name), help, required } = field;
  return (
    <div class="field">
      <label for={controlId(name)}>
        {label}
        {required ? <span class="required" title="required">*</span> : null}
      </label>
      {children}
      <FieldError name={name} errors={field.errors} />
      {help === undefined || help === "" ? null : <small id={`${controlId(name)}-help`}>{help}</small>}
    </div>
  );
}

export function FieldError(
  { name, errors }: { name: string; errors?: FieldErrors | undefined },
): Html | null {
  const texts = messagesAt(errors, name);
  if (texts.length === 0) return null;
  return <small class="error" id={`${controlId(name)}-error`}>{texts.join(" ")}</small>;
}

/** Returns the messages about a field. */
export function messagesAt(errors: FieldErrors | undefined, name: string): readonly string[] {
  return errors !== undefined && Object.hasOwn(errors, name) ? errors[name] ?? [] : [];
}

/** Returns the id of a field's control. */
export function controlId(name: string): string {
  return `f-${name}`;
}

/** Returns the ARIA attributes that connect a field with its help and errors. */
export function described({ name, help, errors, required, autofocus }: FieldProps): Record<string, unknown> {
  const wrong = messagesAt(errors, name).length > 0;
  const ids = [
    ...(wrong ? [`${controlId(name)}-error`] : []),
    ...(help === undefined || help === "" ? [] : [`${controlId(name)}-help`]),
  ];
  return {
    id: controlId(name),
    name,
    required,
    autofocus,
    "aria-invalid": wrong ? "true" : undefined,
    "aria-describedby": ids.length === 0 ? undefined : ids.join(" "),
  };
}

/** Returns a posted text for showing it again; empty if it contains a private key. */
export function withoutPrivateKey(text: string): string {
  return holdsPrivateKey(text) ? "" : text;
}

/** Renders an input; `type` can be a number, a password or a time. */
export function TextField(
  props: FieldProps & {
    value?: string;
    type?: "text" | "password" | "number" | "datetime-local" | "date" | "url";
    /** Granularity of a number; default: whole numbers. */
    step?: "any";
    autocomplete?: string;
    /** Path of suggestions for a script (`/suggest/tenants/`). */
    suggest?: string;
    /** Texts that the browser suggests. */
    list?: readonly string[];
  },
): Html {
  const { list = [] } = props;
  const listId = `${controlId(props.name)}-list`;
  return (
    <LabelledField field={props}>
      <input
        {...described(props)}
        type={props.type ?? "text"}
        value={props.value === undefined ? undefined : withoutPrivateKey(props.value)}
        autocomplete={props.autocomplete ?? "off"}
        step={props.type === "datetime-local" ? 1 : props.step}
        data-suggest={props.suggest}
        list={list.length === 0 ? undefined : listId}
      />
      {list.length === 0 ? null : (
        <datalist id={listId}>
          {list.map((one) => <option value={one} />)}
        </datalist>
      )}
      {props.suggest === undefined ? null : <ComboboxScript />}
    </LabelledField>
  );
}

/** Loads the script of comboboxes; a page that loads it several times runs it once (HTML §8.1.3.8). */
export function ComboboxScript(): Html {
  return <script type="module" src={assetPath("combobox.js")}></script>;
}

export function TextArea(
  props: FieldProps & {
    value?: string;
    rows?: number;
    mono?: boolean;
    placeholder?: string;
  },
): Html {
  const value = withoutPrivateKey(props.value ?? "");
  return (
    <LabelledField field={props}>
      <textarea
        {...described(props)}
        rows={props.rows ?? 3}
        class={props.mono ? "mono" : undefined}
        placeholder={props.placeholder}
        {...(props.mono ? NO_SPELLING : {})}
      >
        {/* A parser drops the first line break after the tag (HTML §13.1.2.5). */}
        {value.startsWith("\n") ? `\n${value}` : value}
      </textarea>
    </LabelledField>
  );
}

/** PEM text is not spell-checked. */
const NO_SPELLING: Record<string, unknown> = { spellcheck: "false" };

/** A choice, and the heading of its group. */
export type SelectOption = readonly [value: string, label: string, group?: string];

/** Renders a select with one or several choices. */
export function Select(
  props: FieldProps & {
    value: string | readonly string[];
    options: readonly SelectOption[];
    multiple?: boolean;
  },
): Html {
  const chosen = typeof props.value === "string" ? [props.value] : props.value;
  const size = props.multiple ? Math.min(Math.max(props.options.length, 3), 8) : undefined;
  return (
    <LabelledField field={props}>
      <select {...described(props)} multiple={props.multiple} size={size}>
        {[...Map.groupBy(props.options, ([, , group = ""]) => group)].map(([group, options]) => {
          const own = options.map(([value, label]) => (
            <option value={value} selected={chosen.includes(value)}>{label}</option>
          ));
          return group === "" ? own : <optgroup label={group}>{own}</optgroup>;
        })}
      </select>
    </LabelledField>
  );
}

/** Renders a checkbox, which sends `true` or nothing. */
export function Checkbox(props: FieldProps & { checked?: boolean }): Html {
  return (
    <div class="field check">
      <label for={controlId(props.name)}>
        <input {...described(props)} type="checkbox" value="true" checked={props.checked} />
        {props.label ?? labelOf(props.name)}
      </label>
      <FieldError name={props.name} errors={props.errors} />
      {props.help === undefined || props.help === ""
        ? null
        : <small id={`${controlId(props.name)}-help`}>{props.help}</small>}
    </div>
  );
}

/** Renders a file input. */
export function FileField(props: FieldProps & { accept?: string; multiple?: boolean }): Html {
  return (
    <LabelledField field={props}>
      <input {...described(props)} type="file" accept={props.accept} multiple={props.multiple} />
    </LabelledField>
  );
}
