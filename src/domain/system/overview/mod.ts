/** Numbers for the dashboard. */

export { inventoryOverview, type Overview, type Share } from "./overview.ts";
export type { DividedWeeks } from "./weeks.ts";
