/** The two versions of an object that somebody else has changed while its form was open. */

import type { Field } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { type Html, Table, truncate, withoutPrivateKey } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { choicesByIds, referenceTarget } from "./choices.ts";
import { chosenIn, formFields, stateOf } from "./form_state.ts";
import type { ApiObject, FormState, View } from "./view.ts";

/** Renders the fields in which the form and the object, as it is now, differ. One statement for each such reference. */
export async function conflictTable(
  call: Call,
  view: View,
  { state, object }: { state: FormState; object: ApiObject },
): Promise<Html | null> {
  const current = stateOf(call, view, object);
  const differing = formFields(call, view, chosenIn(view, state)).filter(({ name }) =>
    String(state[name] ?? "") !== String(current[name] ?? "")
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

/** Characters of a value in the comparison. */
const COMPARED_CHARS = 300;

/** Returns values as people read them: references by name. */
async function textsOf(
  call: Call,
  field: Field,
  values: readonly (FormState[string] | undefined)[],
): Promise<string[]> {
  const target = referenceTarget(field);
  const ids = values.flatMap((value) => value ?? []);
  const names = new Map(target === undefined ? [] : await choicesByIds(call, target, ids));
  return values.map((value) => {
    const text = [value ?? ""].flat().map((one) => names.get(one) ?? one).join(", ");
    return text === "" ? "none" : truncate(withoutPrivateKey(text), COMPARED_CHARS);
  });
}
