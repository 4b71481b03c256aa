/**
 * Filters on custom fields in the form of a list: those for the type of the field, such as "from" and "up to" for
 * dates.
 */

import {
  type CustomMember,
  customMembersOf,
  type Resource,
  visibleMembersOf,
} from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { choicesFor } from "../reference/choices.ts";
import type { Filter } from "./filter_form.tsx";

/** Maximum number of custom fields in a form; filters on further ones work in the URL. */
const MAX_FIELDS = 30;

/** Suffixes and their labels. */
const RANGE = [["__gte", "from"], ["__lte", "up to"]] as const;
const EXACT = [["", ""]] as const;

/** Returns the filters; at most two statements for each field that refers to objects. */
export async function customFilters(call: Call, resource: Resource): Promise<Filter[]> {
  const members = visibleMembersOf(call.ctx.database, resource.objectType)
    .filter(({ custom }) => custom.filterLogic !== "disabled" && custom.type !== "json")
    .slice(0, MAX_FIELDS);
  const filters = await Promise.all(members.map((member) => filtersOf(call, member)));
  return filters.flat();
}

async function filtersOf(call: Call, member: CustomMember): Promise<Filter[]> {
  const { name, label, custom, labels } = member;
  const suffixes = ["integer", "decimal", "date", "datetime"].includes(custom.type) ? RANGE : EXACT;
  const target = member.target?.();
  const options = target === undefined
    ? labels === undefined ? undefined : Object.entries(labels)
    : await choicesFor(call, target);
  return suffixes.map(([suffix, words]) => ({
    name: target === undefined ? `${name}${suffix}` : `${name}_id`,
    label: words === "" ? label : withComparison(label, words),
    options,
    day: custom.type === "date" || custom.type === "datetime",
  }));
}

/** Returns the label of a filter that compares: "Valid from on or after", not "Valid from from". */
export function withComparison(label: string, words: string): string {
  return `${label} ${words}`.replace(/ (from|to|until) from$/i, " $1 on or after")
    .replace(/ (from|to|until) up to$/i, " $1 on or before");
}

/** Returns the labels of custom fields by the names of their filters: `cf_rack` is "Rack". */
export function customLabels({ ctx }: Call, { objectType }: Resource): ReadonlyMap<string, string> {
  return new Map(customMembersOf(ctx.database, objectType).map(({ name, label }) => [name, label]));
}
