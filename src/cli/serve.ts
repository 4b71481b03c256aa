/** `certmgr serve`: runs the service until a signal stops it. */

import { Command } from "commander";
import { type Context, flushTokenUses, type OidcProvider } from "../auth/mod.ts";
import { type App, createApp } from "../app.ts";
import { systemClock } from "../base/clock.ts";
import { appOptions, type Opened, serviceContext } from "../composition.ts";
import { type Config, readConfig, readEnvironment } from "../config/mod.ts";
import { parseProviders } from "../config/oidc_settings.ts";
import { memoryQueue, startDelivery } from "../domain/webhooks/sending/mod.ts";
import { startProbing } from "../domain/endpoints/probing/mod.ts";
import { startScanning } from "../domain/endpoints/scanning/mod.ts";
import { startJobs } from "../domain/system/jobs/mod.ts";
import { noticeSender } from "../domain/notices/mod.ts";
import { firstAdmin } from "../domain/accounts/tokens/mod.ts";
import { sendGuarded } from "../http/send_guarded.ts";
import { httpMailSender } from "../mail/http_api.ts";
import type { SendMail } from "../mail/mod.ts";
import { probeBySockets } from "../probe/probe_by_sockets.ts";
import { type RequestHandler, type Server, startServer } from "../server.ts";
import { openForService, serviceLogger } from "./database.ts";
import { CommandError } from "./failure.ts";
import { printBox, printLines } from "./output.ts";
import { processWatch } from "./process_numbers.ts";
import { reasonOf } from "./reason.ts";
import { untilSignal } from "../signals.ts";
import { VERSION } from "./version.ts";

/** How long a stopping service waits until its log is written, in milliseconds. */
const LOG_FLUSH_MS = 2_000;

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
  const config = await withProviders(readConfig(readEnvironment()));
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
  const opened: Opened = { config, database, log, probe: probeBySockets, send: sendGuarded };
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
    const delivery = startDelivery({
      context,
      queue: memoryQueue(),
      send: sendGuarded,
      more: [noticeSender({ send: sendGuarded, mail: await mailOf(config), mailFrom: config.mailFrom })],
    });
    const jobs = startJobs(context);
    const probing = startProbing({ context, probe: probeBySockets });
    const scanning = startScanning({ context, probe: probeBySockets });
    await app.loadPages();
    log.log("info", "stopping", { signal: await signalled });
    // Messages on their way have as long to end as requests; what requests still change is sent after the next start.
    const [cut] = await Promise.all([server.stop(), delivery.stop()]);
    await Promise.all([jobs.stop(), probing.stop(), scanning.stop()]);
    await flushTokenUses(database);
    log.log(cut === 0 ? "info" : "warn", "stopped", { requests_cut_off: cut });
  } finally {
    database.close();
  }
}

/** Returns what sends e-mail. The SMTP client is loaded only where it is used. */
async function mailOf({ smtp }: Config): Promise<SendMail | undefined> {
  if (smtp === undefined) return undefined;
  if (smtp.kind === "http") return httpMailSender(smtp, sendGuarded);
  const { smtpSender } = await import("../mail/smtp.ts");
  return smtpSender(smtp);
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

/** Adds the providers of the file to the configuration. Errors: {@link CommandError}. */
async function withProviders(config: Config): Promise<Config> {
  const { oidcIssuer, oidcClientId, settings: { signIn } } = config;
  if ((oidcIssuer === undefined) !== (oidcClientId === undefined)) {
    throw new CommandError(
      "Settings CERTMGR_OIDC_ISSUER and CERTMGR_OIDC_CLIENT_ID belong together. Set both.",
    );
  }
  const isOnlyLocal = oidcIssuer === undefined && config.oidcFile === undefined &&
    signIn.trustedUserHeader === undefined;
  if (!signIn.local && isOnlyLocal) {
    throw new CommandError(
      'Setting CERTMGR_LOCAL_SIGN_IN is "false", and there is no other sign-in. Set up a provider first.',
    );
  }
  const { settings, oidcFile } = config;
  const providers = [...signIn.providers, ...oidcFile === undefined ? [] : await providersOf(oidcFile)];
  for (const { id, apiAudience, clientId } of providers) {
    // ID tokens have the client id as their audience, and would be accepted at the API.
    if (apiAudience === clientId) {
      throw new CommandError(
        `Provider ${id}: the audience of access tokens is the client id ${JSON.stringify(clientId)}. ` +
          "Register the API with another audience at the provider.",
      );
    }
  }
  return { ...config, settings: { ...settings, signIn: { ...signIn, providers } } };
}

async function providersOf(file: string): Promise<OidcProvider[]> {
  try {
    return parseProviders(await Deno.readTextFile(file));
  } catch (error) {
    throw new CommandError(`Setting CERTMGR_OIDC_FILE: ${reasonOf(error)}`, { cause: error });
  }
}
