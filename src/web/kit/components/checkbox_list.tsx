/** Fields with several choices. */

import { labelOf } from "../../messages.ts";
import { controlId, described, FieldError, type FieldProps, type SelectOption } from "./form.tsx";
import type { Content, Html } from "./html.ts";

/** With more choices, they are in columns, and a script offers to choose all or none. */
const MANY = 8;
/** Longer labels, which are sentences, get wider columns. */
const SHORT_CHARS = 30;
/** At least so many choices, with labels that are not longer, are below each other in a grid. */
const GRID = { choices: 4, chars: 16 };

/** Renders options with checkboxes, under the headings of their groups. */
export function CheckboxList(
  props: Omit<FieldProps, "autofocus"> & {
    values: readonly string[];
    options: readonly SelectOption[];
    /** Content below the checkboxes. */
    children?: Content;
  },
): Html {
  const { name, label = labelOf(name), help = "", errors, required, values, options } = props;
  const { "aria-invalid": invalid, "aria-describedby": description } = described(props);
  const groups = [...Map.groupBy(options, ([, , group = ""]) => group)];
  const many = options.length > MANY;
  const wide = options.some(([, text]) => text.length > SHORT_CHARS);
  const short = options.length >= GRID.choices && options.every(([, text]) => text.length <= GRID.chars);
  const boxes = (group: readonly SelectOption[]): Html => (
    <div class={many ? `in-columns${wide ? " wide" : ""}` : `in-line${short ? " short" : ""}`}>
      {group.map(([value, text]) => (
        <label>
          <input
            type="checkbox"
            name={name}
            value={value}
            checked={values.includes(value)}
            aria-invalid={invalid}
          />
          <bdi>{text}</bdi>
        </label>
      ))}
    </div>
  );
  const section = ([title, group]: (typeof groups)[number]): Html => (
    <fieldset>
      <legend>{title} {group.length > 1 ? <ToggleAll what={title} /> : null}</legend>
      {boxes(group)}
    </fieldset>
  );
  return (
    <fieldset class="field checkboxes" id={controlId(name)} aria-describedby={description}>
      <legend class="label">
        {label}
        {required ? <span class="required" title="required">*</span> : null}
        {many ? <ToggleAll what={label} /> : null}
      </legend>
      <div>
        {groups.length === 1 ? boxes(options) : groups.map(section)}
        {props.children ?? null}
      </div>
      <FieldError name={name} errors={errors} />
      {help === "" ? null : <small id={`${controlId(name)}-help`}>{help}</small>}
    </fieldset>
  );
}

/** Renders the button that a script shows: it chooses all boxes of its group, or none if all are chosen. */
function ToggleAll({ what }: { what: string }): Html {
  return <button type="button" class="link" data-toggle-all={what} hidden>All</button>;
}
