/** The control of a reference, for forms that are not made from a resource. */

import { invalid } from "../../../base/errors.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type FieldProps, type Html, Select, TextField } from "../components/mod.ts";
import { textOf } from "../../forms.ts";
import { listPath } from "../../paths.ts";
import { choicesFor } from "./choices.ts";
import { findNamed, notFoundText, referenceText } from "./target_text.ts";

/** Renders a select, or a search if there are many objects, with the posted value, or one of the URL. */
export async function referenceControl(call: Call, target: Resource, field: FieldProps): Promise<Html> {
  const options = await choicesFor(call, target);
  const value = textOf(call.form, field.name) || (call.query.get(field.name) ?? "");
  if (options !== undefined) return <Select {...field} value={value} options={[["", "–"], ...options]} />;
  const { help = "Search by name." } = field;
  return <TextField {...field} value={value} help={help} suggest={`/suggest${listPath(target)}`} />;
}

/**
 * Returns the id of the posted object, which is given by id, suggestion or name; undefined for none. Errors: invalid (no
 * object has this name, or several have it).
 */
export async function postedReference(
  call: Call,
  target: Resource,
  name: string,
): Promise<number | undefined> {
  const text = await referenceText(call, target, textOf(call.form, name));
  if (text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const [only, ...others] = await findNamed(call, target, text);
  if (only !== undefined && others.length === 0) return Number(only);
  throw invalid({ [name]: [await notFoundText(call, { targets: [target] }, text)] });
}
