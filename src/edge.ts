/**
 * The edge entry: `deno serve src/edge.ts`, or a deployment of it. The database is a libSQL server, reached over HTTP;
 * nothing here is native, reads files or keeps a queue. The schema is brought up to date by `certmgr migrate` before
 * the deployment; until then every request is a 503.
 */

import { type App, type ConnectionInfo, createApp } from "./app.ts";
import { systemClock } from "./base/clock.ts";
import { EDGE_DRAIN_MESSAGES, RETRY_AFTER_S } from "./base/limits.ts";
import { createLogger } from "./base/log.ts";
import { appOptions, type Opened, serviceContext } from "./composition.ts";
import { ConfigError, readConfig, readEnvironment } from "./config/mod.ts";
import { checkReadiness, MIGRATIONS } from "./db/mod.ts";
import { openRemoteDatabase } from "./db/remote_client.ts";
import { drainOnce } from "./domain/webhooks/sending/mod.ts";
import { runDueJobs } from "./domain/system/jobs/mod.ts";
import { sendByFetch } from "./http/send_by_fetch.ts";
import { untilSignal } from "./signals.ts";

/** What answers once the configuration has been read. */
interface Edge {
  readonly opened: Opened;
  readonly app: App;
  /** Whether the schema was found to be that of this release; it does not go back. */
  ready: boolean;
}

/** Requests that need no database, or say themselves what is wrong with it. */
const ALWAYS = ["/healthz", "/readyz"];

let edge: Edge | undefined;

/** Reads the configuration at the first use: a module that throws while it loads says nothing of use to anybody. */
function start(): Edge {
  if (edge !== undefined) return edge;
  const config = readConfig(readEnvironment());
  const { database: place, databaseAuthToken: authToken, databaseTimeoutMs: timeoutMs } = config;
  if (place.kind !== "remote") {
    throw new ConfigError(
      "Setting CERTMGR_DATABASE_URL names no server, want libsql://<host> or https://<host>",
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
    write: (line) => console.log(line),
  });
  const opened: Opened = { config, database, log };
  return edge = { opened, app: createApp(appOptions(opened)), ready: false };
}

/** Answers one request. */
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

/** What is done each minute: webhooks are drained, and jobs run that are due. Each once, wherever else this runs. */
export async function work(): Promise<void> {
  const { opened } = start();
  if (await checkReadiness(opened.database, MIGRATIONS) !== undefined) return;
  await runDueJobs(() => serviceContext(opened), { owner: crypto.randomUUID() });
  await drainOnce(serviceContext(opened), EDGE_DRAIN_MESSAGES, { send: sendByFetch });
}

/** A run that fails is told in one line; the next one comes in a minute. */
async function tick(): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`Background work failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

// Absent where the runtime was started without it: then whoever runs the process calls no work.
if ("cron" in Deno) {
  // It would keep a process alive that was told to stop. Where there are no signals the platform knows how to end it.
  const stopping = new AbortController();
  untilSignal().then(() => stopping.abort(), () => {});
  Deno.cron("certmgr", "* * * * *", { signal: stopping.signal }, tick);
}

export default { fetch };
