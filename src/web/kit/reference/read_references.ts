/** Reads references that users have typed or chosen. */

import { listText, numberText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { type Finding, finding } from "../../../base/findings.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../../filters/mod.ts";
import { quote, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { nounOf, pluralOf } from "../../type_label.ts";
import { readRows } from "../list/read_list.ts";
import { choicesByIds, FIND } from "./choices.ts";
import { parseReference, type Referred, withoutExpiry } from "./reference_text.ts";

/** An object, or why a text is none. */
export type Reading = Referred | { readonly finding: Finding };

/**
 * Reads texts: ids, chosen texts (`Acme (#3)`) and exact names. A name can end like a chosen text; it is one only if the
 * object with the id has this name, and no other object has the whole text as its name. At most two statements for each
 * target; none for ids.
 */
export async function readReferences(
  call: Call,
  targets: readonly Resource[],
  texts: readonly string[],
): Promise<Reading[]> {
  const given = texts.map((text) => {
    const parsed = parseReference(targets, text);
    return { text: text.trim(), parsed, isId: parsed?.name === "" };
  });
  const found = await Promise.all(targets.map(async (target) => {
    const own = given.filter(({ parsed, isId }) => !isId && (parsed?.target ?? target) === target);
    const [named, choices] = await Promise.all([
      idsByName(call, target, own.map(({ text }) => text)),
      choicesByIds(call, target, own.flatMap(({ parsed }) => parsed?.id ?? [])),
    ]);
    return { target, named, names: new Map(choices.map(({ id, name }) => [id, withoutExpiry(name).trim()])) };
  }));
  return given.map(({ text, parsed, isId }) => {
    if (parsed !== undefined && isId) return parsed;
    const searched = found.filter(({ target }) => parsed === undefined || parsed.target === target);
    const named = searched.flatMap(({ target, named }) =>
      (named.get(text) ?? []).map((id) => ({ target, id }))
    );
    const [only, ...others] = named;
    if (only !== undefined && others.length === 0) return only;
    const isChosen = named.length === 0 &&
      searched.some(({ names }) => names.get(parsed?.id ?? "") === parsed?.name);
    if (parsed !== undefined && isChosen) return parsed;
    return { finding: findingOf(targets, { text, count: named.length }) };
  });
}

/**
 * Returns the posted object; undefined for none. Errors: invalid (no object has this name, or several have it; without a
 * message if the user searches for the object without scripts).
 */
export async function postedReference(
  call: Call,
  targets: readonly Resource[],
  name: string,
): Promise<{ target: Resource; id: number } | undefined> {
  const text = textOf(call.form, name);
  if (call.form.has(FIND)) throw invalid([]);
  if (text.trim() === "") return undefined;
  const [reading] = await readReferences(call, targets, [text]);
  if (reading === undefined) return undefined;
  if ("finding" in reading) throw invalid([{ ...reading.finding, field: name }]);
  return { target: reading.target, id: Number(reading.id) };
}

/** Returns the ids of objects by their exact names. At most one statement. */
async function idsByName(
  call: Call,
  target: Resource,
  names: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const field = ["name", "common_name", "username", "model"].find((one) => one in target.fields);
  const searched = names.filter((name) => name !== "" && name.length <= MAX_FILTER_VALUE_CHARS);
  if (field === undefined || searched.length === 0 || !isGranted(call.ctx, "view", target.objectType)) {
    return new Map();
  }
  // The filter of common names without a suffix finds parts of them. With `start`, a list is not counted.
  const params = { [`${field}__exact`]: searched, start: 0, limit: 0 };
  const { rows } = await readRows(call.ctx, target, { params, fields: ["id", field] });
  const byName = Map.groupBy(rows, (row) => String(row[field]));
  return new Map([...byName].map(([name, found]) => [name, found.map(({ id }) => String(id))]));
}

function findingOf(targets: readonly Resource[], { text, count }: { text: string; count: number }): Finding {
  const [only, ...others] = targets;
  const value = quote(text);
  if (count < 2) return finding("none_called", { type: listText(targets.map(nounOf), "or"), value });
  const types = only === undefined || others.length > 0 ? "objects" : pluralOf(only);
  return finding("several_called", { count: numberText(count), types, value });
}
