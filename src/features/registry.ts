/** Every resource there is, by object type. */

import type { FieldMap } from "../lookup/mod.ts";
import { fieldMap, type Resource } from "../resource/mod.ts";
import { assignments } from "./assignments/mod.ts";
import { authorities } from "./authorities/mod.ts";
import { calendarFeeds } from "./calendar/mod.ts";
import { certificates } from "./certificates/mod.ts";
import { checks, policies } from "./compliance/mod.ts";
import { devices } from "./devices/mod.ts";
import { groups } from "./groups/mod.ts";
import { objectChanges } from "./object_changes/mod.ts";
import { permissions } from "./permissions/mod.ts";
import { services } from "./services/mod.ts";
import { signingRequests } from "./signing_requests/mod.ts";
import { tags } from "./tags/mod.ts";
import { tenants } from "./tenants/mod.ts";
import { tokens } from "./tokens/mod.ts";
import { users } from "./users/mod.ts";
import { virtualMachines } from "./virtual_machines/mod.ts";
import { webhookDeliveries } from "./webhook_deliveries/mod.ts";
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
