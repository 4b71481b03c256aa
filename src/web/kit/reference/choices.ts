/** The objects that controls of references offer and show: those that the user may view, by name. */

import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { expiryText } from "../../../base/amounts.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../../filters/mod.ts";
import { cacheUntilChange, type Out, type Resource, viewKey } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type SelectOption, truncate } from "../components/mod.ts";
import { nounOf, pluralOf } from "../../type_label.ts";
import { type Chosen, type Params, readColumns, readRows } from "../list/read_list.ts";
import {
  parseReference,
  referenceText,
  referenceValue,
  type Referred,
  withoutExpiry,
} from "./reference_text.ts";
import { listPath } from "../../paths.ts";
import { resources } from "../../../domain/registry.ts";
import { notFound } from "../../../base/errors.ts";

/** Maximum number of objects in a select; with more, the user types and a script suggests. */
const MAX_SELECT_OPTIONS = 100;
/** Maximum number of suggestions. */
const MAX_SUGGESTIONS = 20;

/** Name of the button that searches without scripts; its value is the name of the control. */
export const FIND = "find";

/** An object that a control offers or shows. */
export interface Choice extends Referred {
  readonly name: string;
  /** What distinguishes certificates, which can have the same name: when they expire. */
  readonly note?: string;
}

/** Objects that match a typed text, and whether there are more. */
interface Suggestions {
  readonly choices: readonly Choice[];
  readonly more: boolean;
}

/** What the control of a reference shows. */
export interface LoadedReference {
  /** The types of its objects. */
  readonly targets: readonly Resource[];
  /** All objects; undefined if there are too many to list. */
  readonly options?: readonly SelectOption[];
  /** The current objects by their values, unless all are listed. */
  readonly chosen: ReadonlyMap<string, Choice>;
  /** Matches of the typed text, if the user searches without scripts. */
  readonly found?: Suggestions;
}

/** Loads what the control with the values `values` shows. At most two statements for each target. */
export async function loadReference(
  call: Call,
  targets: readonly Resource[],
  { name, values }: { name: string; values: readonly string[] },
): Promise<LoadedReference> {
  const lists = await Promise.all(targets.map((target) => choicesFor(call, target)));
  const all = lists.every((list) => list !== undefined) ? lists.flat() : [];
  if (all.length <= MAX_SELECT_OPTIONS && !lists.includes(undefined)) {
    const options = targets.flatMap((target, index) =>
      (lists[index] ?? []).map(([id, label]): SelectOption => {
        const value = referenceValue(targets, { target, id });
        return targets.length === 1 ? [value, label] : [value, label, pluralOf(target)];
      })
    );
    return { targets, options, chosen: new Map() };
  }
  if (call.form.get(FIND) === name) {
    const [typed = ""] = values;
    const text = parseReference(targets, typed)?.name || typed;
    return { targets, chosen: new Map(), found: await suggestionsFor(call, targets, text) };
  }
  return { targets, chosen: await chosenOf(call, targets, values, lists) };
}

/** Returns the objects of values by value. Two statements for each target that has some and is not in `lists`. */
export async function chosenOf(
  call: Call,
  targets: readonly Resource[],
  values: readonly string[],
  lists: readonly (readonly SelectOption[] | undefined)[] = [],
): Promise<ReadonlyMap<string, Choice>> {
  const parsed = values.map((value) => parseReference(targets, value));
  const choices = await Promise.all(targets.map(async (target, index) => {
    const own = parsed.filter((one) => one?.name === "" && one.target === target);
    const ids = own.flatMap((one) => one?.id ?? []);
    return lists[index]?.filter(([id]) => ids.includes(id)).map(([id, name]) => ({ target, id, name })) ??
      await choicesByIds(call, target, ids);
  }));
  return new Map(choices.flat().map((choice) => [referenceValue(targets, choice), choice]));
}

/** Returns all objects of a resource, by name; undefined if there are too many. One statement if nothing has changed. */
export async function choicesFor(
  call: Call,
  target: Resource,
): Promise<readonly SelectOption[] | undefined> {
  return await cacheUntilChange(call.ctx, viewKey(call.ctx, `choices ${target.objectType}`), async () => {
    const choices = await readChoices(call, target, { limit: MAX_SELECT_OPTIONS + 1 });
    return choices.length > MAX_SELECT_OPTIONS
      ? undefined
      : choices.map(({ id, name }) => [id, name] as const);
  });
}

/** Returns the objects with these ids, by name. One statement or two; none without ids. */
export async function choicesByIds(
  call: Call,
  target: Resource,
  ids: readonly string[],
): Promise<readonly Choice[]> {
  const known = ids.filter((id) => /^\d{1,15}$/.test(id));
  return known.length === 0 ? [] : await readChoices(call, target, { limit: 0, id: known });
}

/** Returns whether the objects of a resource are certificates. */
function expires(resource: Resource): resource is typeof certificates {
  return resource.fields.days_remaining !== undefined;
}

/** The fields that distinguish certificates. */
const CERTIFICATE_FIELDS = ["id", "display", "days_remaining", "status"] as const;

/** Statuses of certificates that are no longer in use. */
const PAST_STATUSES = ["replaced", "revoked"];

/** The filters of suggested certificates, in their order. */
const CERTIFICATE_PARTS: readonly Params[] = [
  { expired: "false", status__n: PAST_STATUSES },
  { expired: "true", status__n: PAST_STATUSES },
  { status: PAST_STATUSES },
];

