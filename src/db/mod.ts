/** The database interface and shared functions. Entry points import the clients (files, servers) directly. */

export { QueryTimeout } from "./unavailable.ts";
export type {
  Cell,
  Database,
  ObjectRow,
  Reader,
  ReadOptions,
  Row,
  RowOf,
  Transaction,
  TypedQuery,
} from "./database.ts";
export { migrate, type Migration, MigrationError, missingText, pendingMigrations } from "./migrate.ts";
export { MIGRATIONS } from "./migration_files.ts";
export { checkReadiness } from "./readiness.ts";
export { perDatabase } from "./per_database.ts";
export {
  jsonText,
  MAX_PACKED_CHARS,
  MAX_SQL_VALUES,
  objectMaker,
  pack,
  type Packed,
  type PackedColumn,
  render,
  requirePackedBudget,
  storableText,
} from "./render.ts";
export {
  andAll,
  deleteFrom,
  insertInto,
  named,
  readBatch,
  type RowsOf,
  select,
  update,
  where,
} from "./query_builder.ts";
export { idsIn, inBatches, insertRows, nextIds, nextIdsAnd, updateRows } from "./rows.ts";
