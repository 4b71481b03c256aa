/** What pages call types of objects. */

import { counted } from "../base/amounts.ts";
import { resourceOf } from "../domain/registry.ts";
import type { Resource } from "../resource/mod.ts";
import type { SelectOption } from "./kit/components/mod.ts";
import { capitalized } from "./messages.ts";
import { PLACES } from "./places.ts";

/** Titles of lists that are not the plural of their objects. */
const TITLES: Readonly<Record<string, string>> = {
  "core.objectchange": "Change log",
  "core.auditevent": "Audit log",
};

/** Words of pages for types whose labels in the API are longer: noun and plural. */
const WORDS: Readonly<Record<string, readonly [noun: string, plural: string]>> = {
  "certmgr.certificateauthority": ["authority", "authorities"],
  "certmgr.certificatesigningrequest": ["signing request", "signing requests"],
  "certmgr.compliancepolicy": ["policy", "policies"],
  "certmgr.compliancecheck": ["check", "checks"],
};

/** Returns what pages call an object of a resource. */
export function nounOf({ objectType, label }: Pick<Resource, "objectType" | "label">): string {
  return WORDS[objectType]?.[0] ?? label;
}

/** Returns what pages call several objects of a resource. */
export function pluralOf(
  { objectType, labelPlural }: Pick<Resource, "objectType" | "labelPlural">,
): string {
  return WORDS[objectType]?.[1] ?? labelPlural;
}

/** Returns the title of the list of a resource: "Compliance policies". */
export function listTitle(resource: Pick<Resource, "objectType" | "labelPlural">): string {
  return TITLES[resource.objectType] ?? capitalized(pluralOf(resource));
}

/** Formats a count of objects: `1 policy`, `1,000 devices`. */
export function countedObjects(
  resource: Pick<Resource, "objectType" | "label" | "labelPlural">,
  count: number,
): string {
  return counted(count, nounOf(resource), pluralOf(resource));
}

/** Returns the label of a type: `dcim.device` is "device"; unknown types keep their name. */
export function typeLabel(objectType: string): string {
  const resource = resourceOf(objectType);
  return resource === undefined ? objectType : nounOf(resource);
}

/** Returns a noun with its indefinite article: "a device", "an authority". */
export function articled(noun: string): string {
  return `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** Returns types as choices, under the places of their lists. */
export function typeOptions(types: readonly string[]): SelectOption[] {
  return PLACES.flatMap(({ title, members }) =>
    members.filter(({ type, path }) => path === undefined && types.includes(type))
      .map(({ type }) => [type, capitalized(typeLabel(type)), title] as const)
  );
}
