/** The control of a reference: a select, or a combobox if there are too many objects, which is a text field without scripts. */

import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  CheckboxList,
  ComboboxScript,
  FieldError,
  type FieldProps,
  type Html,
  Select,
  type SelectOption,
  TextField,
} from "../components/mod.ts";
import { textOf } from "../../forms.ts";
import { FIND, type LoadedReference, loadReference, suggestPath } from "./choices.ts";
import { referenceText, referenceValue } from "./reference_text.ts";
import { FirstButton } from "../form/actions.tsx";

/** Number of empty lines; a script adds more. */
const SPARE_LINES = 3;

interface Props {
  readonly field: FieldProps & { readonly label?: string };
  readonly reference: LoadedReference;
  /** Values or typed texts. */
  readonly values: readonly string[];
  /** Choices without an object; default: a dash. */
  readonly empty?: readonly SelectOption[];
}

/** Renders the control of a reference to one object. */
export function Reference({ field, reference, values: [value = ""], empty = [["", "–"]] }: Props): Html {
  const { name, help = "" } = field;
  const { targets, options, found } = reference;
  if (options !== undefined) {
    // The current object can be hidden or deleted; it must not be removed silently.
    const isListed = [...empty, ...options].some(([one]) => one === value);
    return (
      <Select
        {...field}
        value={value}
        options={[...empty, ...isListed ? [] : [[value, value] as const], ...options]}
      />
    );
  }
  if (found !== undefined && found.choices.length > 0) {
    const count = `${found.more ? "First " : ""}${found.choices.length} matches for "${value}".`;
    const matches = found.choices.map((choice): SelectOption => [
      referenceValue(targets, choice),
      targets.length === 1 ? choice.name : `${choice.name} (${choice.note})`,
    ]);
    return (
      <>
        <Select {...field} help={count} value="" options={[["", "–"], ...matches]} />
        <FindButton value="">Search again</FindButton>
      </>
    );
  }
  const none = found === undefined ? {} : { errors: { [name]: [`Nothing matches "${value}".`] } };
  const how = targets.length === 1 ? "Search by name, or enter an ID." : "Search by name.";
  return (
    <>
      <TextField
        {...field}
        {...none}
        help={`${help} ${how}`.trim()}
        value={shownText(reference, value)}
        suggest={suggestPath(targets)}
      />
      <FindButton value={name}>Search</FindButton>
    </>
  );
}

/** Renders the control of references to several objects: checkboxes, or a combobox for each. */
export function References({ field, reference, values }: Props): Html {
  const { name, label = name, help, errors } = field;
  const { targets, options } = reference;
  if (options !== undefined) {
    return <CheckboxList {...field} values={values} options={options} />;
  }
  return (
    <fieldset class="field several" id={`f-${name}`}>
      <legend class="label">{label}</legend>
      {[...values, ...Array<string>(SPARE_LINES).fill("")].map((value) => (
        <input
          type="text"
          name={name}
          value={shownText(reference, value)}
          aria-label={label}
          autocomplete="off"
          data-suggest={suggestPath(targets)}
        />
      ))}
      <small>{help} One ID or name per line. Clear a line to remove its entry.</small>
      <FieldError name={name} errors={errors} />
      <ComboboxScript />
    </fieldset>
  );
}

/** Returns the text of a combobox: that of the object with this value, or what the user has typed. */
export function shownText({ targets, chosen }: LoadedReference, value: string): string {
  const choice = chosen.get(value);
  return choice === undefined ? value : referenceText(targets, choice);
}

/**
 * Renders a button that searches for an object without scripts: it sends the form, which is shown again with the
 * matches. Enter in a field activates the first button of a form, which must not be a search (HTML §4.10.21.2).
 */
function FindButton({ value, children }: { value: string; children: string }): Html {
  return (
    <noscript>
      <FirstButton />
      <p>
        <button type="submit" name={FIND} value={value} formnovalidate class="secondary small">
          {children}
        </button>
      </p>
    </noscript>
  );
}

/** Renders the control of a page with a form that is not made from a resource, with the posted value, or one of the URL. */
export async function referenceControl(call: Call, target: Resource, field: FieldProps): Promise<Html> {
  const { name } = field;
  const values = [textOf(call.form, name) || (call.query.get(name) ?? "")];
  const reference = await loadReference(call, [target], { name, values });
  return <Reference field={field} reference={reference} values={values} />;
}
