/** Lists of texts of which a form offers the usual ones as checkboxes. */

import type { FieldErrors } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { Checkboxes, FieldError, type FieldProps, type Html, withoutPrivateKey } from "../components/mod.ts";
import type { LoadedProposals, Proposals, View } from "./view.ts";

/** Loads the proposals of a view, by field. A constant number of statements. */
export async function loadProposals(
  call: Call,
  { proposals = {} }: View,
): Promise<ReadonlyMap<string, LoadedProposals>> {
  return new Map(
    await Promise.all(
      Object.entries(proposals).map(async ([name, one]) => [name, await one.load(call)] as const),
    ),
  );
}

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
  const { name, label, help = "", errors } = common;
  const id = `f-${name}`;
  const invalid = Object.hasOwn(errors, name) ? "true" : undefined;
  const others = values.filter((value) => !options.some(([one]) => one === value));
  return (
    <fieldset
      class="field checkboxes"
      id={id}
      aria-describedby={[...invalid === undefined ? [] : [`${id}-error`], `${id}-help`].join(" ")}
      data-shown-for={shownFor?.field}
      data-shown-values={shownFor?.values.join(" ")}
      data-left-out={shownFor?.leftOut}
    >
      <legend class="label">{label}</legend>
      <div>
        <div class="in-line">
          <Checkboxes name={name} values={values} options={options} invalid={invalid !== undefined} />
        </div>
        <label class="other">
          {other}
          <input
            type="text"
            name={name}
            value={withoutPrivateKey(others.join(", "))}
            placeholder={placeholder}
            autocomplete="off"
            aria-invalid={invalid}
          />
        </label>
      </div>
      <FieldError name={name} errors={errors} />
      <small id={`${id}-help`}>{help}</small>
    </fieldset>
  );
}
