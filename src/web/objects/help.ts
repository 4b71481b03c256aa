/** Explanations of fields on pages, from the API's descriptions. */

import type { Field } from "../../resource/mod.ts";
import { labelOf } from "../messages.ts";
import type { View } from "./view.ts";

/** References are given by name on pages, never by id. */
const BY_ID = /, by id(?:(?:,| or) (?:name|slug|model))*(?=[.;]|$)/;

/**
 * Returns the explanation of a field: that of the view, else the API's description without its notation, and without
 * the label that stands above it.
 */
export function helpOf({ help = {} }: View, { name, label = labelOf(name), description }: Field): string {
  const own = help[name];
  if (own !== undefined) return own;
  const plain = description.replaceAll("`", "").replace(BY_ID, "").replace(/; null: /, "; empty: ");
  if (plain === `${label}.`) return "";
  const [, rest] = plain.startsWith(`${label}; `) ? [label, plain.slice(label.length + 2)] : [];
  return rest === undefined ? plain : `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}
