/** The inventory at a glance. */

export { inventoryOverview, type Overview, type Share } from "./overview.ts";
