/** `certmgr copy`: copies the whole database to a server, or from a server to a file. */

import { SingleBar } from "cli-progress";
import { Command } from "commander";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { systemClock } from "../base/clock.ts";
import { tokenFault } from "../base/web_url.ts";
import {
  type Config,
  type DatabaseLocation,
  databaseLocation,
  InvalidValue,
  readConfig,
  readEnvironment,
} from "../config/mod.ts";
import { type CopiedTable, CopyError, copyInto, countAllRows } from "../db/copy_database.ts";
import { openFileDatabase } from "../db/file_client.ts";
import { copyDatabase, openReleased, releaseDatabase } from "../db/file_copy.ts";
import {
  type Database,
  migrate,
  MIGRATIONS,
  missingText,
  pendingMigrations,
  type Reader,
} from "../db/mod.ts";
import { openRemoteDatabase } from "../db/remote_client.ts";
import { adoptOwner, makeOwnedFolder } from "./adopt_owner.ts";
import { openDatabase } from "./database.ts";
import { fileExists, requireFile, withServerErrors } from "./database_location.ts";
import { fileExistsError, publishDraft, syncFile, withDraft } from "./draft_file.ts";
import { CommandError, UsageError } from "./failure.ts";
import { printJson, printLines } from "./output.ts";
import { printTable } from "./print_table.ts";
import { reasonOf } from "./reason.ts";

const HELP = `
Copies the configured database into an empty one, and compares both row by row. A database file
may be in use: a snapshot of it is copied. Before you copy from a server, stop every service that
uses it. The source must have the schema of this release, and the target must be empty. Until both
are equal, the target is marked as incomplete and no service starts on it. After an interruption,
run the command again: it starts over.
CERTMGR_DATABASE_AUTH_TOKEN is the token of the configured server; --to-token-file has that of the
target. When run as root, a new file gets the owner of its folder.

Examples:
  certmgr copy --to libsql://certs.example.com --to-token-file target.token
  CERTMGR_DATABASE_URL=libsql://certs.example.com certmgr copy --to file:/srv/certmgr/certmgr.db`;

/**
 * Time limit of a statement on the target in milliseconds: a batch of rows takes longer than a request of the
 * service.
 */
const TIMEOUT_MS = 60_000;

interface Options {
  readonly to: string;
  readonly toTokenFile?: string;
  readonly json: boolean;
}

export function copyCommand(): Command {
  return new Command("copy").description("copy the database to a libSQL server or into a file")
    .requiredOption(
      "--to <database>",
      "libsql://…, https://…, http://… or file:<path>, as CERTMGR_DATABASE_URL",
    )
    .option("--to-token-file <file>", "file with the token of the target server")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const to = locationOf(options.to);
  const fault = to.kind === "remote" && options.toTokenFile !== undefined && tokenFault(to.url);
  if (fault) throw new UsageError(`Option --to-token-file: ${fault}`);
  const config = readConfig(readEnvironment());
  if (config.database.kind === "file") await requireFile(config.database.path, { otherwise: "" });
  const tables = await withSource(config, async (source) => {
    await withServerErrors(config.database, () => requireCurrent(source));
    return to.kind === "file"
      ? await copyToFile(to.path, source)
      : await copyToServer(to.url, { source, tokenFile: options.toTokenFile });
  });
  report(tables, options);
}

function locationOf(text: string): DatabaseLocation {
  try {
    return databaseLocation(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new UsageError(`Invalid value ${JSON.stringify(text)} for --to. Expected ${error.expected}.`, {
      cause: error,
    });
  }
}

/**
 * Opens the configured database, or a snapshot of its file, so that the data does not change while it is
 * read.
 */
async function withSource<T>(config: Config, work: (source: Reader) => Promise<T>): Promise<T> {
  const { database } = config;
  if (database.kind === "remote") {
    const server = await openDatabase(config);
    try {
      return await work(server);
    } finally {
      server.close();
    }
  }
  return await withDraft(database.path, async (draft) => {
    await copyDatabase(database.path, draft);
    const file = openReleased(draft);
    try {
      return await work(file);
    } finally {
      file.close();
    }
  }, { stopped: "The copy is not complete. Run the command again." });
}

async function requireCurrent(source: Reader): Promise<void> {
  const pending = await pendingMigrations(source, MIGRATIONS);
  if (pending.length === 0) return;
  throw new CommandError(`${missingText(pending)} in the source. Run "certmgr migrate" first.`);
}

async function copyToFile(path: string, source: Reader): Promise<CopiedTable[]> {
  if (await fileExists(path)) throw fileExistsError(path);
  await makeOwnedFolder(path);
  return await withDraft(path, async (draft, finish) => {
    const target = await openFileDatabase({ path: draft });
    let tables: CopiedTable[];
    try {
      tables = await copy(target, source);
      await migrate(target, { migrations: MIGRATIONS, now: systemClock.now() });
    } finally {
      target.close();
    }
    releaseDatabase(draft);
    await Deno.chmod(draft, 0o600);
    await adoptOwner(draft, dirname(path));
    await syncFile(draft);
    finish();
    await publishDraft(draft, path);
    return tables;
  });
}

async function copyToServer(
  url: string,
  { source, tokenFile }: { source: Reader; tokenFile: string | undefined },
): Promise<CopiedTable[]> {
  const authToken = tokenFile === undefined ? undefined : await readToken(tokenFile);
  const target = openRemoteDatabase({
    url,
    timeoutMs: TIMEOUT_MS,
    ...(authToken === undefined ? {} : { authToken }),
  });
  try {
    return await withServerErrors({ kind: "remote", url }, () => copy(target, source));
  } finally {
    target.close();
  }
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`Token file ${JSON.stringify(path)} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

async function copy(target: Database, source: Reader): Promise<CopiedTable[]> {
  // Each row is copied and then compared.
  const total = 2 * await countAllRows(source);
  const bar = Deno.stderr.isTerminal()
    ? new SingleBar({ format: "Copying {bar} {value}/{total}", clearOnComplete: true, hideCursor: true })
    : undefined;
  bar?.start(total, 0);
  try {
    return await copyInto(target, { source, progress: (rows) => bar?.increment(rows) });
  } catch (error) {
    if (error instanceof CopyError) throw new CommandError(error.message, { cause: error });
    throw error;
  } finally {
    bar?.stop();
  }
}

function report(tables: readonly CopiedTable[], { to, json }: Options): void {
  const rows = tables.reduce((all, table) => all + table.rows, 0);
  if (json) return printJson({ to, rows, tables });
  const filled = tables.filter((table) => table.rows > 0);
  printTable(
    ["Table", "Rows", "SHA-256"],
    filled.map(({ table, rows, sha256 }) => [table, rows, sha256.slice(0, 16)]),
  );
  printLines(`Copied ${rows} rows to ${to}. All rows are equal.`);
}
