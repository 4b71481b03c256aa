/** `certmgr serve`: runs the service until a signal stops it. */

import { Command, Option } from "commander";
import { serve } from "./serve.ts";

const HELP = `
Settings are environment variables, listed by "certmgr settings". The first start creates
the user "admin" and prints its password and API token once.

Examples:
  certmgr serve
  CERTMGR_PORT=9000 CERTMGR_DATA_DIR=/var/lib/certmgr certmgr serve`;

export function serveCommand(): Command {
  const worker = new Option("--worker <number/all>", "run as one of several workers").hideHelp();
  return new Command("serve").description("run the service").addOption(worker).addHelpText("after", HELP)
    .action(serve);
}
