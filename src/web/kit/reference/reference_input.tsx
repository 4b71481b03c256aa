/** Inputs for references to objects that are too numerous to list: comboboxes, and a search without scripts. */

import type { Resource } from "../../../resource/mod.ts";
import {
  ComboboxScript,
  FieldError,
  type FieldProps,
  type Html,
  Select,
  type SelectOption,
  TextField,
} from "../components/mod.ts";
import { listPath } from "../../paths.ts";
import type { Suggestions } from "./choices.ts";
import { type FieldChoices, FIND } from "../form/form_choices.ts";
import { suggestionText } from "./suggestion_text.ts";

/** Number of empty lines; a script adds more. */
const SPARE_LINES = 3;

/** Renders an input for one object: `web-01 (#3)`, its id, or its name; below it, what distinguishes a certificate. */
export function OneReference(
  { common, target, text, choices: { options, details, found } }: {
    common: FieldProps;
    target: Resource;
    text: string;
    choices: FieldChoices;
  },
): Html {
  return (
    <SearchedReference
      common={{ ...common, help: `${common.help ?? ""} Search by name, or enter an ID.`.trim() }}
      suggest={`/suggest${listPath(target)}`}
      text={namedOption(text, options)}
      found={found}
      detail={details === undefined ? undefined : details.get(text) ?? ""}
    />
  );
}

/** Renders a combobox; after a search without scripts, a select with the matches. */
export function SearchedReference(
  { common, suggest, text, found, detail }: {
    common: FieldProps;
    /** Path of the suggestions. */
    suggest: string;
    text: string;
    found: Suggestions | undefined;
    detail?: string | undefined;
  },
): Html {
  const { name } = common;
  if (found !== undefined && found.options.length > 0) {
    const count = `${found.more ? "First " : ""}${found.options.length} matches for "${text}".`;
    return (
      <>
        <Select {...common} help={count} value="" options={[["", "–"], ...found.options]} />
        <FindButton value="">Search again</FindButton>
      </>
    );
  }
  const none = found === undefined ? {} : { errors: { [name]: [`Nothing matches "${text}".`] } };
  return (
    <>
      <TextField {...common} {...none} value={text} suggest={suggest} detail={detail} />
      <FindButton value={name}>Search</FindButton>
    </>
  );
}

/**
 * Renders a button that searches for an object without scripts: it sends the form, which is shown again with the
 * matches.
 */
function FindButton({ value, children }: { value: string; children: string }): Html {
  return (
    <noscript>
      <p>
        <button type="submit" name={FIND} value={value} formnovalidate class="secondary small">
          {children}
        </button>
      </p>
    </noscript>
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
    <fieldset class="field several" id={`f-${name}`}>
      <legend class="label">{label}</legend>
      {[...texts, ...Array(SPARE_LINES).fill("")].map((text) => (
        <input
          type="text"
          name={name}
          value={namedOption(text, options)}
          aria-label={label}
          autocomplete="off"
          data-suggest={`/suggest${listPath(target)}`}
        />
      ))}
      <small>{help} One ID or name per line. Clear a line to remove its entry.</small>
      <FieldError name={name} errors={errors} />
      <ComboboxScript />
    </fieldset>
  );
}

/** Adds the name to an id; returns other text unchanged. */
export function namedOption(text: string, options: readonly SelectOption[]): string {
  const option = options.find(([id]) => id === text);
  return option === undefined ? text : suggestionText({ id: option[0] }, option[1]);
}
