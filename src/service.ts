/**
 * The service without the other commands, for `deno task start`. The runtime reads and downloads everything
 * that an entry point may ever load, so the packages of the commands are left out here.
 */

import { runServe } from "./cli/serve.ts";

if (import.meta.main) Deno.exit(await runServe(Deno.args));
