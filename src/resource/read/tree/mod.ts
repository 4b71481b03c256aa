/** Reads objects with related objects, level by level. GraphQL alone imports it, so that a start does not load it. */

export * from "./object_query.ts";
export { getTree, listTree } from "./read_tree.ts";
