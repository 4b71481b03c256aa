/** Resources: one definition provides list, get, create, update, delete and their bulk forms. */

export * from "./model/brief.ts";
export * from "./model/brief_query.ts";
export { idList } from "./write/bulk_ids.ts";
export * from "./write/create.ts";
export * from "./model/registry.ts";
export * from "./model/definition.ts";
export * from "./write/delete.ts";
export * from "./write/deletion_effects.ts";
export * from "./model/describe.ts";
export * from "./write/drafts.ts";
export * from "./model/field_map.ts";
export * from "./model/fields/mod.ts";
export * from "./read/get.ts";
export * from "./read/list.ts";
export { longBytes, longFields } from "./read/long_texts.ts";
export * from "./read/list_query.ts";
export * from "./write/parse.ts";
export * from "./write/resolve.ts";
export * from "./read/select.ts";
export { storeNew } from "./write/store_new.ts";
export * from "./read/tree/mod.ts";
export * from "./read/cache_until_change.ts";
export * from "./write/update.ts";
export * from "./read/where.ts";
export * from "./write/write_call.ts";
