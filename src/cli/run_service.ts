/** Runs the service in this process: alone, or as one of several workers. */

import { type Context, divideHashSlots, flushTokenUses, shareAttempts } from "../auth/mod.ts";
import type { App } from "../app.ts";
import type { AppOptions, ProcessNumbers } from "../app_options.ts";
import { inBackground, untilQuiet } from "../base/pace.ts";
import { systemClock } from "../base/clock.ts";
import { BACKGROUND_WORKER } from "../base/peers.ts";
import { onCommittedEvents } from "../changes/mod.ts";
import { appOptions, serviceContext, type ServiceParts } from "../composition.ts";
import type { Config } from "../config/mod.ts";
import { firstAdmin } from "../domain/accounts/tokens/first_admin.ts";
import type { Send } from "../http/mod.ts";
import { reportMetrics } from "../metrics/mod.ts";
import type { Probe } from "../probe/mod.ts";
import { type RequestHandler, type Server, startServer } from "../server.ts";
import type { Background } from "./background.ts";
import { openForService, serviceLogger } from "./database.ts";
import { CommandError, failing } from "./failure.ts";
import { printLines, withFrame } from "./output.ts";
import { untilSignal } from "../signals.ts";
import { VERSION } from "../base/version.ts";
import type { WorkerLink } from "./workers/worker_link.ts";

/** How long a stopping service waits until its log is written, in milliseconds. */
const LOG_FLUSH_MS = 2_000;

type FirstAdmin = NonNullable<Awaited<ReturnType<typeof firstAdmin>>>;

/** Probes by sockets. The code is loaded at the first probe. */
const probe: Probe = async (...args) =>
  await (await import("../probe/probe_by_sockets.ts")).probeBySockets(...args);

/** Sends guarded requests. The code is loaded at the first request. */
const send: Send = async (request) => await (await import("../http/send_guarded.ts")).sendGuarded(request);

/**
 * Runs the service until a signal stops it. Errors: {@link CommandError}.
 * @param link The connection to the supervisor, if there are several workers.
 */
export async function runService(config: Config, link: WorkerLink | undefined): Promise<void> {
  const { log, sink } = serviceLogger(config.logLevel, link?.worker);
  try {
    await run(config, { log, sink, link });
  } finally {
    await sink.flush(LOG_FLUSH_MS);
  }
}

interface Output extends ReturnType<typeof serviceLogger> {
  readonly link: WorkerLink | undefined;
}

async function run(config: Config, { log, sink, link }: Output): Promise<void> {
  const print = (...lines: readonly string[]): void =>
    link === undefined ? printLines(...lines) : link.print(lines);
  const start = await link?.started;
  // Listens before anything is stored. If the address is in use, the first administrator's secrets, which are
  // shown only once, must not be lost. Requests that arrive in the meantime wait.
  const ready = Promise.withResolvers<App["fetch"]>();
  const handler: RequestHandler = async (request, info) => (await ready.promise)(request, info);
  const listening = (): Server => listen(config, { handler, log, worker: start });
  // Later workers listen when they can serve requests. Until then, the other workers receive them.
  let server = start?.isFirst === false ? undefined : listening();
  const { database, applied } = await openForService(config, link !== undefined);
  const opened: ServiceParts = { config, database, log, probe, send };
  try {
    if (server !== undefined) {
      print(`certmgr ${VERSION}`, ...applied.map((name) => `Applied migration ${name}`));
      const { adminPassword: password, adminToken: token } = config;
      const admin = await firstAdmin({ ctx: serviceContext(opened), password, token });
      if (admin !== undefined) print(...announcement(admin, config));
    }
    // From here on, a signal stops the service gracefully.
    const signalled = Promise.race([untilSignal(), ...link === undefined ? [] : [link.stopped]]);
    const options: AppOptions = {
      ...appOptions(opened),
      processNumbers: processWatch(sink),
      ...(link === undefined ? {} : { peers: link }),
    };
    if (link !== undefined) {
      divideHashSlots(link.workers);
      shareAttempts({ database, clock: systemClock }, link);
    }
    const isFirst = server !== undefined;
    let app: App | undefined;
    if (link?.worker === BACKGROUND_WORKER) reportMetrics(options);
    else {
      app = (await import("../app.ts")).createApp(options);
      ready.resolve(app.fetch);
      server ??= listening();
    }
    if (isFirst) print(`Listening on ${server?.url}`);
    log.log("info", "started", { url: server?.url, version: VERSION });
    link?.ready(server === undefined ? undefined : Number(new URL(server.url).port || 80));
    // Requests that have waited are answered first, because the following loads as much code as they waited for.
    await untilQuiet();
    const [background] = await Promise.all([
      backgroundOf(opened, link),
      app?.loadPages(),
    ]);
    log.log("info", "stopping", { signal: await signalled });
    // Messages that are being sent have as much time as requests to finish. Events of the last requests are sent
    // after the next start.
    const [cut = 0] = await Promise.all([server?.stop(), background?.stopDelivery()]);
    await background?.stop();
    await flushTokenUses(database);
    log.log(cut === 0 ? "info" : "warn", "stopped", { requests_cut_off: cut });
  } finally {
    database.close();
  }
}

/** Returns a function that reads the numbers of this process; its start is the time of this call. */
function processWatch(log: Output["sink"]): () => ProcessNumbers {
  const startedAt = systemClock.now();
  return () => {
    const { rss, heapUsed } = Deno.memoryUsage();
    return { residentBytes: rss, heapBytes: heapUsed, startedAt, logLinesDropped: log.dropped };
  };
}

/** Starts the background work if this process is the only one, or the worker for it. */
async function backgroundOf(
  opened: ServiceParts,
  link: WorkerLink | undefined,
): Promise<Background | undefined> {
  if (link !== undefined && link.worker !== BACKGROUND_WORKER) {
    onCommittedEvents(opened.database, (id) => link.notify("events", id));
    return undefined;
  }
  const { startBackground } = await import("./background.ts");
  const context = (): Context => serviceContext(opened);
  return await inBackground(() => startBackground(opened.config, { context, peers: link }));
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
    // Workers share the port, so only a separate listener detects that another program uses it.
    return startServer({
      ...options,
      host,
      port: worker.isFirst ? freePort(host, port) : port,
      isShared: true,
    });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new CommandError(`Address ${host}:${port} is in use. Set CERTMGR_PORT to a free port.`);
    }
    if (error instanceof Deno.errors.NotCapable || !(error instanceof Error)) throw error;
    return failing(`Cannot listen on ${host}:${port}`)(error);
  }
}

/** Returns the port, or a free one for 0. Throws if it is in use. */
function freePort(hostname: string, port: number): number {
  using listener = Deno.listen({ hostname, port });
  return listener.addr.port;
}

/**
 * Returns the lines with the credentials of the first administrator, which are shown only once. Configured values
 * are not repeated.
 */
function announcement(
  { username, password, token }: FirstAdmin,
  { adminPassword, adminToken }: Config,
): string[] {
  return withFrame([
    "First start. Copy these credentials now: they are not shown again.",
    "",
    `  User       ${username}`,
    `  Password   ${adminPassword === undefined ? password : "as set in CERTMGR_ADMIN_PASSWORD"}`,
    `  API token  ${adminToken === undefined ? token : "as set in CERTMGR_ADMIN_TOKEN"}`,
  ]);
}
