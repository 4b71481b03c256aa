/** The resources in the GraphQL schema, and their names there. */

import { resourceOf } from "../../domain/registry.ts";
import type { Resource } from "../../resource/mod.ts";

/** A resource with the names of its types and fields. */
export interface SchemaResource {
  readonly resource: Resource;
  /** `CertificateType`. */
  readonly type: string;
  /** `CertificateFilter`. */
  readonly filter: string;
  /** `certificate` for one object. With `_list` the list, with `_list_total` the number of all. */
  readonly name: string;
  /** `certificates`: the list in objects to which its elements refer. */
  readonly plural: string;
  /**
   * Whether filters on related objects also exist under REST's names (`tenant__name`). They make up half of
   * the schema, so only the inventory has them. `tenant__where` exists everywhere.
   */
  readonly relatedNames: boolean;
}

/** Without a plural, it ends with an s. */
type Name = readonly [objectType: string, name: string, plural?: string];

const INVENTORY: readonly Name[] = [
  ["certmgr.certificate", "certificate"],
  ["certmgr.certificateauthority", "certificate_authority", "certificate_authorities"],
  ["certmgr.certificateassignment", "certificate_assignment", "assignments"],
  ["certmgr.certificatesigningrequest", "certificate_signing_request", "signing_requests"],
  ["certmgr.compliancepolicy", "compliance_policy", "compliance_policies"],
  ["certmgr.compliancecheck", "compliance_check"],
  ["certmgr.incident", "incident"],
  ["certmgr.revocationcheck", "revocation_check"],
  ["certmgr.revocationlist", "revocation_list"],
  ["tenancy.tenant", "tenant"],
  ["tenancy.contact", "contact"],
  ["tenancy.contactgroup", "contact_group"],
  ["tenancy.contactrole", "contact_role"],
  ["tenancy.contactassignment", "contact_assignment"],
  ["extras.tag", "tag"],
  ["dcim.device", "device"],
  ["virtualization.virtualmachine", "virtual_machine"],
  ["ipam.service", "service"],
  ["tenancy.tenantgroup", "tenant_group"],
  ["dcim.site", "site"],
  ["dcim.location", "location"],
  ["dcim.region", "region"],
  ["dcim.sitegroup", "site_group"],
  ["dcim.manufacturer", "manufacturer"],
  ["dcim.devicetype", "device_type"],
  ["dcim.devicerole", "device_role"],
  ["dcim.platform", "platform"],
  ["virtualization.cluster", "cluster"],
  ["virtualization.clustertype", "cluster_type"],
];

const OPERATIONS: readonly Name[] = [
  ["certmgr.endpoint", "endpoint"],
  ["certmgr.observation", "observation"],
  ["certmgr.scanjob", "scan_job"],
  ["certmgr.calendarfeed", "calendar_feed"],
  ["certmgr.notificationchannel", "notification_channel"],
  ["certmgr.subscription", "subscription"],
  ["certmgr.notificationdelivery", "notification_delivery", "notification_deliveries"],
  ["extras.customfield", "custom_field"],
  ["extras.customfieldchoiceset", "custom_field_choice_set", "choice_sets"],
  ["extras.webhook", "webhook"],
  ["extras.webhookdelivery", "webhook_delivery", "webhook_deliveries"],
  ["certmgr.savedview", "saved_view"],
  ["users.user", "user"],
  ["users.group", "group"],
  ["users.token", "token"],
  ["users.objectpermission", "object_permission"],
  ["core.objectchange", "object_change"],
  ["core.auditevent", "audit_event"],
];

/** All resources of REST, in the order of the documentation. */
export const SCHEMA_RESOURCES: readonly SchemaResource[] = [
  ...INVENTORY.map((name) => entryWith(name, { relatedNames: true })),
  ...OPERATIONS.map((name) => entryWith(name, { relatedNames: false })),
];

/** Returns `CertificateAuthority` for `certificate_authority`. */
export function pascal(name: string): string {
  return name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function entryWith(
  [objectType, name, plural = `${name}s`]: Name,
  options: Pick<SchemaResource, "relatedNames">,
): SchemaResource {
  const resource = resourceOf(objectType);
  if (resource === undefined) throw new Error(`Object type "${objectType}" has no resource`);
  const base = pascal(name);
  return { resource, type: `${base}Type`, filter: `${base}Filter`, name, plural, ...options };
}

const byType = new Map(SCHEMA_RESOURCES.map((entry) => [entry.resource.objectType, entry]));

/** Returns a resource with its names; undefined if it is not part of the schema. */
export function schemaResourceOf({ objectType }: Resource): SchemaResource | undefined {
  return byType.get(objectType);
}

/**
 * Returns the name of the list of rows that refer to `target` by `field`: their plural, or a clearer name.
 */
export function backName(entry: SchemaResource, field: string, target: Resource): string {
  if (field === "parent" && entry.resource === target) return "children";
  return BACK_NAMES[`${entry.name}.${field}`] ?? entry.plural;
}

const BACK_NAMES: Readonly<Record<string, string>> = {
  "certificate.replaced_by": "replaces",
  "certificate_signing_request.renews": "renewal_requests",
  "endpoint.expected_certificate": "expecting_endpoints",
};
