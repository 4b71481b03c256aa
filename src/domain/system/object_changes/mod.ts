/** The change log. */

export { pruneChanges } from "./prune_changes.ts";
export { type ObjectChange, objectChanges } from "./resource.ts";
