/** The two versions of an object that another user has changed while its form was open. */

import { type Field, type Out, type Resource, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Table, truncate } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { chosenOf } from "../reference/choices.ts";
import { targetsOf } from "../reference/reference_text.ts";
import { chosenIn, formFields, stateOf } from "./form_state.ts";
import type { FormState, View } from "../view.ts";
import { isGranted } from "../../../auth/mod.ts";
import { objectChanges } from "../../../domain/system/object_changes/resource.ts";
import { readRows } from "../list/read_list.ts";
import { nounOf } from "../../type_label.ts";

/** Renders the fields in which the form and the current object differ. One statement for each such reference. */
export async function conflictTable(
  call: Call,
  view: View,
  { state, object }: { state: FormState; object: Out },
): Promise<Html | null> {
  const current = stateOf(call, view, object);
  const differing = formFields(call, view, chosenIn(view, state)).filter((field) =>
    comparable(field, state[field.name]) !== comparable(field, current[field.name])
  );
  if (differing.length === 0) return null;
  const rows = await Promise.all(differing.map(async (field) => {
    const { name, shown: { label = labelOf(name) } = {} } = field;
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

/**
 * Returns the text, with the user who has changed the object if the current user may view the change log. At most one
 * statement.
 */
export async function conflictText(
  call: Call,
  { resource, id }: { resource: Resource; id: number },
): Promise<string> {
  const name = await lastEditor(call, { resource, id });
  const change = name === undefined
    ? `This ${nounOf(resource)} was changed`
    : `${name} changed this ${nounOf(resource)}`;
  return `${change} after you opened the form. Compare the two versions, then save yours or cancel.`;
}

/** Returns the name of the user who changed an object last; undefined if it is not known. */
async function lastEditor(
  call: Call,
  { resource, id }: { resource: Resource; id: number },
): Promise<string | undefined> {
  if (!isGranted(call.ctx, "view", objectChanges.objectType)) return undefined;
  const params = {
    changed_object_type: resource.objectType,
    changed_object_id: String(id),
    ordering: "-id",
    limit: 1,
  };
  const { rows: [last] } = await readRows(call.ctx, objectChanges, { params, fields: ["id", "user_name"] });
  return (last?.user_name ?? "") || undefined;
}
