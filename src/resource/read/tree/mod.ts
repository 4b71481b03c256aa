/**
 * Reads objects with related objects, level by level. Only GraphQL imports this, so that it is not loaded at
 * the start.
 */

export * from "./object_query.ts";
export { getTree, listTree } from "./read_tree.ts";
