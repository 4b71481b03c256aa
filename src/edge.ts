/**
 * The entry point for the edge: `deno serve src/edge.ts`, or a deployment of it. The database is a libSQL
 * server, reached over HTTP. Nothing here is native or reads files. `certmgr migrate` must
 * update the schema before the deployment; until then, every response is 503.
 */

import { type App, type ConnectionInfo, createApp } from "./app.ts";
import { systemClock } from "./base/clock.ts";
import { RETRY_AFTER_S } from "./base/limits.ts";
import { createLogger } from "./base/log.ts";
import { appOptions, serviceContext, type ServiceParts } from "./composition.ts";
import { ConfigError, readConfig, readEnvironment } from "./config/mod.ts";
import { checkReadiness, MIGRATIONS } from "./db/mod.ts";
import { openRemoteDatabase } from "./db/remote_client.ts";
import { cronQueue } from "./domain/webhooks/sending/cron_queue.ts";
import { sendByFetch } from "./http/send_by_fetch.ts";
import { untilSignal } from "./signals.ts";

/**
 * Number of webhook messages that one run of the cron job sends. The next run, a minute later, sends the
 * others.
 */
const EDGE_DRAIN_MESSAGES = 200;

/** The application, after the configuration was read. */
interface Edge {
  readonly opened: ServiceParts;
  readonly app: App;
  /** Whether the schema is known to be that of this release. It cannot become older. */
  ready: boolean;
}

/** Paths that need no database, or report its state themselves. */
const ALWAYS = ["/healthz", "/readyz"];

let edge: Edge | undefined;

/**
 * Reads the configuration at the first use, because an error while a module is loaded has no useful message.
 */
function start(): Edge {
  if (edge !== undefined) return edge;
  const config = readConfig(readEnvironment());
  if (config.trustFile !== undefined || config.rulesFile !== undefined) {
    throw new ConfigError(
      "Settings CERTMGR_TRUST_FILE and CERTMGR_RULES_FILE name files, which the edge cannot read.",
    );
  }
  const { database: place, databaseAuthToken: authToken, databaseTimeoutMs: timeoutMs } = config;
  if (place.kind !== "remote") {
    throw new ConfigError(
      "Setting CERTMGR_DATABASE_URL is not a server. Expected libsql://<host> or https://<host>.",
    );
  }
  const database = openRemoteDatabase({
    url: place.url,
    timeoutMs,
    ...(authToken === undefined ? {} : { authToken }),
  });
  const log = createLogger({
    level: config.logLevel,
    now: systemClock.now,
    // The platform collects the console. It keeps no other output, and nothing could be buffered here.
    write: (line) => console.log(line),
  });
  const opened: ServiceParts = { config, database, log, send: sendByFetch };
  return edge = { opened, app: createApp(appOptions(opened)), ready: false };
}

/** Answers a request. */
async function fetch(request: Request, info?: ConnectionInfo): Promise<Response> {
  let started: Edge;
  try {
    started = start();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return unavailable("The service is not configured; its log says what is wrong.");
  }
  if (!started.ready && !ALWAYS.includes(URL.parse(request.url)?.pathname ?? "")) {
    const found = await checkReadiness(started.opened.database, MIGRATIONS);
    if (found !== undefined) return unavailable(found.reason);
    started.ready = true;
  }
  return await started.app.fetch(request, info);
}

function unavailable(detail: string): Response {
  return Response.json({ detail }, { status: 503, headers: { "retry-after": String(RETRY_AFTER_S) } });
}

/**
 * Does the work of each minute: sends webhook messages and runs due jobs. This may also run elsewhere at the
 * same time.
 */
export async function work(): Promise<void> {
  const { opened } = start();
  if (await checkReadiness(opened.database, MIGRATIONS) !== undefined) return;
  // Loaded late, because an isolate that only answers requests does not need them.
  const [{ runDueJobs }, { drainOnce }, { noticeSender }, { httpMailSender }] = await Promise.all([
    import("./domain/system/jobs/jobs.ts"),
    import("./domain/webhooks/sending/deliver.ts"),
    import("./domain/notices/mod.ts").then(({ loadSender }) => loadSender()),
    import("./mail/http_api.ts"),
  ]);
  await runDueJobs(() => serviceContext(opened), { owner: crypto.randomUUID() });
  const { smtp, mailFrom } = opened.config;
  // SMTP is impossible without sockets.
  const mail = smtp?.kind === "http" ? httpMailSender(smtp, sendByFetch) : undefined;
  await drainOnce(serviceContext(opened), EDGE_DRAIN_MESSAGES, {
    send: sendByFetch,
    more: [noticeSender({ send: sendByFetch, mail, mailFrom })],
  });
}

/** Runs the work, and logs a failure in one line. The next run is a minute later. */
async function tick(): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`Background work failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

// Without cron in the runtime, no background work runs.
if ("cron" in Deno) {
  const queue = cronQueue();
  // The cron job would keep a stopping process alive. Platforms without signals end the process themselves.
  untilSignal().then(() => queue.close(), () => {});
  queue.listen(tick);
}

export default { fetch };
