/**
 * Runs the service with no more permissions than its settings need. `deno task start` runs what `--print` prints, so that
 * no other process waits for the service. Several workers, and `deno task dev` (`--watch`), are started from here: passes
 * signals on, and ends with the service's exit code.
 */

import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT, unknownArgument } from "../src/cli/failure.ts";
import { type Config, ConfigError, readConfig, readEnvironment } from "../src/config/mod.ts";
import { STOP_SIGNALS } from "../src/signals.ts";
import { HEAP, TARGETS } from "./compile.ts";

/** Whether this file is part of a bundle (tools/bundle.ts), which has all files in one folder. */
const IS_BUNDLED = import.meta.url.endsWith(".js");
const FOLDER = fileURLToPath(new URL(IS_BUNDLED ? "." : "..", import.meta.url));
/** The program that shows which C library the system has. */
const LDD = "/usr/bin/ldd";

/** What the process of the service runs. */
export const SERVICE = IS_BUNDLED ? "service.js" : "src/service.ts";

/** Packages with the database library for one system each, those of Alpine Linux included. */
const LIBRARIES = [...Object.values(TARGETS), "@libsql/linux-x64-musl", "@libsql/linux-arm64-musl"];

/** Returns the flags that `deno run` gives the service, when it stores its data in these folders and reads these files. */
export function serviceFlags(folders: readonly string[], files: readonly string[] = []): string[] {
  const written = folders.join(",");
  return [
    HEAP,
    "-P=serve",
    `--allow-ffi=${databaseLibraries().join(",")}`,
    `--allow-read=${[LDD, ...files, written].join(",")}`,
    `--allow-write=${written}`,
  ];
}

function flagsFor(environment: Readonly<Record<string, string>>): string[] {
  return serviceFlags(dataFolders(environment), namedFiles(environment));
}

/** Returns the files of the database library that are installed: the only native code that the service may load. */
export function databaseLibraries(): string[] {
  const { resolve } = createRequire(IS_BUNDLED ? import.meta.url : import.meta.resolve("libsql"));
  const found = LIBRARIES.flatMap((name) => {
    try {
      return [resolve(name)];
    } catch {
      return []; // one of another system
    }
  });
  // A flag without a value would allow everything.
  return found.length > 0 ? found : ["libsql"];
}

/** Returns the folders that the settings store data in; the default one when the settings are invalid. */
export function dataFolders(environment: Readonly<Record<string, string>>): string[] {
  // A permission flag cannot express a comma in a name: such a folder stays closed, and the service reports it.
  const folders = new Set(configuredFolders(environment).filter((folder) => !folder.includes(",")));
  // A flag without a value would allow everything.
  return folders.size > 0 ? [...folders] : ["data"];
}

/** Returns the files that the settings name. */
export function namedFiles(environment: Readonly<Record<string, string>>): string[] {
  const { oidcFile, trustFile, rulesFile } = configured(environment) ?? {};
  // A permission flag cannot express a comma in a name: such a file stays closed, and the service reports it.
  return [oidcFile, trustFile, rulesFile].filter((file) => file !== undefined && !file.includes(","))
    .map((file) => String(file));
}

function configuredFolders(environment: Readonly<Record<string, string>>): string[] {
  const config = configured(environment);
  if (config === undefined) return [];
  const { dataDir, database } = config;
  return database.kind === "file" ? [dataDir, dirname(database.path)] : [dataDir];
}

/** Returns the configuration; undefined if it is invalid, which the service itself reports. */
function configured(environment: Readonly<Record<string, string>>): Config | undefined {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Returns the settings for several workers; undefined for one, and for invalid settings. */
async function severalWorkers(environment: Readonly<Record<string, string>>): Promise<Config | undefined> {
  const config = configured(environment);
  if (config === undefined || config.workers === 1) return undefined;
  const { numberOfWorkers, workersFault } = await import("../src/cli/workers/run_workers.ts");
  return numberOfWorkers(config) > 1 && workersFault(config) === undefined ? config : undefined;
}

/** Returns the arguments of `deno run` for the settings, as words of a command line. */
export async function startArguments(environment: Readonly<Record<string, string>>): Promise<string> {
  const words = [...flagsFor(environment), SERVICE];
  // The shell would divide these words, or replace them by names of files.
  const isAlone = await severalWorkers(environment) === undefined &&
    !words.some((word) => /[\s*?[\]]/.test(word));
  return (isAlone ? words : ["-P=start", IS_BUNDLED ? "start.js" : "tools/start.ts"]).join(" ");
}

async function main(watch: boolean): Promise<number> {
  const environment = readEnvironment();
  const flags = [...(watch ? ["--watch"] : []), ...flagsFor(environment)];
  const args = ["run", "-q", "--no-prompt", ...flags, SERVICE];
  const several = watch ? undefined : await severalWorkers(environment);
  if (several !== undefined) {
    const { runWorkers } = await import("../src/cli/workers/run_workers.ts");
    return await runWorkers(several, { program: [Deno.execPath(), ...args], cwd: FOLDER });
  }
  const env = watch ? { CERTMGR_WORKERS: "1" } : {};
  const service = new Deno.Command(Deno.execPath(), { args, env, cwd: FOLDER }).spawn();
  for (const signal of STOP_SIGNALS) {
    // A watcher outlives the service that it has started; only an interrupt ends it.
    Deno.addSignalListener(signal, () => service.kill(watch ? "SIGINT" : signal));
  }
  return (await service.status).code;
}

if (import.meta.main) {
  const [argument, more] = Deno.args;
  const unknown = ["--watch", "--print", undefined].includes(argument) ? more : argument;
  if (unknown !== undefined) {
    console.error(`certmgr: ${unknownArgument(unknown)}`);
    Deno.exit(EXIT.usage);
  }
  if (argument === "--print") console.log(await startArguments(readEnvironment()));
  else Deno.exit(await main(argument === "--watch"));
}
