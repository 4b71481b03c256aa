/** Runs the service until a signal stops it: alone, as one of several workers, or as their supervisor. */

import type { OidcProvider } from "../auth/mod.ts";
import { type Config, readConfig, readEnvironment } from "../config/mod.ts";
import { parseProviders } from "../config/oidc_settings.ts";
import { CommandError, failing, unknownArgument, UsageError } from "./failure.ts";
import { reportFailure } from "./output.ts";
import { withDataFiles } from "./data_files.ts";
import type { WorkerLink } from "./workers/worker_link.ts";

/**
 * Runs the service with the arguments of `certmgr serve`, but without the other commands. Prints failures to
 * standard error. Returns the exit code.
 */
export async function runServe([argument]: readonly string[]): Promise<number> {
  try {
    const worker = /^--worker=(.*)$/.exec(argument ?? "")?.[1];
    if (argument !== undefined && worker === undefined) throw new UsageError(unknownArgument(argument));
    await serve(worker === undefined ? {} : { worker });
    return Deno.exitCode;
  } catch (error) {
    return reportFailure(error);
  }
}

/** Runs the service. Errors: {@link CommandError}, {@link UsageError}. */
export async function serve({ worker }: { worker?: string }): Promise<void> {
  const config = await withDataFiles(await withProviders(readConfig(readEnvironment())));
  const link = worker === undefined ? undefined : await linkOf(worker);
  if (link === undefined && config.workers !== 1) {
    const { numberOfWorkers, runWorkers, workersFault } = await import("./workers/run_workers.ts");
    const fault = workersFault(config);
    if (fault !== undefined) throw new CommandError(fault);
    const program = ownProgram(config);
    if (program !== undefined && numberOfWorkers(config) > 1) {
      Deno.exitCode = await runWorkers(config, { program });
      return;
    }
  }
  // Only the supervisor runs programs: the workers.
  Deno.permissions.revokeSync({ name: "run" });
  // Loaded late, because the supervisor does not need it.
  const { runService } = await import("./run_service.ts");
  await runService(config, link);
}

/** Returns the command that starts this program as a worker; undefined if the service runs as one process. */
function ownProgram({ workers }: Config): readonly [string, ...string[]] | undefined {
  if (Deno.build.standalone) return [Deno.execPath(), "serve"];
  if (workers === "auto") return undefined;
  throw new CommandError(
    'Setting CERTMGR_WORKERS is not 1. Run several workers with "deno task start".',
  );
}

/** Connects to the supervisor. Errors: {@link UsageError}. */
async function linkOf(text: string): Promise<WorkerLink> {
  const { readWorkerNumber, WorkerLink } = await import("./workers/worker_link.ts");
  const worker = readWorkerNumber(text);
  if (worker === undefined) {
    throw new UsageError(
      `Invalid value ${JSON.stringify(text)} for --worker. Only the supervisor sets it, such as "1/2".`,
    );
  }
  return new WorkerLink(worker, { readable: Deno.stdin.readable, writable: Deno.stdout.writable });
}

/** Adds the providers in the file to the configuration. Errors: {@link CommandError}. */
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
    // ID tokens have the client id as their audience, so the API would accept them.
    if (providers.some((other) => other.issuer === issuer && other.clientId === apiAudience)) {
      throw new CommandError(
        `Provider ${id}: the audience of access tokens is the client id ${JSON.stringify(apiAudience)}. ` +
          "Register the API with another audience at the provider.",
      );
    }
  }
  return { ...config, settings: { ...settings, signIn: { ...signIn, providers } } };
}

function providersOf(file: string): Promise<OidcProvider[]> {
  return Deno.readTextFile(file).then(parseProviders).catch(failing("Setting CERTMGR_OIDC_FILE"));
}
