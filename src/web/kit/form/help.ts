/** Explanations of fields on pages, from the API's descriptions. */

import type { Field } from "../../../resource/mod.ts";
import { labelOf, withLabels } from "../../messages.ts";
import type { View } from "../view.ts";

/** References are given by name on pages, never by id. */
const BY_ID = /, by id(?:(?:,| or) (?:name|slug|model))*(?=[.;]|$)/;

/** Descriptions that add nothing to the label of their field. */
const OBVIOUS = new RegExp(
  `^(?:${
    [
      "Name(?:; unique.*)?",
      "Unique",
      "Notes",
      "What it (?:is|is for|means|serves)",
      "Given name",
      "Family name",
      "Telephone number",
      "HTTP method",
      "TCP port",
      "Transport protocol",
      "Port numbers",
      "Lifecycle status",
      "Operational status",
      "Kind of authority",
      "Web ?site",
      "E-mail address",
      "Postal address",
      "Algorithm of the public key",
      "Name of the (?:view|person or team)",
      "The contact's role",
      "Comments in Markdown",
      "Tags",
      "(?:The )?(?:tenant|site|cluster|location|region|group|manufacturer|platform) it (?:belongs to|is in|is at)",
      "Whether (?:it runs|it grants anything|messages are sent|the service probes it|it is renewed automatically)",
      "(?:Users|Groups) with this permission",
      "The (?:certificate|contact|endpoint|policy|technology|rule to apply)",
    ].join("|")
  })\\.?$`,
);

/**
 * Returns the explanation of a field: that of the view, else the API's description without its notation, and without
 * the label that stands above it.
 */
export function helpOf({ fields = {} }: View, { name, label = labelOf(name), description }: Field): string {
  const own = fields[name]?.help;
  if (own !== undefined) return own;
  const plain = description.replaceAll("`", "").replace(BY_ID, "").replace(/; null: /, "; empty: ");
  if (plain === `${label}.` || OBVIOUS.test(plain)) return "";
  const [, rest] = plain.startsWith(`${label}; `) ? [label, plain.slice(label.length + 2)] : [];
  return withLabels(rest === undefined ? plain : `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`);
}
