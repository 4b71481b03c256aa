/**
 * Prints the folders that the configuration stores data in, joined by commas, for the permissions that
 * `deno task start` grants to the service.
 */

import { dirname } from "node:path";
import { ConfigError, readConfig, readEnvironment } from "./config.ts";

function dataFolders(): string[] {
  try {
    const { dataDir, database } = readConfig(readEnvironment());
    return database.kind === "file" ? [dataDir, dirname(database.path)] : [dataDir];
  } catch (error) {
    // The service itself says what is wrong with the configuration; until then it need not reach anything.
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

// The permission flags cannot express a comma in a name; such a folder stays closed, and the service says so.
const folders = new Set(dataFolders().filter((folder) => !folder.includes(",")));
console.log([...folders].join(",") || "data");
