/** The change log. */

export { pruneChanges } from "./prune_changes.ts";
export { objectChanges } from "./resource.ts";
