/** Runs every table of scenarios, and sees to it that together they show every answer of every operation. */

import assert from "node:assert/strict";
import { seen } from "../support/scenario.ts";

for (const entry of Deno.readDirSync(new URL("./scenarios/", import.meta.url))) {
  await import(`./scenarios/${entry.name}`);
}

assert(seen.size > 0);
