/** The only reader of the environment: every setting, typed and judged, in one place. */

import type { Settings } from "../auth/mod.ts";
import { nearest } from "../filters/mod.ts";
import type { DatabaseLocation } from "./database_url.ts";
import { type Setting, UnfitValue } from "./setting.ts";
import { SETTINGS } from "./settings.ts";
import type { Anchor } from "../x509/chain/mod.ts";
import { publicRoots } from "../x509/public_roots.ts";

export type { DatabaseLocation };

/** Prefix of every setting's name. */
const PREFIX = "CERTMGR_";

const ROOTS_OF_RUNTIME = (): readonly Anchor[] => publicRoots().anchors;
const NO_ROOTS = (): readonly Anchor[] => [];

type Values = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]["parse"]> };

/** The configuration of a process. `database` is where it is, `settings` what verbs depend on. */
export type Config =
  & Omit<Values, "database" | "replicaOf" | "pageSize" | "maxPageSize" | keyof Settings>
  & {
    readonly database: DatabaseLocation;
    /** Where the service keeps its copy of the database server's data; absent: it keeps none. */
    readonly replicaPath?: string;
    readonly settings: Settings;
  };

/** A configuration that cannot be used. The message has a line for each thing that is wrong, and holds no secret. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Every variable of this process's environment that may be read, or at least those that are settings. */
export function readEnvironment(): Record<string, string> {
  try {
    return Deno.env.toObject();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    // Without the right to list the environment a misspelt name cannot be found, but the known ones can be read.
    const pairs = Object.values(SETTINGS).map(({ name }) => [name, Deno.env.get(name)] as const);
    return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }
}

/**
 * Makes a configuration of environment variables; an empty one counts as absent. Throws {@link ConfigError}, which names
 * all that is wrong.
 */
export function readConfig(environment: Readonly<Record<string, string>>): Config {
  const { values, faults } = readSettings(environment);
  const all = [...unknownNames(environment), ...faults, ...contradictions(values)];
  if (all.length > 0) throw new ConfigError(all.join("\n"));
  // Nothing was refused, so all are there.
  return configOf(values as Values);
}

function configOf({ database, replicaOf, pageSize, maxPageSize, ...values }: Values): Config {
  const { criticalDays, warningDays, bulkImportMaxBatchSize, maxExportSize, ...others } = values;
  const {
    expiryNotices,
    chainRequireRoot,
    publicRoots: trusted,
    allowedTargets,
    importFileMaxBytes,
    maxTokensPerUser,
    maxFeedsPerUser,
    changelogRetentionDays,
    ...rest
  } = others;
  return {
    ...rest,
    ...storage({ database, replicaOf, dataDir: values.dataDir.replace(/\/+$/, "") }),
    settings: {
      defaultPageSize: pageSize,
      maxPageSize,
      bulkImportMaxBatchSize,
      // What does not fit into a request's body never arrives.
      importFileMaxBytes: Math.min(importFileMaxBytes, rest.maxBodyBytes),
      maxExportSize,
      maxTokensPerUser,
      maxFeedsPerUser,
      changelogRetentionDays,
      criticalDays,
      warningDays,
      expiryNotices,
      chainRequireRoot,
      publicRoots: trusted ? ROOTS_OF_RUNTIME : NO_ROOTS,
      allowedTargets,
    },
  };
}

/** Where the database is: one place, and perhaps a copy of it. */
function storage(
  { database, replicaOf, dataDir }: Pick<Values, "database" | "replicaOf" | "dataDir">,
): Pick<Config, "database" | "replicaPath"> {
  if (replicaOf !== undefined) return { database: replicaOf, replicaPath: `${dataDir}/replica.db` };
  return { database: database ?? { kind: "file", path: `${dataDir}/certmgr.db` } };
}

/** What settings say against each other; one that was refused by itself says nothing. */
function contradictions(
  { criticalDays = 0, warningDays = Infinity, pageSize = 0, maxPageSize = Infinity, ...values }: Partial<
    Values
  >,
): string[] {
  const faults: string[] = [];
  const both = (less: Setting<number>, more: Setting<number>): string =>
    `Setting ${less.name} exceeds ${more.name}`;
  if (criticalDays > warningDays) {
    faults.push(`${both(SETTINGS.criticalDays, SETTINGS.warningDays)}, want at most ${warningDays}`);
  }
  if (pageSize > maxPageSize) {
    faults.push(`${both(SETTINGS.pageSize, SETTINGS.maxPageSize)}, want at most ${maxPageSize}`);
  }
  if (values.database !== undefined && values.replicaOf !== undefined) {
    faults.push(`Settings ${SETTINGS.database.name} and ${SETTINGS.replicaOf.name} are both set, want one`);
  }
  return faults;
}

/** A misspelt name must not pass for a default. */
function unknownNames(environment: Readonly<Record<string, string>>): string[] {
  const known = Object.values(SETTINGS).map((one) => one.name);
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  return unknown.sort().map((name) => {
    const near = nearest(name, known);
    return `Setting ${name} is unknown${
      near === undefined ? ', want one of those that "certmgr settings" lists' : `, did you mean ${near}?`
    }`;
  });
}

/** Reads every setting, and says of each that cannot be read what is wrong with it. */
function readSettings(
  environment: Readonly<Record<string, string>>,
): { values: Partial<Values>; faults: string[] } {
  const faults: string[] = [];
  const entries = Object.entries(SETTINGS).map(([key, one]) => {
    try {
      return [key, readSetting<unknown>(one, environment)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
      return [key, undefined];
    }
  });
  return { values: Object.fromEntries(entries), faults };
}

function readSetting<T>(one: Setting<T>, environment: Readonly<Record<string, string>>): T | undefined {
  const text = environment[one.name] || one.default;
  if (text === null) return undefined;
  try {
    return one.parse(text);
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    // People put passwords into addresses.
    const hidden = one.secret || /\/\/[^/]*@/.test(text);
    const found = hidden ? "has an unfit value" : `is ${JSON.stringify(text)}`;
    throw new ConfigError(`Setting ${one.name} ${found}, want ${error.want}`);
  }
}

/** What is documented of a setting. */
export interface SettingNote {
  readonly name: string;
  /** null: absent unless it is set. */
  readonly default: string | null;
  readonly description: string;
}

/** Every setting, in the order of the documentation. */
export function settingNotes(): SettingNote[] {
  return Object.values(SETTINGS).map((one) => ({
    name: one.name,
    default: one.default,
    description: one.description,
  }));
}

/** Returns the table of docs/settings.md, as Markdown. */
export function settingsTable(): string {
  const rows = settingNotes().map((one) =>
    `| \`${one.name}\` | ${one.default ? `\`${one.default}\`` : ""} | ${one.description} |`
  );
  return ["| Setting | Default | Meaning |", "| --- | --- | --- |", ...rows].join("\n") + "\n";
}
