/** `certmgr serve`: runs the service until a signal stops it. */

import { Command } from "commander";
import { type Context, flushTokenUses } from "../auth/mod.ts";
import { type App, createApp } from "../app.ts";
import { systemClock } from "../base/clock.ts";
import { LOG_FLUSH_MS } from "../base/limits.ts";
import { appOptions, type Opened, serviceContext } from "../composition.ts";
import { type Config, readConfig, readEnvironment } from "../config/mod.ts";
import { memoryQueue, startDelivery } from "../domain/webhooks/sending/mod.ts";
import { startJobs } from "../domain/system/jobs/mod.ts";
import { firstAdmin } from "../domain/accounts/tokens/mod.ts";
import { sendGuarded } from "../http/send_guarded.ts";
import { type RequestHandler, type Server, startServer } from "../server.ts";
import { openForService, serviceLogger } from "./database.ts";
import { CommandError } from "./failure.ts";
import { printBox, printLines } from "./output.ts";
import { processWatch } from "./process_numbers.ts";
import { reasonOf } from "./reason.ts";
import { untilSignal } from "../signals.ts";
import { VERSION } from "./version.ts";

const HELP = `
Settings are environment variables, listed by "certmgr settings". The first start creates
the user "admin" and prints its password and API token once.

Examples:
  certmgr serve
  CERTMGR_PORT=9000 CERTMGR_DATA_DIR=/var/lib/certmgr certmgr serve`;

type FirstAdmin = NonNullable<Awaited<ReturnType<typeof firstAdmin>>>;

/** The command. */
export function serveCommand(): Command {
  return new Command("serve").description("run the service").addHelpText("after", HELP).action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig(readEnvironment());
  const { log, sink } = serviceLogger(config.logLevel);
  try {
    await run(config, { log, sink });
  } finally {
    await sink.flush(LOG_FLUSH_MS);
  }
}

async function run(config: Config, { log, sink }: ReturnType<typeof serviceLogger>): Promise<void> {
  // An address that cannot be had must be known before anything is stored: the first administrator's secrets are
  // shown once. Requests that come meanwhile wait.
  const ready = Promise.withResolvers<App>();
  const handler: RequestHandler = async (request, info) => (await ready.promise).fetch(request, info);
  const server = listen(config, { handler, log });
  const { database, applied } = await openForService(config);
  const opened: Opened = { config, database, log };
  try {
    printLines(`certmgr ${VERSION}`, ...applied.map((name) => `Applied migration ${name}`));
    const { adminPassword: password, adminToken: token } = config;
    const admin = await firstAdmin({ ctx: serviceContext(opened), password, token });
    if (admin !== undefined) announce(admin, config);
    // From the first answer on, a signal ends the service in good order.
    const signalled = untilSignal();
    const app = createApp({ ...appOptions(opened), processNumbers: processWatch(systemClock, sink) });
    ready.resolve(app);
    printLines(`Listening on ${server.url}`);
    log.log("info", "started", { url: server.url, version: VERSION });
    const context = (): Context => serviceContext(opened);
    const delivery = startDelivery({ context, queue: memoryQueue(), send: sendGuarded });
    const jobs = startJobs(context);
    await app.loadPages();
    log.log("info", "stopping", { signal: await signalled });
    // Messages on their way have as long to end as requests; what requests still change is sent after the next start.
    const [cut] = await Promise.all([server.stop(), delivery.stop()]);
    await jobs.stop();
    await flushTokenUses(database);
    log.log(cut === 0 ? "info" : "warn", "stopped", { requests_cut_off: cut });
  } finally {
    database.close();
  }
}

function listen(
  { host, port }: Config,
  options: Pick<Parameters<typeof startServer>[0], "handler" | "log">,
): Server {
  try {
    return startServer({ ...options, host, port });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new CommandError(`Address ${host}:${port} is in use. Set CERTMGR_PORT to a free port.`, {
        cause: error,
      });
    }
    if (error instanceof Deno.errors.NotCapable || !(error instanceof Error)) throw error;
    throw new CommandError(`Cannot listen on ${host}:${port}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Prints the credentials of the first administrator, which are shown only once. Values that the operator configured are not repeated. */
function announce({ username, password, token }: FirstAdmin, { adminPassword, adminToken }: Config): void {
  printBox([
    "First start. Copy these credentials now: they are not shown again.",
    "",
    `  User       ${username}`,
    `  Password   ${adminPassword === undefined ? password : "as set in CERTMGR_ADMIN_PASSWORD"}`,
    `  API token  ${adminToken === undefined ? token : "as set in CERTMGR_ADMIN_TOKEN"}`,
  ]);
}
