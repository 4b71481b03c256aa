/** Reads objects with related objects, level by level (GraphQL). */

export * from "./object_query.ts";
export { getTree, listTree } from "./read_tree.ts";
