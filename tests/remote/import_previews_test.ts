/** Previews of imports once more, each on a libSQL server: what is tried there is rolled back, and confirmed once. */

import { useServers } from "../support/database.ts";

await useServers();

await import("../domain/certificates/import_preview/confirm_test.ts");
