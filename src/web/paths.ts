/** Where the pages of objects are. */

import type { Resource } from "../resource/mod.ts";
import { resources } from "../domain/registry.ts";

/** Shorter names than the API's. */
const NAMES: Readonly<Record<string, string>> = {
  "certmgr.certificateauthority": "authorities",
  "certmgr.certificatesigningrequest": "csrs",
  "certmgr.compliancepolicy": "policies",
  "certmgr.compliancecheck": "checks",
  "core.objectchange": "changes",
};

const paths = new Map(resources.map((resource) => {
  const name = NAMES[resource.objectType] ?? resource.path.split("/").at(-1) as string;
  return [resource.objectType, `/${name}/`];
}));

/** The path of a resource's list: `/tenants/`. */
export function listPath(resource: Pick<Resource, "objectType">): string {
  return paths.get(resource.objectType) as string;
}

/** The path of one object's page: `/tenants/3/`. */
export function objectPath(resource: Pick<Resource, "objectType">, id: unknown): string {
  return `${listPath(resource)}${id}/`;
}

const byApi = resources.map((resource) => [`/api/${resource.path}/`, listPath(resource)] as const);

/** The page of the object at an absolute URL of the API; undefined for other URLs. */
export function pathOfUrl(url: string): string | undefined {
  const { pathname } = new URL(url);
  const found = byApi.find(([prefix]) => pathname.startsWith(prefix));
  return found === undefined ? undefined : `${found[1]}${pathname.slice(found[0].length)}`;
}
