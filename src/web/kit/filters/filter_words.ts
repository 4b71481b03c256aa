/** Filters in words: "Tenant is not Acme" for `tenant_id__n=2`. */

import { uncapitalized } from "../../../base/amounts.ts";
import { isKeyless, mapIn, resolveName, targetMapOf } from "../../../filters/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type SelectOption, truncate } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { choicesByIds, namesBySlug } from "../reference/choices.ts";
import { customLabels, withComparison } from "./custom_filters.ts";
import { filterTarget, typedTarget } from "./filter_target.ts";

/** Labels by the name of a field. */
export type Labels = ReadonlyMap<string, string>;
const NO_LABELS: Labels = new Map();

/**
 * Maximum number of names that are read for the filters of a page, for each object type; further objects are shown by
 * their ids.
 */
const MAX_NAMED = 100;

/** Maximum characters of the columns of a list; a saved view may have any number. */
const MAX_COLUMNS_CHARS = 300;

/** A filter of a query. */
export interface FilterInWords {
  readonly label: string;
  /** As in a URL: `tenant_id__n=2`. */
  readonly encoded: string;
}

/** Filters of one list. */
export interface FilterQuery {
  /** Undefined if the list no longer exists. */
  readonly resource: Resource | undefined;
  readonly filters: readonly (readonly [name: string, value: string])[];
  /** All parameters of the list, where `filters` are only some: they can have the object types of ids. */
  readonly parameters?: FilterQuery["filters"];
  /** Values of the form of the list about its filters, for which nothing has to be read. */
  readonly known?: ReadonlyMap<string, KnownFilter>;
}

/** Values of a form about a filter. */
interface KnownFilter {
  readonly label?: string;
  readonly options?: readonly SelectOption[] | undefined;
  /** The objects whose ids are its values, if the field map of the list does not say so. */
  readonly target?: Resource;
}

/**
 * Returns the filters of several queries in words. One or two statements for each object type to whose ids they refer.
 */
export async function filtersInWords(
  call: Call,
  queries: readonly FilterQuery[],
): Promise<readonly (readonly FilterInWords[])[]> {
  const idsByResource = new Map<Resource, Set<string>>();
  const slugsByResource = new Map<Resource, Set<string>>();
  const all = queries.map(({ resource, filters, parameters = filters, known }) => {
    const labels = resource === undefined ? NO_LABELS : customLabels(call, resource);
    return filters.map(([name, value]) => {
      const { label = filterLabel(name, labels), options, target: given } = known?.get(name) ?? {};
      const option = options?.find(([one]) => one === value)?.[1];
      const target = option !== undefined || resource === undefined || !/^\d{1,15}$/.test(value)
        ? undefined
        : given ?? namedTarget(call, resource, name) ?? typedTarget(resource, name, parameters);
      if (target !== undefined) {
        idsByResource.set(target, (idsByResource.get(target) ?? new Set()).add(value));
      }
      const slugged = option !== undefined || resource === undefined || target !== undefined
        ? undefined
        : slugTarget(resource, name);
      if (slugged !== undefined) {
        slugsByResource.set(slugged, (slugsByResource.get(slugged) ?? new Set()).add(value));
      }
      return { resource, name, value, label, option, target, slugged };
    });
  });
  const names = new Map(
    await Promise.all(
      [...idsByResource].map(async ([target, ids]) =>
        [target, await namesOf(call, target, [...ids].slice(0, MAX_NAMED))] as const
      ),
    ),
  );
  const slugs = new Map(
    await Promise.all(
      [...slugsByResource].map(async ([target, some]) =>
        [target, await namesBySlug(call, target, [...some].slice(0, MAX_NAMED))] as const
      ),
    ),
  );
  return all.map((filters) =>
    filters.map(({ resource, name, value, label, option, target, slugged }) => {
      const named = slugged === undefined ? undefined : slugs.get(slugged)?.get(value);
      const shown = option ?? named ?? (target === undefined
        ? valueInWords(call, { resource, name, value })
        : names.get(target)?.get(value) ?? `ID ${value}`);
      return {
        label: filterWords(name, truncate(shown), label),
        encoded: String(new URLSearchParams([[name, value]])),
      };
    })
  );
}

async function namesOf(
  call: Call,
  target: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return new Map((await choicesByIds(call, target, ids)).map(({ id, name }) => [id, name]));
}

/** Returns the resource whose slugs are the values of a filter: `tag`, `tenant__n`; undefined for others. */
function slugTarget({ fields }: Resource, name: string): Resource | undefined {
  const own = name.replace(/__n$/, "");
  const target = Object.values(fields).find(({ filters }) => Object.hasOwn(filters, own))?.target?.();
  return target !== undefined && Object.hasOwn(target.fields, "slug") ? target : undefined;
}

/** Returns the resource whose ids are the values of a filter, also behind relations and with a suffix; undefined for others. */
function namedTarget(call: Call, resource: Resource, name: string): Resource | undefined {
  const own = filterTarget(resource, name);
  if (own !== undefined) return own;
  const map = mapIn(call.ctx, resource.map);
  const found = resolveName(map, name);
  if (found !== undefined && (found.byId || isKeyless(found.field))) {
    return resourceOf(targetMapOf(found.field)?.objectType ?? "");
  }
  // The owner of the certificate of a check.
  const [relation = "", ...rest] = name.split("__");
  const field = Object.hasOwn(map.fields, relation) ? map.fields[relation] : undefined;
  const related = field === undefined ? undefined : resourceOf(targetMapOf(field)?.objectType ?? "");
  return related === undefined || rest.length === 0 ? undefined : namedTarget(call, related, rest.join("__"));
}

