/**
 * `certmgr health`: checks whether a service responds and is ready, for container engines and scripts without curl.
 */

import { Command } from "commander";
import { type Config, readConfig, readEnvironment } from "../config/mod.ts";
import { listenerUrl } from "../server.ts";
import { CommandError, reasonOf } from "./failure.ts";
import { printLines } from "./output.ts";
import { readOptions } from "./service_client.ts";

/** How long `certmgr health` waits for a response, in milliseconds: less than container engines do. */
const HEALTH_TIMEOUT_MS = 4_000;

const HELP = `
Prints the response of /readyz. The exit code is 0 if the service is ready, and 1 if it is not, or
does not respond within four seconds. Without --url, checks the service with the same settings on
this machine.

Examples:
  certmgr health
  certmgr health --url https://certs.example.com`;

export function healthCommand(): Command {
  return new Command("health").description("check that the service is ready")
    .option("--url <address>", "address of the service")
    .addHelpText("after", HELP)
    .action(run);
}

async function run({ url }: { url?: string }): Promise<void> {
  const config = url === undefined ? readConfig(readEnvironment()) : readOptions({ url });
  const address = `${url === undefined ? ownUrl(config) : config.url}/readyz`;
  const { ok, text } = await ask(address);
  if (!ok) throw new CommandError(`Service at ${address} is not ready: ${text}`);
  printLines(text);
}

/** Returns the local address of the service with the same settings. */
function ownUrl({ host, port }: Config): string {
  const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  return listenerUrl({ hostname: everywhere[host] ?? host, port }).replace(/\/$/, "");
}

async function ask(address: string): Promise<{ ok: boolean; text: string }> {
  try {
    const response = await fetch(address, {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      redirect: "error",
    });
    // With a web page, it is another server, or a proxy that serves its page for every path.
    const isPage = response.headers.get("content-type")?.startsWith("text/html") ?? false;
    return { ok: response.status === 200 && !isPage, text: (await response.text()).trim().slice(0, 1_000) };
  } catch (error) {
    throw new CommandError(`Service at ${address} cannot be reached: ${reasonOf(error)}`);
  }
}
