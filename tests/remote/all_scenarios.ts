/** Every table of scenarios on libSQL servers, which takes some minutes; the gate runs a selection. */

import { useServers } from "../support/database.ts";

await useServers();
await import("../rest/scenarios_test.ts");
