/** The resource kit: one definition gives list, get, create, update, delete and their bulk forms. */

export * from "./brief.ts";
export * from "./briefs.ts";
export { idList, readIdList } from "./bulk_ids.ts";
export * from "./create.ts";
export * from "./define.ts";
export * from "./definition.ts";
export * from "./delete.ts";
export * from "./deletion_effects.ts";
export * from "./describe.ts";
export * from "./drafts.ts";
export * from "./field_map.ts";
export * from "./fields/mod.ts";
export * from "./get.ts";
export * from "./list.ts";
export * from "./list_query.ts";
export * from "./parse.ts";
export * from "./resolve.ts";
export * from "./select.ts";
export { storeNew } from "./store_new.ts";
export * from "./tree/mod.ts";
export * from "./until_change.ts";
export * from "./update.ts";
export * from "./where.ts";
export * from "./write_call.ts";
