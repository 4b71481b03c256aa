/** Objects with what hangs on them, read level by level. */

export * from "./branch.ts";
export { getTree, listTree } from "./read_tree.ts";
