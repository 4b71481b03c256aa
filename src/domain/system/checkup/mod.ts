/** Checks of the database. */

export { checkDatabase, type Checkup } from "./check_database.ts";
export { type CheckInput, type CheckResult } from "./check_result.ts";
export { type SchemaObject, schemaOf } from "./schema.ts";
