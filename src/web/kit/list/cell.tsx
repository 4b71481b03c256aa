/** A value in a list, with the sentence that explains it. */

import { type AnyObject, type Field, shapeOf } from "../../../resource/mod.ts";
import { type Content, type Html, truncate } from "../components/mod.ts";
import { withoutExpiry } from "../reference/short_name.ts";
import { displayValue, ObjectLink } from "../detail/value.tsx";
import type { View } from "../view.ts";

const DAY = /(\d{4}-\d\d-\d\d)/;

/** Renders a sentence without line breaks inside dates. */
export function Sentence({ text }: { text: string }): Html {
  return (
    <span class="sentence">
      {text.split(DAY).map((part) => DAY.test(part) ? <span class="whole">{part}</span> : part)}
    </span>
  );
}

/** Texts of up to this number of characters fit a column. */
const SHORT_TEXT = 14;

/** Returns whether a value is the brief form of an object. */
function isBrief(value: unknown): value is AnyObject {
  return typeof value === "object" && value !== null;
}

/** Renders a value; the title has the complete text, which may not fit the column. */
function valueIn(view: View, field: Field, value: unknown): Content {
  const { kind } = shapeOf(field);
  if (kind === "reference" && isBrief(value)) {
    // The name of a certificate ends with its expiry, which distinguishes renewals but does not fit a column.
    const shown = withoutExpiry(value.display);
    return ObjectLink({ brief: value, shown });
  }
  const shown = displayValue(view, field, value);
  const isText = typeof value === "string" && !["choice", "datetime", "url"].includes(kind);
  return isText && value.length > SHORT_TEXT ? <span title={truncate(value, 500)}>{shown}</span> : shown;
}

/** Renders the value of a field in the list of a view. */
export function Cell({ view, field, row }: { view: View; field: Field; row: AnyObject }): Content {
  const own = view.cells?.[field.name]?.cell(row);
  if (own !== undefined) return own;
  const sentence = view.sentences?.[field.name];
  const value = valueIn(view, field, row[field.name]);
  if (sentence === undefined || row[sentence] === "") return value;
  // A wide table shows it in one line.
  return (
    <div class="explained" title={String(row[sentence])}>
      {value}
      <Sentence text={String(row[sentence])} />
    </div>
  );
}
