/** The command line: serve, migrate, user, token, import, export. */

import { runProgram } from "./cli/mod.ts";

if (import.meta.main) Deno.exit(await runProgram(Deno.args));
