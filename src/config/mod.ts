/** Reads and validates all settings. No other module reads the environment. */

import { SHIPPED_RULES } from "../domain/rules/mod.ts";
import type { Settings } from "../auth/mod.ts";
import { nearest } from "../base/nearest.ts";
import { tokenFault } from "../base/web_url.ts";
import type { DatabaseLocation } from "./database_url.ts";
import { InvalidValue, type Setting } from "./parsers.ts";
import { signInSettings } from "./oidc_settings.ts";
import { SETTINGS } from "./settings.ts";
import type { Anchor, Distrust } from "../x509/chain/mod.ts";

export { type DatabaseLocation };

const PREFIX = "CERTMGR_";

/** Loaded at the first validation, because the certificate parser is not needed to read settings. */
const ROOTS_OF_RUNTIME = async (): Promise<readonly Anchor[]> =>
  (await (await import("../x509/public_roots.ts")).publicRoots()).anchors;
const SHIPPED_DISTRUST = async (): Promise<Distrust> =>
  (await import("../domain/trust/mod.ts")).shippedTrust().distrust;
const NO_ROOTS = (): readonly Anchor[] => [];

type Values = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]["parse"]> };

/** The configuration of a process. `settings` contains the values that operations use. */
export type Config =
  & Omit<Values, "database" | keyof Settings>
  & {
    readonly database: DatabaseLocation;
    readonly settings: Settings;
  };

/** An invalid configuration. The message has a line for each error, and contains no secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Returns all environment variables, or those of the settings without the permission to list them. */
export function readEnvironment(): Record<string, string> {
  try {
    return Deno.env.toObject();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    // Without the permission to list the environment, misspelled names cannot be found, but known ones can be
    // read.
    const pairs = Object.values(SETTINGS).map(({ name }) => [name, Deno.env.get(name)] as const);
    return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }
}

/**
 * Returns a configuration from environment variables. Empty ones count as absent. Throws {@link ConfigError}
 * with all errors.
 */
export function readConfig(environment: Readonly<Record<string, string>>): Config {
  const { values, faults } = readSettings(environment);
  const all = [...unknownNames(environment), ...faults, ...contradictions(values)];
  if (all.length > 0) throw new ConfigError(all.join("\n"));
  // Without errors, all values are present.
  return configOf(values as Values);
}

function configOf({ database, ...values }: Values): Config {
  return {
    ...values,
    database: database ?? { kind: "file", path: `${values.dataDir.replace(/\/+$/, "")}/certmgr.db` },
    settings: {
      defaultPageSize: values.pageSize,
      maxPageSize: values.maxPageSize,
      bulkImportMaxBatchSize: values.bulkImportMaxBatchSize,
      importMaxRows: values.importMaxRows,
      // A larger file would exceed the limit of request bodies.
      importFileMaxBytes: Math.min(values.importFileMaxBytes, values.maxBodyBytes),
      maxExportSize: values.maxExportSize,
      maxTokensPerUser: values.maxTokensPerUser,
      maxFeedsPerUser: values.maxFeedsPerUser,
      changelogRetentionDays: values.changelogRetentionDays,
      evaluationTime: values.evaluationTime,
      criticalDays: values.criticalDays,
      warningDays: values.warningDays,
      expiryNotices: values.expiryNotices,
      chainRequireRoot: values.chainRequireRoot,
      publicRoots: values.publicRoots ? ROOTS_OF_RUNTIME : NO_ROOTS,
      distrust: SHIPPED_DISTRUST,
      rules: SHIPPED_RULES,
      allowedTargets: values.allowedTargets,
      mailConfigured: values.smtp !== undefined,
      probing: {
        allowedNetworks: values.probeAllowedNetworks,
        concurrency: values.probeConcurrency,
        discover: values.discover,
        retentionDays: values.observationRetentionDays,
      },
      renewalInfo: values.renewalInfo,
      revocation: { mode: values.revocation, allowedNetworks: values.revocationAllowedNetworks },
      signIn: signInSettings(values),
    },
  };
}

/** Returns errors about combinations of settings. Ignores settings that are invalid themselves. */
function contradictions(
  { criticalDays = 0, warningDays = Infinity, pageSize = 0, maxPageSize = Infinity, ...values }: Partial<
    Values
  >,
): string[] {
  const faults: string[] = [];
  const both = (less: Setting<number>, more: Setting<number>): string =>
    `Setting ${less.name} exceeds ${more.name}`;
  if (criticalDays > warningDays) {
    faults.push(`${both(SETTINGS.criticalDays, SETTINGS.warningDays)}. Expected at most ${warningDays}.`);
  }
  if (pageSize > maxPageSize) {
    faults.push(`${both(SETTINGS.pageSize, SETTINGS.maxPageSize)}. Expected at most ${maxPageSize}.`);
  }
  const server = values.database;
  const fault = server?.kind === "remote" && values.databaseAuthToken !== undefined && tokenFault(server.url);
  if (fault) faults.push(`Setting ${SETTINGS.databaseAuthToken.name}: ${fault}`);
  return faults;
}

/** Returns errors about unknown names, so that a misspelled setting is not silently ignored. */
function unknownNames(environment: Readonly<Record<string, string>>): string[] {
  const known = Object.values(SETTINGS).map((one) => one.name);
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  return unknown.sort().map((name) => {
    const near = nearest(name, known);
    return `Setting ${name} is unknown.${
      near === undefined ? ' Run "certmgr settings" for a list.' : ` Did you mean ${near}?`
    }`;
  });
}

/** Parses all settings. Collects an error for each invalid one. */
function readSettings(
  environment: Readonly<Record<string, string>>,
): { values: Partial<Values>; faults: string[] } {
  const faults: string[] = [];
  const entries = Object.entries(SETTINGS).map(([key, one]) => {
    const text = environment[one.name] || one.default;
    if (text === null) return [key, undefined];
    try {
      return [key, one.parse(text)];
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      // URLs may contain passwords.
      const hidden = one.secret || /\/\/[^/]*@/.test(text);
      const found = hidden ? "has an invalid value" : `is ${JSON.stringify(text)}`;
      faults.push(`Setting ${one.name} ${found}. Expected ${error.expected}.`);
      return [key, undefined];
    }
  });
  return { values: Object.fromEntries(entries), faults };
}

export interface SettingNote {
  readonly name: string;
  /** null without a default. */
  readonly default: string | null;
  readonly description: string;
}

/** Returns all settings in the order of the documentation. */
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
