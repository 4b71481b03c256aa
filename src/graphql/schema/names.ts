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

type Name = readonly [objectType: string, base: string, name: string, plural: string];

const INVENTORY: readonly Name[] = [
  ["certmgr.certificate", "Certificate", "certificate", "certificates"],
  [
    "certmgr.certificateauthority",
    "CertificateAuthority",
    "certificate_authority",
    "certificate_authorities",
  ],
  ["certmgr.certificateassignment", "CertificateAssignment", "certificate_assignment", "assignments"],
  [
    "certmgr.certificatesigningrequest",
    "CertificateSigningRequest",
    "certificate_signing_request",
    "signing_requests",
  ],
  ["certmgr.compliancepolicy", "CompliancePolicy", "compliance_policy", "compliance_policies"],
  ["certmgr.compliancecheck", "ComplianceCheck", "compliance_check", "compliance_checks"],
  ["certmgr.incident", "Incident", "incident", "incidents"],
  ["certmgr.revocationcheck", "RevocationCheck", "revocation_check", "revocation_checks"],
  ["certmgr.revocationlist", "RevocationList", "revocation_list", "revocation_lists"],
  ["tenancy.tenant", "Tenant", "tenant", "tenants"],
  ["tenancy.contact", "Contact", "contact", "contacts"],
  ["tenancy.contactgroup", "ContactGroup", "contact_group", "contact_groups"],
  ["tenancy.contactrole", "ContactRole", "contact_role", "contact_roles"],
  ["tenancy.contactassignment", "ContactAssignment", "contact_assignment", "contact_assignments"],
  ["extras.tag", "Tag", "tag", "tags"],
  ["dcim.device", "Device", "device", "devices"],
  ["virtualization.virtualmachine", "VirtualMachine", "virtual_machine", "virtual_machines"],
  ["ipam.service", "Service", "service", "services"],
  ["tenancy.tenantgroup", "TenantGroup", "tenant_group", "tenant_groups"],
  ["dcim.site", "Site", "site", "sites"],
  ["dcim.location", "Location", "location", "locations"],
  ["dcim.region", "Region", "region", "regions"],
  ["dcim.sitegroup", "SiteGroup", "site_group", "site_groups"],
  ["dcim.manufacturer", "Manufacturer", "manufacturer", "manufacturers"],
  ["dcim.devicetype", "DeviceType", "device_type", "device_types"],
  ["dcim.devicerole", "DeviceRole", "device_role", "device_roles"],
  ["dcim.platform", "Platform", "platform", "platforms"],
  ["virtualization.cluster", "Cluster", "cluster", "clusters"],
  ["virtualization.clustertype", "ClusterType", "cluster_type", "cluster_types"],
];

const OPERATIONS: readonly Name[] = [
  ["certmgr.endpoint", "Endpoint", "endpoint", "endpoints"],
  ["certmgr.observation", "Observation", "observation", "observations"],
  ["certmgr.scanjob", "ScanJob", "scan_job", "scan_jobs"],
  ["certmgr.calendarfeed", "CalendarFeed", "calendar_feed", "calendar_feeds"],
  ["certmgr.notificationchannel", "NotificationChannel", "notification_channel", "notification_channels"],
  ["certmgr.subscription", "Subscription", "subscription", "subscriptions"],
  [
    "certmgr.notificationdelivery",
    "NotificationDelivery",
    "notification_delivery",
    "notification_deliveries",
  ],
  ["extras.customfield", "CustomField", "custom_field", "custom_fields"],
  ["extras.customfieldchoiceset", "CustomFieldChoiceSet", "custom_field_choice_set", "choice_sets"],
  ["extras.webhook", "Webhook", "webhook", "webhooks"],
  ["extras.webhookdelivery", "WebhookDelivery", "webhook_delivery", "webhook_deliveries"],
  ["certmgr.savedview", "SavedView", "saved_view", "saved_views"],
  ["users.user", "User", "user", "users"],
  ["users.group", "Group", "group", "groups"],
  ["users.token", "Token", "token", "tokens"],
  ["users.objectpermission", "ObjectPermission", "object_permission", "object_permissions"],
  ["core.objectchange", "ObjectChange", "object_change", "object_changes"],
  ["core.auditevent", "AuditEvent", "audit_event", "audit_events"],
];

/** All resources of REST, in the order of the documentation. */
export const SCHEMA_RESOURCES: readonly SchemaResource[] = [
  ...INVENTORY.map((name) => entryWith(name, { relatedNames: true })),
  ...OPERATIONS.map((name) => entryWith(name, { relatedNames: false })),
];

function entryWith(
  [objectType, base, name, plural]: Name,
  options: Pick<SchemaResource, "relatedNames">,
): SchemaResource {
  const resource = resourceOf(objectType);
  if (resource === undefined) throw new Error(`Object type "${objectType}" has no resource`);
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
