/** The tests of import previews on a libSQL server: trial imports are rolled back, and confirmed once. */

import { useServers } from "../support/database.ts";

await useServers();

await import("../domain/certificates/import_preview/confirm_test.ts");