function valueInWords(
  { ctx }: Call,
  { resource, name, value }: { resource: Resource | undefined; name: string; value: string },
): string {
  if (value === "null") return "none";
  const field = resource === undefined ? undefined : resolveName(mapIn(ctx, resource.map), name)?.field;
  const type = field?.kind === "predicate" ? field.type : field?.kind;
  if (type === "boolean") return value === "true" ? "yes" : value === "false" ? "no" : value;
  return type === "choice" ? value.replaceAll("_", " ") : value;
}

/** Returns a filter as a sentence without a period: "Status: active", "Tenant is not Acme", "Tenant is empty". */
export function filterWords(name: string, shown: string, label = filterLabel(name)): string {
  const ending = name.split("__").slice(1).at(-1) ?? "";
  if (ENDINGS[ending] === "is empty") {
    return shown === "false" ? label.replace(/is empty$/, "is not empty") : label;
  }
  return Object.hasOwn(ENDINGS, ending) ? `${label} ${shown}` : `${label}: ${shown}`;
}

/** The comparisons of the filter language and of constraints. */
const ENDINGS: Readonly<Record<string, string>> = {
  exact: "is",
  iexact: "is",
  ie: "is",
  in: "is",
  n: "is not",
  nie: "is not",
  contains: "contains",
  icontains: "contains",
  ic: "contains",
  nic: "does not contain",
  startswith: "starts with",
  istartswith: "starts with",
  isw: "starts with",
  nisw: "does not start with",
  endswith: "ends with",
  iendswith: "ends with",
  iew: "ends with",
  niew: "does not end with",
  regex: "matches",
  iregex: "matches",
  gte: "from",
  gt: "after",
  lte: "up to",
  lt: "before",
  empty: "is empty",
  isnull: "is empty",
};

/** Labels of filters whose generated label would be unclear. */
const LABELS: Readonly<Record<string, string>> = {
  q: "Search",
  valid_to__gte: "Expires from",
  valid_to__lte: "Expires up to",
  valid_to__lt: "Expires before",
  weak_key: "Weak key (RSA, DSA below 2048 bits, EC below 256)",
  overdue: "Expired without a successor",
  assigned_or_served: "Assigned or served",
  has_assignments: "Assigned to an object",
  has_endpoints: "Served at an endpoint",
  unchecked: "Without current checks",
  unchecked_by: "Not checked by policy",
  device_id: "Assigned to device",
  virtual_machine_id: "Assigned to VM",
  service_id: "Assigned to service",
  is_acme: "Issued by ACME",
  san: "Subject alternative name",
};

/** Returns a filter's label: `common_name__isw` is "Common name starts with", `certificate__tenant_id` "Certificate tenant". */
export function filterLabel(name: string, labels = NO_LABELS): string {
  const label = Object.hasOwn(LABELS, name) ? LABELS[name] : undefined;
  if (label !== undefined) return label;
  const path = name.split("__");
  const last = path.at(-1) ?? "";
  const ending = path.length > 1 && Object.hasOwn(ENDINGS, last) ? ENDINGS[last] : undefined;
  const [first = "", ...more] = (ending === undefined ? path : path.slice(0, -1)).map((one) =>
    labels.get(one) ?? labelOf(one.replace(/_id$/, ""))
  );
  const own = [first, ...more.map(uncapitalized)].join(" ");
  return ending === undefined ? own : withComparison(own, ending);
}

/** Returns a function that returns the labels of parameters as in the form of the list; others keep their names. */
export function labelsOfFilters(
  call: Call,
  resource: Resource,
  filters: readonly (KnownFilter & { readonly name: string })[],
): (name: string) => string {
  const labels = customLabels(call, resource);
  const known = new Map(filters.map(({ name, label }) => [name, label]));
  return (name) => known.get(name) ?? filterLabel(name, labels);
}

/** Returns the order of a list in words: "Sorted by Valid to, descending". */
export function orderInWords(ordering: string, labels = NO_LABELS): string {
  const parts = ordering.split(",").map((name) => {
    const field = name.replace(/^-/, "");
    const label = labels.get(field) ?? filterLabel(field);
    return name === field ? label : `${label}, descending`;
  });
  return truncate(`Sorted by ${parts.join("; ")}`);
}

/**
 * Returns the parameters of a list in words, each at its index: filters, order, columns and page size. One or two
 * statements for each object type to which the filters refer.
 * @param labels the labels of columns whose names do not make them.
 */
export async function parametersInWords(
  call: Call,
  { resource, parameters, labels = resource === undefined ? NO_LABELS : customLabels(call, resource) }: {
    resource: Resource | undefined;
    parameters: FilterQuery["filters"];
    labels?: ReturnType<typeof customLabels> | undefined;
  },
): Promise<string[]> {
  const [filters = []] = await filtersInWords(call, [{ resource, filters: parameters }]);
  return parameters.map(([name, value], index) => {
    if (name === "ordering") return orderInWords(value, labels);
    if (name === "columns") {
      const columns = value.split(",").map((one) => labels.get(one) ?? labelOf(one));
      return `Columns: ${truncate(columns.join(", "), MAX_COLUMNS_CHARS)}`;
    }
    return name === "limit" ? `Rows per page: ${truncate(value)}` : filters[index]?.label ?? name;
  });
}
