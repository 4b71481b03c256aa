/** Explanations of fields on pages, from the API's descriptions. */

import type { Field } from "../../../resource/mod.ts";
import { labelOf } from "../../messages.ts";
import type { View } from "../view.ts";

/** References are given by name on pages, never by id. */
const BY_ID = /, by id(?:(?:,| or) (?:name|slug|model))*(?=[.;]|$)/;

/** Descriptions that add nothing to the label of their field: few words, and references to what it belongs to. */
const OBVIOUS = /^(?:\S+ ){0,2}\S+$|^(?:The )?\w+ it (?:belongs to|is in|is at)\.$/;

/**
 * Returns the explanation of a field: that of the view, else the API's description without its notation, and without
 * the label that stands above it.
 */
export function helpOf(
  { fields = {} }: View,
  { name, description, shown: { label = labelOf(name), notation } = {} }: Field,
): string {
  const own = fields[name]?.help;
  if (own !== undefined) return own;
  const plain = description.replaceAll("`", "").replace(BY_ID, "").replace(/; null: /, "; empty: ");
  if (plain === `${label}.` || (notation === undefined && OBVIOUS.test(plain))) return "";
  const [, rest] = plain.startsWith(`${label}; `) ? [label, plain.slice(label.length + 2)] : [];
  return labelled(rest === undefined ? plain : `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`);
}

/** Names of fields as the API writes them, not within quotes, URLs and longer names, nor before their messages. */
const API_NAMES =
  /"(?:[^"\\]|\\.)*"|“[^”]*”|(?<![\w.{/=?&$-])(?!cf_)[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w:-]|\.\w|=)/g;

/** Returns a description with labels in place of names. Quoted values do not change. */
function labelled(text: string): string {
  return text.replace(API_NAMES, (found) => /^["“]/.test(found) ? found : `"${labelOf(found)}"`);
}
