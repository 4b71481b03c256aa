/** Inputs for references to objects that are too numerous to list; a script suggests. */

import type { Resource } from "../../resource/mod.ts";
import { FieldError, type FieldProps, type Html, type SelectOption, TextField } from "../components/mod.ts";
import { listPath } from "../paths.ts";

/** Number of empty lines; a script adds more. */
const SPARE_LINES = 3;

/** Renders an input for one object: `#3 web-01`, its id, or its name. */
export function OneReference(
  { common, target, text, options }: {
    common: FieldProps;
    target: Resource;
    text: string;
    options: readonly SelectOption[];
  },
): Html {
  return (
    <TextField
      {...common}
      value={namedOption(text, options)}
      suggest={`/suggest${listPath(target)}`}
      help={`${common.help ?? ""} Enter an ID or a name.`}
    />
  );
}

/** Renders inputs for several objects. */
export function SeveralReferences(
  { common, target, texts, options }: {
    common: FieldProps & { readonly label: string };
    target: Resource;
    texts: readonly string[];
    options: readonly SelectOption[];
  },
): Html {
  const { name, label, help, errors } = common;
  return (
    <fieldset class="field several">
      <legend class="label">{label}</legend>
      {[...texts, ...Array(SPARE_LINES).fill("")].map((text) => (
        <input
          name={name}
          value={namedOption(text, options)}
          aria-label={label}
          autocomplete="off"
          data-suggest={`/suggest${listPath(target)}`}
        />
      ))}
      <small>{help} One ID or name per line. Clear a line to remove its entry.</small>
      <FieldError name={name} errors={errors} />
    </fieldset>
  );
}

/** Adds the name to an id; returns other text unchanged. */
export function namedOption(text: string, options: readonly SelectOption[]): string {
  const option = options.find(([id]) => id === text);
  return option === undefined ? text : `#${option[0]} ${option[1]}`;
}
