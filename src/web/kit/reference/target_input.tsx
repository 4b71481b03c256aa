/** Inputs for generic references. */

import type { FieldErrors } from "../../../base/errors.ts";
import { FieldError, type Html, type SelectOption } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import type { TargetChoices } from "../form/form_choices.ts";
import type { GenericReference } from "./generic_reference.ts";
import { SearchedReference } from "./reference_input.tsx";
import { targetText } from "./target_text.ts";
import type { FormState } from "../view.ts";
import { nounOf, pluralOf } from "../../type_label.ts";

interface Props {
  readonly generic: GenericReference;
  readonly choices: readonly TargetChoices[];
  readonly state: FormState;
  readonly errors: FieldErrors;
}

/** Renders a select of all objects by type; with too many objects, a combobox. */
export function TargetInput(props: Props): Html {
  return props.choices.every(({ all }) => all) ? <OneList {...props} /> : <SearchedTarget {...props} />;
}

function OneList({ generic, choices, state, errors }: Props): Html {
  const { name, description, type, id } = generic;
  const { required } = type;
  const texts = targetMessages(generic, errors);
  const stored = { type: String(state[type.name] ?? ""), id: String(state[id.name] ?? "") };
  const chosen = stored.id === "" ? targetText(generic, stored, []) : `${stored.type} ${stored.id}`;
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
        {chosen === "" || isListed(choices, chosen) ? null : (
          // The current target is hidden or deleted; it must not be removed silently.
          <option value={chosen} selected>{chosen}</option>
        )}
        {choices.filter(({ options }) => options.length > 0).map(({ target, options }) => (
          <optgroup label={pluralOf(target)}>
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

/** Renders a combobox over all types; after a search without scripts, a select with the matches. */
function SearchedTarget({ generic, choices, state, errors }: Props): Html {
  const { name, description, type, id, targets } = generic;
  const chosen = { type: String(state[type.name] ?? ""), id: String(state[id.name] ?? "") };
  const found = choices.flatMap(({ target, found: own }) =>
    (own?.options ?? []).map(([value, label]): SelectOption => [
      `${target.objectType} ${value}`,
      `${label} (${nounOf(target)})`,
    ])
  );
  const wasSearched = choices.some((one) => one.found !== undefined);
  const { options = [] } = choices.find(({ target }) => target.objectType === chosen.type) ?? {};
  return (
    <SearchedReference
      common={{
        name,
        label: labelOf(name),
        help: `${description} Search by name.`,
        errors: { [name]: targetMessages(generic, errors) },
        ...(type.required ? { required: true } : {}),
      }}
      suggest={`/suggest/${targets.map(({ objectType }) => objectType).join(",")}/`}
      text={targetText(generic, chosen, options)}
      found={wasSearched
        ? { options: found, more: choices.some((one) => one.found?.more === true) }
        : undefined}
    />
  );
}

/** Returns the errors of type and id. */
export function targetMessages({ type, id }: GenericReference, errors: FieldErrors): string[] {
  return [...new Set([...messages(errors, type.name), ...messages(errors, id.name)])];
}
