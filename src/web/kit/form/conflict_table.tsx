/** The two versions of an object that another user has changed while its form was open. */

import { type AnyObject, type Field, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Table, truncate } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { chosenOf } from "../reference/choices.ts";
import { targetsOf } from "../reference/generic_reference.ts";
import { chosenIn, formFields, stateOf } from "./form_state.ts";
import type { FormState, View } from "../view.ts";

/** Renders the fields in which the form and the current object differ. One statement for each such reference. */
export async function conflictTable(
  call: Call,
  view: View,
  { state, object }: { state: FormState; object: AnyObject },
): Promise<Html | null> {
  const current = stateOf(call, view, object);
  const differing = formFields(call, view, chosenIn(view, state)).filter((field) =>
    comparable(field, state[field.name]) !== comparable(field, current[field.name])
  );
  if (differing.length === 0) return null;
  const rows = await Promise.all(differing.map(async (field) => {
    const { name, label = labelOf(name) } = field;
    const [yours = "", now = ""] = await textsOf(call, field, [state[name], current[name]]);
    return { id: name, label, yours, now };
  }));
  return (
    <Table
      caption="Both versions"
      rows={rows}
      columns={[
        { label: "Field", cell: ({ label }) => label },
        { label: "Your version", cell: ({ yours }) => yours },
        { label: "Saved by someone else", cell: ({ now }) => now },
      ]}
    />
  );
}

/** Returns a value as a text that is equal for equal values: browsers leave out seconds of 0, and unchecked boxes. */
function comparable(field: Field, value: FormState[string] = ""): string {
  const text = String(value);
  const { kind } = shapeOf(field);
  if (kind === "boolean") return String(text === "true");
  return kind === "datetime" ? text.replace(/T\d\d:\d\d$/, "$&:00") : text;
}

/** Maximum characters of a value in the comparison. */
const COMPARED_CHARS = 300;

/** Returns values in readable form: references by name. */
async function textsOf(
  call: Call,
  field: Field,
  values: readonly (FormState[string] | undefined)[],
): Promise<string[]> {
  const chosen = await chosenOf(call, targetsOf(field), values.flatMap((value) => value ?? []));
  if (shapeOf(field).kind === "boolean") return values.map((value) => value === "true" ? "yes" : "no");
  return values.map((value) => {
    const text = [value ?? ""].flat().map((one) => chosen.get(one)?.name ?? one).join(", ");
    return text === "" ? "none" : truncate(text, COMPARED_CHARS);
  });
}
