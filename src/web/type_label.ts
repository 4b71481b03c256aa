/** Labels of object types. */

import { counted } from "../base/amounts.ts";
import { resourceOf } from "../domain/registry.ts";
import type { Resource } from "../resource/mod.ts";
import type { SelectOption } from "./kit/components/mod.ts";
import { capitalized } from "./messages.ts";

/** Headings for long lists of types, and the types under them. */
const GROUPS: readonly (readonly [title: string, types: readonly string[]])[] = [
  ["Certificates", [
    "certmgr.certificate",
    "certmgr.certificateassignment",
    "certmgr.certificateauthority",
    "certmgr.certificatesigningrequest",
    "certmgr.compliancepolicy",
    "certmgr.compliancecheck",
  ]],
  ["Endpoints", ["certmgr.endpoint", "certmgr.observation", "certmgr.scanjob"]],
  ["Organization", [
    "tenancy.tenant",
    "tenancy.tenantgroup",
    "tenancy.contact",
    "tenancy.contactgroup",
    "tenancy.contactrole",
    "tenancy.contactassignment",
    "extras.tag",
  ]],
  ["Sites and hardware", [
    "dcim.device",
    "virtualization.virtualmachine",
    "ipam.service",
    "dcim.site",
    "dcim.location",
    "dcim.region",
    "dcim.sitegroup",
    "dcim.manufacturer",
    "dcim.devicetype",
    "dcim.devicerole",
    "dcim.platform",
    "virtualization.cluster",
    "virtualization.clustertype",
  ]],
  ["Notifications", [
    "certmgr.subscription",
    "certmgr.notificationchannel",
    "certmgr.notificationdelivery",
    "certmgr.calendarfeed",
    "extras.webhook",
    "extras.webhookdelivery",
  ]],
  ["Administration", [
    "users.user",
    "users.group",
    "users.token",
    "users.objectpermission",
    "certmgr.savedview",
    "extras.customfield",
    "extras.customfieldchoiceset",
    "core.objectchange",
    "core.auditevent",
  ]],
];
/** Heading of types that are in no group. */
const OTHERS = "Others";

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

/** Returns types as choices, under the headings of their groups. */
export function typeOptions(types: readonly string[]): SelectOption[] {
  const titles = new Map(GROUPS.flatMap(([title, own]) => own.map((type) => [type, title] as const)));
  const order = [...titles.keys()];
  const position = (type: string): number => (order.indexOf(type) + 1) || order.length + 1;
  return types.toSorted((a, b) => position(a) - position(b))
    .map((type) => [type, capitalized(typeLabel(type)), titles.get(type) ?? OTHERS] as const);
}
