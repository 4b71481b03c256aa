/** Every resource there is, by object type. */

import type { FieldMap } from "../filters/mod.ts";
import { fieldMap, type Resource } from "../resource/mod.ts";
import { assignments } from "./assignments/mod.ts";
import { authorities } from "./authorities/mod.ts";
import { calendarFeeds } from "./certificates/calendar/mod.ts";
import { certificates } from "./certificates/mod.ts";
import { checks, policies } from "./compliance/mod.ts";
import { devices, services, tags, tenants, virtualMachines } from "./inventory/mod.ts";
import { groups } from "./accounts/groups/mod.ts";
import { objectChanges } from "./system/object_changes/mod.ts";
import { permissions } from "./accounts/permissions/mod.ts";
import { signingRequests } from "./signing_requests/mod.ts";
import { tokens } from "./accounts/tokens/mod.ts";
import { users } from "./accounts/users/mod.ts";
import { webhookDeliveries } from "./webhooks/deliveries/mod.ts";
import { webhooks } from "./webhooks/mod.ts";

/** All resources, in the order of the documentation. */
export const resources: readonly Resource[] = [
  certificates,
  authorities,
  assignments,
  signingRequests,
  policies,
  checks,
  calendarFeeds,
  tenants,
  tags,
  devices,
  virtualMachines,
  services,
  users,
  groups,
  tokens,
  permissions,
  objectChanges,
  webhooks,
  webhookDeliveries,
];

const byType = new Map(resources.map((resource) => [resource.objectType, resource]));

/** The resource of an object type; undefined for one that there is not. */
export function resourceOf(objectType: string): Resource | undefined {
  return byType.get(objectType);
}

/** The field map of an object type. Throws for one that there is not: a defect, or a check that was left out. */
export function mapOf(objectType: string): FieldMap {
  const resource = byType.get(objectType);
  if (resource === undefined) throw new Error(`Object type "${objectType}" has no resource`);
  return fieldMap(resource);
}
