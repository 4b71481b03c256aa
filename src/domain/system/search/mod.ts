/** One search over everything that a caller may view. */

export { type SearchGroup, searchInventory } from "./search_inventory.ts";
