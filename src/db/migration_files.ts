/**
 * The migrations of this release. They are part of the modules, so that no files have to be read when the
 * service runs.
 */

import initialSchema from "../../migrations/0001_initial_schema.sql" with { type: "text" };
import type { Migration } from "./migrate.ts";

/** All migrations in the order in which they are applied. Each file of `migrations/` is in the list. */
export const MIGRATIONS: readonly Migration[] = [{ name: "0001_initial_schema", sql: initialSchema }];
