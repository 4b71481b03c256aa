/** The text of a generic reference in a form: `#device:3 web-01`, as a suggestion or a choice writes it, or a name. */

import { listText } from "../../base/amounts.ts";
import { isGranted } from "../../auth/mod.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../filters/mod.ts";
import { quote, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { SelectOption } from "../components/mod.ts";
import type { GenericReference } from "./generic_reference.ts";
import { readRows } from "./read_list.ts";

/** The object of a generic reference: its type, and its id or another text. */
export interface TargetState {
  readonly type: string;
  readonly id: string;
}

/** Maximum of objects that are read for a name; two are enough to know that it is ambiguous. */
const MAX_NAMED = 2;

/** Returns the text of a suggestion for an object: `device:3`. */
export function targetValue({ objectType }: Resource, id: string): string {
  return `${modelOf(objectType)}:${id}`;
}

function modelOf(objectType: string): string {
  return objectType.slice(objectType.indexOf(".") + 1);
}

/** Returns the object of a text; for a name, without a type. */
export function parseTarget({ targets }: Pick<GenericReference, "targets">, text: string): TargetState {
  const given = text.trim();
  const [, model, suggested = ""] = /^#(\w+):(\d{1,15})\b/.exec(given) ?? [];
  const target = targets.find(({ objectType }) => modelOf(objectType) === model);
  if (target !== undefined) return { type: target.objectType, id: suggested };
  const [, type, chosen = ""] = /^([a-z]+\.[a-z]+) (\d{1,15})$/.exec(given) ?? [];
  return type === undefined ? { type: "", id: given } : { type, id: chosen };
}

/** Returns the text of an object in a form, `#device:3 web-01`; without a type, the text that the user typed. */
export function targetText(
  { targets }: Pick<GenericReference, "targets">,
  { type, id }: TargetState,
  options: readonly SelectOption[],
): string {
  const target = targets.find(({ objectType }) => objectType === type);
  const option = options.find(([value]) => value === id);
  if (target === undefined) return id;
  return `#${targetValue(target, id)}${option === undefined ? "" : ` ${option[1]}`}`;
}

/** Returns the object with exactly the typed name; unchanged if there is none, or more than one. */
export async function findTarget(
  call: Call,
  { targets }: Pick<GenericReference, "targets">,
  state: TargetState,
): Promise<TargetState> {
  if (state.type !== "" || state.id === "" || state.id.length > MAX_FILTER_VALUE_CHARS) return state;
  const params = { name: state.id, limit: MAX_NAMED };
  const found = await Promise.all(targets.map(async (target) => {
    if (!isGranted(call.ctx, "view", target.objectType) || target.fields.name === undefined) return [];
    const { rows } = await readRows(call, target, { params, fields: ["id"] });
    return rows.map(({ id }) => ({ type: target.objectType, id: String(id) }));
  }));
  const [only, ...others] = found.flat();
  return only === undefined || others.length > 0 ? state : only;
}

/** Returns why a text is no object: "No device or service is called "x"." */
export function notFoundText({ targets }: Pick<GenericReference, "targets">, text: string): string {
  const kinds = listText(targets.map(({ label }) => label), "or");
  return `No ${kinds} is called ${quote(text)}, or several are. Choose one of the suggestions.`;
}
