/** Opens the configured database. */

import type { Context } from "../auth/mod.ts";
import { systemClock } from "../base/clock.ts";
import { createLogger, type Logger } from "../base/log.ts";
import { createLogSink, type LogSink, SHARED_LOG_WRITE_BYTES } from "../base/log_sink.ts";
import { refreshCustomFields } from "../resource/mod.ts";
import { serviceContext } from "../composition.ts";
import { type Config, readConfig, readEnvironment } from "../config/mod.ts";
import { openFileDatabase } from "../db/file_client.ts";
import { type Database, migrate, MIGRATIONS, missingText, pendingMigrations } from "../db/mod.ts";
import type { RemoteDatabaseOptions } from "../db/remote_client.ts";
import { makeFolder, requireFile, withServerErrors } from "./database_location.ts";
import { CommandError, failing } from "./failure.ts";
import { printNote } from "./output.ts";
import { withDataFiles } from "./data_files.ts";
import { printable } from "../x509/mod.ts";

/**
 * Opens the database, and creates its file if it is missing. Applies no migrations. Errors: {@link
 * CommandError}.
 * @param shared Whether several workers use it.
 */
export async function openDatabase(config: Config, shared = false): Promise<Database> {
  const { database } = config;
  if (database.kind === "remote") {
    const { openRemoteDatabase } = await import("../db/remote_client.ts");
    return openRemoteDatabase(serverOptions(config, database.url));
  }
  await makeFolder(database.path);
  const { queryTimeoutMs } = config;
  return await openFileDatabase({ path: database.path, queryTimeoutMs, shared })
    .catch(failing(`Database ${JSON.stringify(database.path)} cannot be opened`));
}

/**
 * Opens the database with the current schema. A file is migrated immediately. A server must have been
 * migrated explicitly, because processes of an older release may be using it. Returns the names of the
 * applied migrations.
 */
export async function openForService(
  config: Config,
  shared = false,
): Promise<{ database: Database; applied: string[] }> {
  const database = await openDatabase(config, shared);
  try {
    if (database.kind === "file") {
      return {
        database,
        applied: await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() }),
      };
    }
    const pending = await withServerErrors(config.database, () => pendingMigrations(database, MIGRATIONS));
    if (pending.length === 0) return { database, applied: [] };
    throw new CommandError(`${missingText(pending)} on the database server. Run "certmgr migrate".`);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns the options of the connection to a database server. */
function serverOptions(
  { databaseAuthToken: authToken, databaseTimeoutMs: timeoutMs }: Config,
  url: string,
): RemoteDatabaseOptions {
  return { url, timeoutMs, ...(authToken === undefined ? {} : { authToken }) };
}

/** Returns a logger that writes JSON lines to standard error, from the configured severity on. */
function stderrLogger(level: Config["logLevel"]): Logger {
  return createLogger({ level, now: systemClock.now, write: printNote });
}

/**
 * Returns a logger for a service. If its reader stalls, lines are dropped and the service continues.
 * @param worker The number of this process, if several write to the same standard error.
 */
export function serviceLogger(level: Config["logLevel"], worker?: number): { log: Logger; sink: LogSink } {
  const shared = worker === undefined ? {} : { writeBytes: SHARED_LOG_WRITE_BYTES };
  const sink = createLogSink((bytes) => Deno.stderr.write(bytes), shared);
  const write = (line: string): void => sink.write(printable(line));
  return { log: createLogger({ level, now: systemClock.now, write, worker }), sink };
}

/**
 * Runs a command on the configured database as the service itself. Errors: {@link CommandError}.
 * @param options.make Whether to create a missing database file; otherwise it is an error.
 * @param options.otherwise An alternative without a database, for the message of that error.
 */
export async function withDatabase<T>(
  work: (ctx: Context) => Promise<T>,
  { make = false, otherwise = "" }: { make?: boolean; otherwise?: string } = {},
): Promise<T> {
  const config = await withDataFiles(readConfig(readEnvironment()));
  if (!make && config.database.kind === "file") {
    await requireFile(config.database.path, { otherwise });
  }
  const { database } = await openForService(config);
  try {
    // A command prints its own results. The log is for everything else.
    const log = stderrLogger(config.logLevel === "info" ? "warn" : config.logLevel);
    const ctx = serviceContext({ config, database, log });
    await refreshCustomFields(ctx);
    return await work(ctx);
  } finally {
    database.close();
  }
}
