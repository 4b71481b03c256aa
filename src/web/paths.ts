/** Paths of the pages of objects. */

import { pagePath, type Resource } from "../resource/mod.ts";
import { resources } from "../domain/registry.ts";

const paths = new Map(resources.map((resource) => [resource.objectType, pagePath(resource)]));

/** Returns the path of a resource's list: `/tenants/`. */
export function listPath(resource: Pick<Resource, "objectType">): string {
  return paths.get(resource.objectType) ?? "";
}

/** Returns the path of an object's page: `/tenants/3/`. */
export function objectPath(resource: Pick<Resource, "objectType">, id: unknown): string {
  return `${listPath(resource)}${id}/`;
}

/** Returns the path of a list with a stored query, in which a user may have typed any characters. */
export function queryPath(list: string, query: string): string {
  const encoded = query.toWellFormed().replace(/[^!-~]+|#/g, (text) => encodeURIComponent(text));
  return encoded === "" ? list : `${list}?${encoded}`;
}

const byApi = resources.map((resource) => [`/api/${resource.path}/`, listPath(resource)] as const);

/** Returns the path of the page of an object from its absolute URL in the API; undefined for other URLs. */
export function pathOfUrl(url: string): string | undefined {
  const { pathname } = new URL(url);
  const found = byApi.find(([prefix]) => pathname.startsWith(prefix));
  return found === undefined ? undefined : `${found[1]}${pathname.slice(found[0].length)}`;
}
