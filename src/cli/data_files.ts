/** Reads the files of trust data and of rules that the settings name. */

import type { ValidityRule } from "../auth/mod.ts";
import type { Config } from "../config/mod.ts";
import type { TrustData } from "../domain/trust/mod.ts";
import { failing, reasonOf } from "./failure.ts";
import { printNote } from "./output.ts";

/** Time after which a file is looked at again, in milliseconds. */
const LOOK_MS = 2_000;

/** Reads a file of trust data. Errors: {@link CommandError}. */
export async function readTrust(path: string): Promise<TrustData> {
  const { MAX_TRUST_FILE_BYTES, readTrustFile } = await import("../domain/trust/mod.ts");
  return await read(path, MAX_TRUST_FILE_BYTES).then(readTrustFile).catch(
    failing("Setting CERTMGR_TRUST_FILE"),
  );
}

/** Returns the file of trust data: the one that is set, or `trust.json` in the data folder, if it exists. */
export async function trustFileOf(
  { trustFile, dataDir }: Pick<Config, "trustFile" | "dataDir">,
): Promise<string | undefined> {
  if (trustFile !== undefined) return trustFile;
  const path = `${dataDir.replace(/\/+$/, "")}/trust.json`;
  // A wrong data folder is reported when the database is opened.
  return await Deno.stat(path).then(() => path, () => undefined);
}

/** Adds the files' data to the configuration. Errors: {@link CommandError}. */
export async function withDataFiles({ settings, ...config }: Config): Promise<Config> {
  const { rulesFile } = config;
  const trustFile = await trustFileOf(config);
  const rules = rulesFile === undefined ? undefined : await readRules(rulesFile);
  const trust = trustFile === undefined ? undefined : await followTrust(trustFile);
  return {
    ...config,
    settings: {
      ...settings,
      ...rules === undefined ? {} : { rules },
      ...trust === undefined ? {} : { distrust: async () => (await trust()).distrust },
    },
  };
}

async function readRules(path: string): Promise<readonly ValidityRule[]> {
  const { MAX_RULES_FILE_BYTES, readRulesFile } = await import("../domain/rules/mod.ts");
  return await read(path, MAX_RULES_FILE_BYTES).then(readRulesFile).catch(
    failing("Setting CERTMGR_RULES_FILE"),
  );
}

/** Returns a function that returns the data of the file; the former data while the file is missing or invalid. */
async function followTrust(path: string): Promise<() => Promise<TrustData>> {
  let data = await readTrust(path);
  let state = await stateOf(path);
  let nextLook = performance.now() + LOOK_MS;
  return async () => {
    if (performance.now() < nextLook) return data;
    nextLook = performance.now() + LOOK_MS;
    const found = await stateOf(path);
    if (found === state) return data;
    state = found;
    try {
      data = await readTrust(path);
    } catch (error) {
      printNote(`certmgr: ${reasonOf(error)} The former trust data stays in force.`);
    }
    return data;
  };
}

/** Returns a text that changes with the file. */
async function stateOf(path: string): Promise<string> {
  try {
    const { size, mtime, ino } = await Deno.stat(path);
    return JSON.stringify([size, mtime, ino]);
  } catch (error) {
    return reasonOf(error);
  }
}

async function read(path: string, limit: number): Promise<string> {
  const { size } = await Deno.stat(path);
  if (size > limit) throw new Error(`${path} has ${size} bytes; at most ${limit} are read.`);
  return await Deno.readTextFile(path);
}