async function readChoices(call: Call, target: Resource, params: Params): Promise<Choice[]> {
  if (!isGranted(call.ctx, "view", target.objectType)) return [];
  if (!expires(target)) {
    const { rows } = await readRows(call.ctx, target, { params, fields: ["id", "display"] });
    return rows.map((row) => choiceOf(target, row));
  }
  const { rows } = await readRows(call.ctx, target, { params, fields: CERTIFICATE_FIELDS });
  return rows.map((row) => ({ ...choiceOf(target, row), note: noteOf(row) }));
}

function choiceOf(target: Resource, { id, display }: Pick<Out, "id" | "display">): Choice {
  return { target, id: String(id), name: truncate(display) };
}

/** Returns when a certificate expires, after the status of one that is no longer in use. */
function noteOf(
  { days_remaining: days, status }: Pick<Certificate, "days_remaining" | "status">,
): string {
  return PAST_STATUSES.includes(status) ? `${status}, ${expiryText(days)}` : expiryText(days);
}

/** Returns the first objects that match a typed text. Each type has a share, so that the first one does not hide the others. */
export async function suggestionsFor(
  call: Call,
  targets: readonly Resource[],
  text: string,
): Promise<Suggestions> {
  const found = await Promise.all(targets.map((target) => matching(call, target, text)));
  const share = Math.floor(MAX_SUGGESTIONS / Math.max(1, found.filter(({ length }) => length > 0).length));
  const counts = found.map(({ length }) => Math.min(share, length));
  let rest = MAX_SUGGESTIONS - counts.reduce((sum, count) => sum + count, 0);
  const choices = found.flatMap((own, index) => {
    // Space that other types do not need.
    const count = Math.min((counts[index] ?? 0) + rest, own.length);
    rest -= count - (counts[index] ?? 0);
    return own.slice(0, count);
  });
  const notes = ({ target }: Choice): { note?: string } =>
    targets.length === 1 ? {} : { note: nounOf(target) };
  return {
    choices: choices.map((choice) => ({ ...choice, ...notes(choice) })),
    more: found.flat().length > choices.length,
  };
}

/**
 * Returns the first matches of one type, and one more than are shown. Certificates in use come first, then expired ones,
 * then those that were replaced or revoked, with this word. Two statements, for certificates six.
 */
async function matching(call: Call, target: Resource, text: string): Promise<readonly Choice[]> {
  const found: Choice[] = [];
  for (const part of expires(target) ? CERTIFICATE_PARTS : [{}]) {
    const limit = MAX_SUGGESTIONS + 1 - found.length;
    const params: Params = { ...part, ...(text === "" ? {} : { q: text }), limit };
    if (limit > 0) found.push(...await readChoices(call, target, params));
  }
  return found;
}

/** Returns the names of the objects with these ids or slugs that the user may view. At most one statement. */
export async function namesBy(
  call: Call,
  { target, by }: { target: Resource; by: "id" | "slug" },
  values: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const known = values.filter((value) => value !== "" && value.length <= MAX_FILTER_VALUE_CHARS);
  if (known.length === 0 || !isGranted(call.ctx, "view", target.objectType)) return new Map();
  // With `start`, a list is not counted.
  const params = { [by]: known, start: 0, limit: 0 };
  const { rows } = await readRows(call.ctx, target, { params, fields: [by, "display"] });
  return new Map(rows.map((row) => [String(row[by]), row.display]));
}

/** Reads those that the user may view, in any state. One statement; none without ids. */
export async function certificatesById<const Name extends string & keyof Certificate>(
  call: Call,
  given: readonly number[],
  fields: readonly Name[],
  columns: readonly string[] = [],
): Promise<ReadonlyMap<unknown, Chosen<Certificate, Name | "id">>> {
  const ids = [...new Set(given)];
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return new Map();
  // With `start`, a list is not counted.
  const params = { id: ids, archived: "any", start: 0, limit: ids.length };
  const { rows } = await readColumns(call, certificates, { params, fields: ["id", ...fields], columns });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Maximum of object types in one request. */
const MAX_TYPES = 10;

/** Returns the path of the suggestions for references to objects of these types. */
export function suggestPath(targets: readonly Resource[]): string {
  return `/suggest/${targets.map((target) => listPath(target).slice(1, -1)).join(",")}/`;
}

/**
 * `GET /suggest/<list>/?q=…`: `{"options": [{"value": "web-01 (#3)", "label": "web-01"}], "more": false}`, certificates
 * with the time until their expiry; for several lists, separated by
 * commas, values are as `web-01 (device #3)`, with the kind of object.
 */
export async function suggest(call: Call): Promise<Response> {
  const names = (call.params.name ?? "").split(",");
  const targets = names.flatMap((name) => resources.find((one) => listPath(one) === `/${name}/`) ?? []);
  if (targets.length < names.length || targets.length > MAX_TYPES) throw notFound();
  const { choices, more } = await suggestionsFor(call, targets, (call.query.get("q") ?? "").trim());
  const options = choices.map((choice) => ({
    value: referenceText(targets, choice),
    label: targets.length === 1 ? withoutExpiry(choice.name) : choice.name,
    note: choice.note,
  }));
  return Response.json({ options, more }, { headers: { "cache-control": "private, no-store" } });
}
