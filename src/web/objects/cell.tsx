/** A value in a list, with the sentence that explains it. */

import type { Field } from "../../resource/mod.ts";
import type { Html } from "../components/mod.ts";
import { displayValue } from "./value.tsx";
import type { ApiObject, View } from "./view.ts";

const DAY = /(\d{4}-\d\d-\d\d)/;

/** Renders a sentence; its dates are not divided between lines. */
export function Sentence({ text }: { text: string }): Html {
  return (
    <span class="sentence">
      {text.split(DAY).map((part) => DAY.test(part) ? <span class="whole">{part}</span> : part)}
    </span>
  );
}

/** Renders the value of a field in the list of a view. */
export function Cell({ view, field, row }: { view: View; field: Field; row: ApiObject }): Html {
  const own = view.cells?.[field.name]?.cell(row);
  if (own !== undefined) return <>{own}</>;
  const sentence = view.sentences?.[field.name];
  const value = displayValue(view, field, row[field.name]);
  if (sentence === undefined || row[sentence] === "") return <>{value}</>;
  return (
    <div class="explained">
      {value}
      <Sentence text={String(row[sentence])} />
    </div>
  );
}
