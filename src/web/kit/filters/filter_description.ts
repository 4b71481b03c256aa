/** What pages show of a filter by its name: its label, the objects to which it refers, and its choices. */

import { uncapitalized } from "../../../base/amounts.ts";
import { memoize } from "../../../base/memoize.ts";
import { users } from "../../../domain/accounts/users/resource.ts";
import { certificates, MEMBER_STATES } from "../../../domain/certificates/mod.ts";
import { checks, policies } from "../../../domain/compliance/mod.ts";
import { contacts } from "../../../domain/contacts/mod.ts";
import { incidents } from "../../../domain/incidents/mod.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { auditEvents } from "../../../domain/system/audit_events/resource.ts";
import {
  type FieldMap,
  type FilterName,
  filterNames,
  isKeyless,
  mapIn,
  resolveName,
  targetMapOf,
} from "../../../filters/mod.ts";
import { customMembersOf, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { SelectOption } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";

/** Returns the query parameters of a field map, without those of related objects; built once. */
export const filtersByName = memoize((map: FieldMap): ReadonlyMap<string, FilterName> =>
  new Map([...filterNames(map)].map((one) => [one.name, one]))
);

/** Returns the choices of a filter; undefined for any text. */
export function choicesOf(filter: FilterName | undefined): SelectOption[] | undefined {
  if (filter?.type === "boolean") return [["true", "Yes"], ["false", "No"]];
  return filter?.choices?.filter(Boolean).map((one) => [one, one.replaceAll("_", " ")] as const);
}

/** The objects to which the value of a filter refers, and by what. */
export interface FilterTarget {
  readonly target: Resource;
  readonly by: "id" | "slug";
}

/** Filters by ids that are no relations of the listed objects, by the type of these. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Resource>>>> = {
  [certificates.objectType]: {
    owner: contacts,
    contact: contacts,
    unchecked_by: policies,
    incident: incidents,
    ...Object.fromEntries(MEMBER_STATES.map((state) => [`incident_${state}`, incidents])),
  },
  // Filters of the compliance report.
  [checks.objectType]: { tenant_id: tenants, owner: contacts },
  [auditEvents.objectType]: { user_id: users },
};

/** Returns whether a filter by id that is no relation refers to objects of a known type. */
export function isKnownId({ objectType }: FieldMap, name: string): boolean {
  return Object.hasOwn(OTHERS[objectType] ?? {}, name);
}

/**
 * Returns the objects to which a filter refers, also behind relations: `tenant_id` of certificates refers to tenants by
 * id, `tag__n` to tags by slug. Undefined for filters by other values.
 */
export function filterTarget(call: Call, resource: Resource, name: string): FilterTarget | undefined {
  const others = OTHERS[resource.objectType] ?? {};
  if (Object.hasOwn(others, name)) return others[name] && { target: others[name], by: "id" };
  const map = mapIn(call.ctx, resource.map);
  const found = resolveName(map, name);
  const target = found === undefined ? undefined : resourceOf(targetMapOf(found.field)?.objectType ?? "");
  if (found !== undefined && target !== undefined) {
    if (found.operator !== undefined && found.operator !== "exact") return undefined;
    if (found.byId || isKeyless(found.field)) return { target, by: "id" };
    return Object.hasOwn(target.fields, "slug") ? { target, by: "slug" } : undefined;
  }
  // The owner of the certificate of a check.
  const [relation = "", ...rest] = name.split("__");
  const field = Object.hasOwn(map.fields, relation) ? map.fields[relation] : undefined;
  const related = field === undefined ? undefined : resourceOf(targetMapOf(field)?.objectType ?? "");
  return related === undefined || rest.length === 0
    ? undefined
    : filterTarget(call, related, rest.join("__"));
}

/**
 * Returns the resource to whose ids a filter refers together with a filter by object type: devices for
 * `assigned_object_id` next to `assigned_object_type=dcim.device`; undefined without exactly one such type.
 */
export function typedTarget(
  resource: Resource,
  name: string,
  parameters: readonly (readonly [name: string, value: string])[],
): FilterTarget | undefined {
  const id = name.replace(/__n$/, "");
  const type = id.replace(/_id$/, "_type");
  const { fields } = resource.map;
  if (type === id || !Object.hasOwn(fields, id) || !Object.hasOwn(fields, type)) return undefined;
  const types = new Set(parameters.filter(([one]) => one === type).map(([, value]) => value));
  const [only = ""] = types;
  const target = types.size === 1 ? resourceOf(only) : undefined;
  return target && { target, by: "id" };
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
  expires_within: "Days left, at most",
  assigned_or_served: "Assigned or served",
  has_assignments: "Assigned to an object",
  has_endpoints: "Served at an endpoint",
  unchecked: "Without current checks",
  unchecked_by: "Not checked by policy",
  device_id: "Assigned to device",
  virtual_machine_id: "Assigned to VM",
  service_id: "Assigned to service",
  is_acme: "Issued by ACME",
  owner_name: "Owner’s name",
  contact: "Contact or owner",
  lifetime_days: "Lifetime in days",
  valid_from: "Issued (valid from)",
  valid_to: "Expires (valid to)",
  tls_version: "TLS version at endpoints",
  san: "Subject alternative name",
};

/** Labels by the name of a field. */
export type Labels = ReadonlyMap<string, string>;
const NO_LABELS: Labels = new Map();

/** Returns a filter's label: `common_name__isw` is "Common name starts with", `certificate__tenant_id` "Certificate tenant". */
export function filterLabel(name: string, labels: Labels = NO_LABELS): string {
  const label = Object.hasOwn(LABELS, name) ? LABELS[name] : undefined;
  if (label !== undefined) return label;
  const path = name.split("__");
  const last = path.at(-1) ?? "";
  const ending = path.length > 1 && Object.hasOwn(ENDINGS, last) ? ENDINGS[last] : undefined;
  const [first = "", ...more] = (ending === undefined ? path : path.slice(0, -1)).map((one) => {
    const plain = one.replace(/_id$/, "");
    return labels.get(one) ?? labels.get(plain) ?? labelOf(plain);
  });
  const own = [first, ...more.map(uncapitalized)].join(" ");
  return ending === undefined ? own : withComparison(own, ending);
}

/** Returns the label of a filter that compares: "Valid from on or after", not "Valid from from". */
export function withComparison(label: string, words: string): string {
  return `${label} ${words}`.replace(/ (from|to|until) from$/i, " $1 on or after")
    .replace(/ (from|to|until) up to$/i, " $1 on or before");
}

/** Words for numbers, where {@link ENDINGS} has those for dates. */
const OF_NUMBERS: Readonly<Record<string, string>> = {
  gte: "at least",
  gt: "more than",
  lte: "at most",
  lt: "less than",
};

/** Returns a filter as a sentence without a period: "Status: active", "Tenant is not Acme", "Tenant is empty". */
export function filterWords(name: string, shown: string, label = filterLabel(name)): string {
  const ending = name.split("__").slice(1).at(-1) ?? "";
  if (ENDINGS[ending] === "is empty") {
    return shown === "false" ? label.replace(/is empty$/, "is not empty") : label;
  }
  if (!Object.hasOwn(ENDINGS, ending)) return `${label}: ${shown}`;
  const ofDates = ` ${ENDINGS[ending]}`;
  const isNumber = Object.hasOwn(OF_NUMBERS, ending) && /^-?\d+$/.test(shown) && label.endsWith(ofDates);
  return isNumber ? `${label.slice(0, -ofDates.length)} ${OF_NUMBERS[ending]} ${shown}` : `${label} ${shown}`;
}

/** Returns the labels of custom fields by the names of their filters: `cf_rack` is "Rack". */
export function customLabels({ ctx }: Call, { objectType }: Resource, members = customMembersOf): Labels {
  return new Map(members(ctx.database, objectType).map(({ name, shown }) => [name, shown.label]));
}
