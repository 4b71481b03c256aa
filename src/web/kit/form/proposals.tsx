/** Lists of texts of which a form offers the usual ones as checkboxes. */

import type { FieldErrors } from "../../../base/errors.ts";
import { CheckboxList, type FieldProps, type Html, withoutPrivateKey } from "../components/mod.ts";
import type { LoadedProposals, Proposals } from "../view.ts";

/** Returns the values of ticked boxes and of the text field, each once. */
export function proposedValues({ read }: Proposals, texts: readonly string[]): string[] {
  const values = texts.flatMap((text) =>
    // A private key stays whole, so that it is recognized and refused.
    withoutPrivateKey(text) === "" ? [text] : text.split(/[,;\r\n]+/)
  ).map((one) => one.trim()).filter(Boolean);
  return [...new Set(values.map((one) => read?.(one) ?? one))];
}

/** Renders the boxes, and a text field for other values; a script hides both where they have no effect. */
export function ProposalInput(
  { common, values, proposals: { options, other, placeholder, shownFor } }: {
    common: FieldProps & { readonly label: string; readonly errors: FieldErrors };
    values: readonly string[];
    proposals: LoadedProposals;
  },
): Html {
  const { name, errors } = common;
  const others = values.filter((value) => !options.some(([one]) => one === value));
  return (
    <CheckboxList {...common} values={values} options={options} shownFor={shownFor}>
      <label class="other">
        {other}
        <input
          type="text"
          name={name}
          value={withoutPrivateKey(others.join(", "))}
          placeholder={placeholder}
          autocomplete="off"
          aria-invalid={Object.hasOwn(errors, name) ? "true" : undefined}
        />
      </label>
    </CheckboxList>
  );
}
