/** Registry of resources by object type. */

import type { FieldMap } from "../filters/mod.ts";
import { type Resource } from "../resource/mod.ts";
import { assignments } from "./assignments/mod.ts";
import { authorities } from "./authorities/mod.ts";
import { calendarFeeds } from "./certificates/calendar/resource.ts";
import { certificates } from "./certificates/mod.ts";
import { customFieldChoiceSets, customFields } from "./custom_fields/mod.ts";
import { contactAssignments } from "./contact_assignments/mod.ts";
import { contactGroups, contactRoles, contacts } from "./contacts/mod.ts";
import { checks, policies } from "./compliance/mod.ts";
import {
  devices,
  HARDWARE,
  services,
  tags,
  tenantGroups,
  tenants,
  virtualMachines,
} from "./inventory/mod.ts";
import { endpoints, observations, scanJobs } from "./endpoints/mod.ts";
import { incidents } from "./incidents/mod.ts";
import { groups } from "./accounts/groups/resource.ts";
import { channels, notificationDeliveries, subscriptions } from "./notices/mod.ts";
import { auditEvents } from "./system/audit_events/resource.ts";
import { objectChanges } from "./system/object_changes/resource.ts";
import { revocationChecks, revocationLists } from "./revocation/mod.ts";
import { permissions } from "./accounts/permissions/resource.ts";
import { signingRequests } from "./signing_requests/mod.ts";
import { tokens } from "./accounts/tokens/resource.ts";
import { users } from "./accounts/users/resource.ts";
import { savedViews } from "./saved_views/mod.ts";
import { webhookDeliveries } from "./webhooks/deliveries/resource.ts";
import { webhooks } from "./webhooks/mod.ts";

/** All resources, in the order of the documentation. */
export const resources: readonly Resource[] = [
  certificates,
  authorities,
  assignments,
  signingRequests,
  policies,
  checks,
  incidents,
  revocationChecks,
  revocationLists,
  calendarFeeds,
  savedViews,
  endpoints,
  observations,
  scanJobs,
  channels,
  subscriptions,
  notificationDeliveries,
  tenants,
  contacts,
  contactGroups,
  contactRoles,
  contactAssignments,
  tenantGroups,
  tags,
  customFields,
  customFieldChoiceSets,
  devices,
  virtualMachines,
  services,
  ...HARDWARE,
  users,
  groups,
  tokens,
  permissions,
  objectChanges,
  auditEvents,
  webhooks,
  webhookDeliveries,
];

const byType = new Map(resources.map((resource) => [resource.objectType, resource]));

/** Returns the resource of an object type; undefined if it is unknown. */
export function resourceOf(objectType: string): Resource | undefined {
  return byType.get(objectType);
}

/** Returns the field map of an object type. Throws if it is unknown, which is a bug in the caller. */
export function mapOf(objectType: string): FieldMap {
  const resource = byType.get(objectType);
  if (resource === undefined) throw new Error(`Object type "${objectType}" has no resource`);
  return resource.map;
}
