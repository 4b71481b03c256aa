/** `certmgr serve`: runs the service until a signal stops it. */

import { Command, Option } from "commander";
import { type Context, flushTokenUses, type OidcProvider } from "../auth/mod.ts";
import { type App, createApp } from "../app.ts";
import { systemClock } from "../base/clock.ts";
import { appOptions, serviceContext, type ServiceParts } from "../composition.ts";
import { type Config, readConfig, readEnvironment } from "../config/mod.ts";
import { parseProviders } from "../config/oidc_settings.ts";
import type { Queue } from "../domain/webhooks/sending/mod.ts";
import { firstAdmin } from "../domain/accounts/tokens/mod.ts";
import type { Send } from "../http/mod.ts";
import type { Probe } from "../probe/mod.ts";
import { type RequestHandler, type Server, startServer } from "../server.ts";
import type { Background } from "./background.ts";
import { openForService, serviceLogger } from "./database.ts";
import { CommandError, UsageError } from "./failure.ts";
import { inBox, printLines } from "./output.ts";
import { dropRunPermission } from "./permissions.ts";
import { processWatch } from "./process_numbers.ts";
import { reasonOf } from "./reason.ts";
import { untilSignal } from "../signals.ts";
import { VERSION } from "../base/version.ts";
import type { WorkerLink } from "./workers/worker_link.ts";

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
  const worker = new Option("--worker <number/all>", "run as one of several workers").hideHelp();
  return new Command("serve").description("run the service").addOption(worker).addHelpText("after", HELP)
    .action(serve);
}

async function serve({ worker }: { worker?: string }): Promise<void> {
  const config = await withProviders(readConfig(readEnvironment()));
  const link = worker === undefined ? undefined : await linkOf(worker);
  if (config.workers > 1) {
    const { runWorkers, workersFault } = await loadWorkers();
    const fault = workersFault(config);
    if (fault !== undefined) throw new CommandError(fault);
    if (link === undefined) {
      Deno.exitCode = await runWorkers(config, { program: ownProgram() });
      return;
    }
  }
  dropRunPermission();
  const { log, sink } = serviceLogger(config.logLevel, link?.worker);
  try {
    await run(config, { log, sink, link });
  } finally {
    await sink.flush(LOG_FLUSH_MS);
  }
}

/** Probes by sockets, which are loaded with the first probe. */
const probe: Probe = async (...args) =>
  await (await import("../probe/probe_by_sockets.ts")).probeBySockets(...args);

/** Sends guarded requests; their code is loaded with the first one. */
const send: Send = async (request) => await (await import("../http/send_guarded.ts")).sendGuarded(request);

/** Loads what only several workers need. */
function loadWorkers(): Promise<typeof import("./workers/mod.ts")> {
  return import("./workers/mod.ts");
}

/** Returns how this program is started again, as one of several workers. */
function ownProgram(): readonly [string, ...string[]] {
  if (Deno.build.standalone) return [Deno.execPath(), "serve"];
  throw new CommandError(
    'Setting CERTMGR_WORKERS is not 1. From a checkout, "deno task start" runs several workers.',
  );
}

/** Connects to the supervisor. Errors: {@link UsageError}. */
async function linkOf(text: string): Promise<WorkerLink> {
  const { readWorkerNumber, WorkerLink } = await loadWorkers();
  const worker = readWorkerNumber(text);
  if (worker === undefined) {
    throw new UsageError(`Option --worker is ${JSON.stringify(text)}. Only a supervisor gives it: "1/2".`);
  }
  return new WorkerLink(worker, { readable: Deno.stdin.readable, writable: Deno.stdout.writable });
}

interface Output extends ReturnType<typeof serviceLogger> {
  /** The connection to the supervisor, if there are several workers. */
  readonly link: WorkerLink | undefined;
}

