/** Defaults of the list of certificates, unless its URL has parameters, also where a filter is stored. */

import type { CalendarFeed } from "../../../domain/certificates/calendar/resource.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { truncate } from "../../kit/components/mod.ts";
import { defaultsOf, type FilterPicker, type Params, searchOf, type View } from "../../kit/mod.ts";
import { listPath, queryPath } from "../../paths.ts";

/** Selects revoked certificates without a successor that are still assigned or served. */
export const REVOKED_USED: Params = {
  status: "revoked",
  replaced_by__empty: "true",
  assigned_or_served: "true",
};

/**
 * The defaults of the list: ordered by expiry, replaced certificates with the latest first, and without certificates that are
 * not in use.
 */
export const LIST_DEFAULTS: Pick<View, "ordering" | "scope"> = {
  ordering: (params) => showsReplaced(params) ? "-valid_to" : "valid_to",
  scope: {
    add: (params) => {
      const used = showsUsed(params);
      if (used) params.set("in_use", "true");
      return used;
    },
  },
};

/** Adds the defaults of the list to its parameters. */
export const withDefaults: (params: URLSearchParams) => void = defaultsOf(LIST_DEFAULTS);

/** Returns whether a URL selects only replaced certificates. */
export function showsReplaced(params: URLSearchParams): boolean {
  const statuses = params.getAll("status");
  return statuses.length > 0 && statuses.every((status) => status === "replaced");
}

/** Returns the filter of a list within the tab "In use". */
export function usedParams(filter: Params): Params {
  return { ...filter, in_use: "true" };
}

/** Returns whether a URL selects the tab "In use", the default. */
export function showsUsed(params: URLSearchParams): boolean {
  return !["status", "archived"].some((name) => params.has(name)) && params.get("show") !== "all" &&
    (params.get("in_use") ?? "true") === "true";
}

/** Returns the path of the list of certificates with these filters, those that are not in use included. */
export function allCertificatesPath(params: Params): string {
  return `/certificates/?show=all&${searchOf(params)}`;
}

/** The control of a field with the query of a list of certificates. */
export const certificatePicker: FilterPicker = {
  map: () => certificates.map,
  notation: "query",
  list: () => certificates,
  withDefaults: () => withDefaults,
};

/** Returns the list of certificates that the field `filter` of an object selects. */
export function selectedList({ filter }: Pick<CalendarFeed, "filter">): {
  resource: typeof certificates;
  query: string;
  path: string;
  withDefaults: typeof withDefaults;
} {
  return {
    resource: certificates,
    query: filter,
    path: queryPath(listPath(certificates), filter),
    withDefaults,
  };
}

/** Returns the path of the form for an incident about an authority that revokes certificates. */
export function incidentPath(authority: string, criteria: Readonly<Record<string, string>>): string {
  const name = `Revocations by ${truncate(authority, 80)}`;
  return `/incidents/new/?${new URLSearchParams({ name, kind: "ca_revocation", ...criteria })}`;
}
