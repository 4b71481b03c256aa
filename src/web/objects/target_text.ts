/** The text of a generic reference in a form: `web-01 (device #3)`, as a suggestion or a choice writes it, or a name. */

import { listText } from "../../base/amounts.ts";
import { isGranted } from "../../auth/mod.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../filters/mod.ts";
import { quote, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { SelectOption } from "../components/mod.ts";
import type { GenericReference } from "./generic_reference.ts";
import { readRows } from "./read_list.ts";
import { parseSuggestion, suggestionText } from "./suggestion_text.ts";
import { nounOf } from "../type_label.ts";

/** The object of a generic reference: its type, and its id or another text. */
export interface TargetState {
  readonly type: string;
  readonly id: string;
}

/** Maximum of objects that are read for a name; two are enough to know that it is ambiguous. */
const MAX_NAMED = 2;

/** Returns the object of a text; for a name, without a type. */
export function parseTarget({ targets }: Pick<GenericReference, "targets">, text: string): TargetState {
  const given = text.trim();
  const suggested = parseSuggestion(given);
  const target = targets.find((one) => nounOf(one) === suggested?.noun);
  if (suggested !== undefined && target !== undefined) return { type: target.objectType, id: suggested.id };
  const [, type, chosen = ""] = /^([a-z]+\.[a-z]+) (\d{1,15})$/.exec(given) ?? [];
  return type === undefined ? { type: "", id: given } : { type, id: chosen };
}

/** Returns the text of an object in a form, `web-01 (device #3)`; without a type, the text that the user typed. */
export function targetText(
  { targets }: Pick<GenericReference, "targets">,
  { type, id }: TargetState,
  options: readonly SelectOption[],
): string {
  const target = targets.find(({ objectType }) => objectType === type);
  const option = options.find(([value]) => value === id);
  if (target === undefined) return id;
  return suggestionText({ id, noun: nounOf(target) }, option?.[1] ?? "");
}

/** Returns the object with exactly the typed name; unchanged if there is none, or more than one. */
export async function findTarget(
  call: Call,
  { targets }: Pick<GenericReference, "targets">,
  state: TargetState,
): Promise<TargetState> {
  if (state.type !== "") return state;
  const found = await Promise.all(targets.map(async (target) => {
    const ids = await findNamed(call, target, state.id);
    return ids.map((id) => ({ type: target.objectType, id }));
  }));
  const [only, ...others] = found.flat();
  return only === undefined || others.length > 0 ? state : only;
}

/** Returns the ids of objects with exactly this name, at most two. One statement. */
export async function findNamed(call: Call, target: Resource, name: string): Promise<string[]> {
  const field = ["name", "common_name"].find((one) => one in target.fields);
  const isSearchable = name !== "" && name.length <= MAX_FILTER_VALUE_CHARS;
  if (!isSearchable || field === undefined || !isGranted(call.ctx, "view", target.objectType)) return [];
  const params = { [field]: name, limit: MAX_NAMED };
  const { rows } = await readRows(call, target, { params, fields: ["id"] });
  return rows.map(({ id }) => String(id));
}

/** Returns why a text is no object: "No device or service is called "x"." */
export function notFoundText({ targets }: Pick<GenericReference, "targets">, text: string): string {
  const kinds = listText(targets.map(({ label }) => label), "or");
  return `No ${kinds} is called ${quote(text)}, or several are. Choose one of the suggestions.`;
}
