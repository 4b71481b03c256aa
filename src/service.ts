/**
 * The service without the other commands, for `deno task start`: before an entry point runs, the runtime reads all
 * modules that it may ever load, which takes a tenth of the time of a start.
 */

import { runServe } from "./cli/serve.ts";

if (import.meta.main) Deno.exit(await runServe(Deno.args));
