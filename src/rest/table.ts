/** The table of all REST operations. */

import { resources } from "../domain/registry.ts";
import type { Resource } from "../resource/mod.ts";
import { accountOperations } from "./account_operations.ts";
import { calendarOperations } from "./calendar_operations.ts";
import { chainOperations } from "./chain_operations.ts";
import { certificateOperations } from "./certificate_operations.ts";
import { complianceOperations } from "./compliance_operations.ts";
import { endpointOperations } from "./endpoint_operations.ts";
import { importOperations } from "./import_operations.ts";
import { documentOperations } from "./openapi/mod.ts";
import { incidentOperations } from "./incident_operations.ts";
import { inventoryOperations } from "./inventory_operations.ts";
import { noticeOperations } from "./notice_operations.ts";
import type { Operation } from "./operation.ts";
import { resourceOperations } from "./resource_operations.ts";
import { adviceOperations, lifeOperations } from "./life_operations.ts";
import { rootOperations } from "./root_operations.ts";
import { ruleOperations } from "./rule_operations.ts";

/** Returns all operations, in the order of the documentation. */
export function operationTable(): Operation[] {
  const table: Operation[] = [
    ...rootOperations(resources),
    ...documentOperations(() => table),
    ...resources.flatMap(resourceOperations),
    ...certificateOperations(),
    ...importOperations(),
    ...chainOperations(),
    ...complianceOperations(),
    ...ruleOperations(),
    ...lifeOperations(),
    ...incidentOperations(),
    ...inventoryOperations(),
    ...accountOperations(),
    ...calendarOperations(),
    ...noticeOperations(),
    ...endpointOperations(),
    ...adviceOperations(),
  ];
  return table;
}

/** Returns the resource of a collection's or an item's path; undefined for any other path. */
export function collectionOf(path: string): Resource | undefined {
  const plain = path.replace(/^\/api\//, "").replace(/(?:\/\{id\})?\/$/, "");
  return resources.find((resource) => resource.path === plain);
}
