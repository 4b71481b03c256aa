/** The database interface and shared functions. Entry points import the clients (files, servers, replicas) directly. */

export type { Cell, Database, Reader, Row, Transaction, TypedQuery } from "./database.ts";
export { migrate, type Migration, MigrationError, pendingMigrations } from "./migrate.ts";
export { MIGRATIONS } from "./migration_files.ts";
export { checkReadiness, type NotReady } from "./readiness.ts";
export { pack, type Packed } from "./packed.ts";
export { deleteFrom, insertInto, named, readBatch, select, update } from "./query_builder.ts";
export { idsIn, insertRows, nextIds, updateRows } from "./rows.ts";
export { jsonText, storableText } from "./values.ts";
export { render, type Statement } from "./render.ts";
