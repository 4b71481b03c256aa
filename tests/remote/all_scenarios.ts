/** All scenarios on libSQL servers, which take some minutes; the tests run a selection of them. */

import { useServers } from "../support/database.ts";

await useServers();
await import("../rest/scenarios_test.ts");
