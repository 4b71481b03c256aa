/**
 * Scenarios on a libSQL server: those that write in many ways, and those that read in many ways. `all_scenarios.ts` has
 * all of them.
 */

import { useServers } from "../support/database.ts";

await useServers();

const TABLES = [
  "bulk_imports",
  "certificate_changes",
  "compliance",
  "imports",
  "inventory",
  "lists",
  "object_changes",
  "renewals",
  "status_changes",
  "webhooks",
];
for (const name of TABLES) await import(`../rest/scenarios/${name}.ts`);