async function run(config: Config, { log, sink, link }: Output): Promise<void> {
  const print = (...lines: readonly string[]): void =>
    link === undefined ? printLines(...lines) : link.print(lines);
  const start = await link?.started;
  // An address that cannot be had must be known before anything is stored: the first administrator's secrets are
  // shown once. Requests that come meanwhile wait.
  const ready = Promise.withResolvers<App["fetch"]>();
  const handler: RequestHandler = async (request, info) => (await ready.promise)(request, info);
  const listening = (): Server => listen(config, { handler, log, worker: start });
  // Later workers listen when they can answer: until then the others do.
  let server = start?.isFirst === false ? undefined : listening();
  const { database, applied } = await openForService(config, link?.turns);
  const opened: ServiceParts = { config, database, log, probe, send };
  try {
    if (server !== undefined) {
      print(`certmgr ${VERSION}`, ...applied.map((name) => `Applied migration ${name}`));
      const { adminPassword: password, adminToken: token } = config;
      const admin = await firstAdmin({ ctx: serviceContext(opened), password, token });
      if (admin !== undefined) print(...announcement(admin, config));
    }
    // From the first answer on, a signal ends the service in good order.
    const signalled = Promise.race([untilSignal(), ...link === undefined ? [] : [link.stopped]]);
    const app = createApp({
      ...appOptions(opened),
      processNumbers: processWatch(systemClock, sink),
      ...(link === undefined ? {} : { peers: link }),
    });
    const shared = link === undefined
      ? app.fetch
      : (await loadWorkers()).shareState(app, { database, clock: systemClock, peers: link });
    ready.resolve(shared);
    const isFirst = server !== undefined;
    server ??= listening();
    if (isFirst) print(`Listening on ${server.url}`);
    log.log("info", "started", { url: server.url, version: VERSION });
    link?.ready(Number(new URL(server.url).port || 80));
    const background = await backgroundOf(opened, link);
    await app.loadPages();
    log.log("info", "stopping", { signal: await signalled });
    const running = await background();
    // Messages on their way have as long to end as requests; what requests still change is sent after the next start.
    const [cut] = await Promise.all([server.stop(), running?.stopDelivery()]);
    await running?.stop();
    await flushTokenUses(database);
    log.log(cut === 0 ? "info" : "warn", "stopped", { requests_cut_off: cut });
  } finally {
    database.close();
  }
}

/**
 * Starts the background work, with several workers only when this one leads. Returns a function that gives the
 * work if it was started, and does not start it any more.
 */
async function backgroundOf(
  opened: ServiceParts,
  link: WorkerLink | undefined,
): Promise<() => Promise<Background | undefined>> {
  const { config, database } = opened;
  const context = (): Context => serviceContext(opened);
  const start = async (queue?: Queue): Promise<Background> => {
    const { startBackground } = await import("./background.ts");
    return await startBackground(config, { context, ...(queue === undefined ? {} : { queue }) });
  };
  let work: Promise<Background> | undefined;
  if (link === undefined) {
    work = start();
    return () => work as Promise<Background>;
  }
  const { passEventsOn, queueOfAll } = await loadWorkers();
  const endPassing = passEventsOn(database, link);
  let isEnding = false;
  link.leading.then(() => {
    if (isEnding) return;
    endPassing();
    work = queueOfAll(link).then(start);
  });
  return () => {
    isEnding = true;
    return Promise.resolve(work);
  };
}

function listen(
  { host, port: configured }: Config,
  { worker, ...options }: Pick<Parameters<typeof startServer>[0], "handler" | "log"> & {
    worker: { readonly port: number; readonly isFirst: boolean } | undefined;
  },
): Server {
  const port = worker?.port ?? configured;
  try {
    if (worker === undefined) return startServer({ ...options, host, port });
    // Workers share the port; that no other program has it, only a listener of its own can tell.
    return startServer({
      ...options,
      host,
      port: worker.isFirst ? freePort(host, port) : port,
      isShared: true,
    });
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

/** Returns the port, or a free one for 0. Throws if it is in use. */
function freePort(hostname: string, port: number): number {
  using listener = Deno.listen({ hostname, port });
  return listener.addr.port;
}

/** Returns the credentials of the first administrator, which are shown only once. Values that the operator configured are not repeated. */
function announcement(
  { username, password, token }: FirstAdmin,
  { adminPassword, adminToken }: Config,
): string[] {
  return inBox([
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
  for (const { id, apiAudience, issuer } of providers) {
    // ID tokens have the client id as their audience, and would be accepted at the API.
    if (providers.some((other) => other.issuer === issuer && other.clientId === apiAudience)) {
      throw new CommandError(
        `Provider ${id}: the audience of access tokens is the client id ${JSON.stringify(apiAudience)}. ` +
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
