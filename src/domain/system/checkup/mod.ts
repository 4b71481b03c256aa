/** Checks of the database. */

export { checkDatabase, type Checkup } from "./check_database.ts";
export { type SchemaObject, schemaOf } from "./schema.ts";
