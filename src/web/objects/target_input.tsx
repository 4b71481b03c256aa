/** Inputs for generic references. */

import type { FieldErrors } from "../../base/errors.ts";
import { FieldError, type Html, Select } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import type { TargetChoices } from "./form_choices.ts";
import type { GenericReference } from "./generic_reference.ts";
import { namedOption, SearchedReference } from "./reference_input.tsx";
import type { FormState } from "./view.ts";

interface Props {
  readonly generic: GenericReference;
  readonly choices: readonly TargetChoices[];
  readonly state: FormState;
  readonly errors: FieldErrors;
}

/** Renders a select of all objects by type; with too many objects, a select for the type and an input. */
export function TargetInput(props: Props): Html {
  return props.choices.every(({ all }) => all) ? <OneList {...props} /> : <KindAndObject {...props} />;
}

function OneList({ generic, choices, state, errors }: Props): Html {
  const { name, description, type, id } = generic;
  const { required } = type;
  const texts = [...new Set([...messages(errors, type.name), ...messages(errors, id.name)])];
  const chosen = `${state[type.name] ?? ""} ${state[id.name] ?? ""}`;
  const wrong = texts.length > 0;
  return (
    <div class="field">
      <label for={`f-${name}`}>
        {labelOf(name)}
        {required ? <span class="required" title="required">*</span> : null}
      </label>
      <select
        id={`f-${name}`}
        name={name}
        required={required}
        aria-invalid={wrong ? "true" : undefined}
        aria-describedby={`${wrong ? `f-${name}-error ` : ""}f-${name}-help`}
      >
        <option value="">–</option>
        {chosen === " " || isListed(choices, chosen) ? null : (
          // The current target is hidden or deleted; it must not be removed silently.
          <option value={chosen} selected>{chosen}</option>
        )}
        {choices.filter(({ options }) => options.length > 0).map(({ target, options }) => (
          <optgroup label={target.labelPlural}>
            {options.map(([value, label]) => {
              const both = `${target.objectType} ${value}`;
              return <option value={both} selected={both === chosen}>{label}</option>;
            })}
          </optgroup>
        ))}
      </select>
      <small id={`f-${name}-help`}>{description}</small>
      <FieldError name={name} errors={{ [name]: texts }} />
    </div>
  );
}

function isListed(choices: readonly TargetChoices[], chosen: string): boolean {
  return choices.some(({ target, options }) =>
    options.some(([value]) => `${target.objectType} ${value}` === chosen)
  );
}

function messages(errors: FieldErrors, name: string): readonly string[] {
  return Object.hasOwn(errors, name) ? errors[name] ?? [] : [];
}

function KindAndObject({ generic, choices, state, errors }: Props): Html {
  const { name, description, type, id } = generic;
  const kind = String(state[type.name] ?? "");
  const { options = [], found } = choices.find(({ target }) => target.objectType === kind) ?? {};
  const required = type.required ? { required: true } : {};
  return (
    <fieldset class="pair">
      <legend class="label">{labelOf(name)}</legend>
      <Select
        {...required}
        name={type.name}
        label="Type"
        value={kind}
        options={[["", "–"], ...choices.map(({ target }) => [target.objectType, target.label] as const)]}
        errors={errors}
      />
      <div>
        <SearchedReference
          common={{
            ...required,
            name: id.name,
            label: "Object",
            help: `${description} Search by name, or enter an ID.`,
            errors,
          }}
          suggest={`/suggest/{${type.name}}/`}
          text={namedOption(String(state[id.name] ?? ""), options)}
          found={found}
        />
      </div>
    </fieldset>
  );
}
