/** Reads objects with related objects, level by level (GraphQL). */

export * from "./branch.ts";
export { getTree, listTree } from "./read_tree.ts";
