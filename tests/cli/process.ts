/** Runs the service like its users: in a separate process with the permissions of `deno.json`. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { SERVICE, serviceFlags } from "../../tools/start.ts";
import { TextLineStream } from "../support/text_lines.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** Time limit for a process to report that it listens, in milliseconds. */
const START_MS = 180_000;

/** The result of a command. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string>>;

/** A temporary folder that is removed at the end of its scope. */
export interface TestFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates a temporary folder, in which commands create their data folders. */
export async function testFolder(): Promise<TestFolder> {
  const path = await Deno.makeTempDir({ prefix: "certmgr-cli-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Returns the variables of a test without those of the user who runs the tests. */
function environmentOf(own: Environment): Record<string, string> {
  const others = Object.keys(Deno.env.toObject()).filter((name) => name.startsWith("CERTMGR_"));
  return { ...Object.fromEntries(others.map((name) => [name, ""])), NO_COLOR: "1", ...own };
}

function command(
  args: readonly string[],
  { env, flags, stdin, bundle, entry = bundle === undefined ? "src/main.ts" : "main.js", ...options }: {
    env: Environment;
    flags: readonly string[];
    bundle?: string | undefined;
    entry?: string;
    stdin: "piped" | "null";
    fileKiB?: number;
    openFiles?: number;
    log?: string;
    output?: string;
    terminal?: boolean;
  },
): Deno.ChildProcess {
  const { fileKiB, openFiles, log, output, terminal } = options;
  const program = [
    Deno.execPath(),
    "run",
    "-q",
    "--no-check",
    "--no-prompt",
    ...flags,
    entry,
    ...args,
  ];
  const preparations = [
    // The unit of `ulimit -f` is half a KiB. Without the trap, the first write above the limit would end the process.
    ...fileKiB === undefined ? [] : [`trap "" XFSZ; ulimit -f ${2 * fileKiB}`],
    ...openFiles === undefined ? [] : [`ulimit -n ${openFiles}`],
    ...log === undefined ? [] : [`exec 2>>"${log}"`],
    ...output === undefined ? [] : [`exec >"${output}"`],
  ];
  const prepared = ["/bin/sh", "-c", [...preparations, 'exec "$0" "$@"'].join("; "), ...program];
  const piped = preparations.length === 0 ? program : prepared;
  const quoted = piped.map((word) => `'${word}'`).join(" ");
  const [name, ...rest] = terminal ? ["script", "-qec", quoted, "/dev/null"] : piped;
  return new Deno.Command(name as string, {
    args: rest,
    cwd: bundle ?? PROJECT,
    env: environmentOf(env),
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Starts a command without a terminal, as `deno task certmgr` does. */
export function startCommand(args: readonly string[], env: Environment): Deno.ChildProcess {
  return command(args, { env, flags: ["-P=cli"], stdin: "null" });
}

/**
 * Runs a command to its end, as `deno task certmgr` does.
 * @param options.bundle the folder of the bundle that runs it, instead of the checkout.
 * @param options.unread whether its standard output is not read.
 * @param options.output the file to which its standard output is written.
 * @param options.terminal whether standard output and error are a terminal.
 */
export async function certmgr(
  args: readonly string[],
  { env = {}, stdin, unread = false, ...streams }: {
    env?: Environment;
    stdin?: string;
    bundle?: string;
    unread?: boolean;
    output?: string;
    terminal?: boolean;
  } = {},
): Promise<Finished> {
  const child = command(args, {
    env,
    flags: ["-P=cli"],
    stdin: stdin === undefined ? "null" : "piped",
    ...streams,
  });
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  if (unread) await child.stdout.cancel();
  const texts = [unread ? "" : new Response(child.stdout).text(), new Response(child.stderr).text()];
  const [stdout, stderr] = await Promise.all(texts) as [string, string];
  return { code: (await child.status).code, stdout, stderr };
}

/** A service that listens. */
export interface RunningService extends AsyncDisposable {
  readonly url: string;
  /** All lines of standard output up to the one with the address. */
  readonly greeting: readonly string[];
  readonly pid: number;
  signal(signal: Deno.Signal): void;
  /** Waits for the end. Returns the output after the greeting, and all of standard error. */
  ended(): Promise<Finished>;
}

/**
 * Starts a service on a free port with the permissions of `deno task start`. Throws if it ends. With several workers
 * (`CERTMGR_WORKERS`), `pid` and `signal` are of their supervisor.
 * @param options.bundle the folder of the bundle that runs it, instead of the checkout.
 * @param options.fileKiB the maximum size of files that it writes.
 * @param options.openFiles the maximum number of files and connections that it may have open.
 * @param options.log the file to which its standard error is appended.
 */
export async function startService(
  env: Environment & { readonly CERTMGR_DATA_DIR: string },
  options: {
    readonly bundle?: string;
    readonly fileKiB?: number;
    readonly openFiles?: number;
    readonly log?: string;
  } = {},
): Promise<RunningService> {
  const isAlone = (env.CERTMGR_WORKERS ?? "1") === "1";
  const isBundle = options.bundle !== undefined;
  const program = isAlone && !isBundle
    ? { flags: serviceFlags([env.CERTMGR_DATA_DIR]), entry: SERVICE }
    : { flags: ["-P=start"], entry: isBundle ? "start.js" : "tools/start.ts" };
  const child = command([], {
    env: { CERTMGR_PORT: "0", ...env },
    stdin: "null",
    ...program,
    ...options,
  });
  const stderr = new Response(child.stderr).text();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  const greeting: string[] = [];
  const timer = setTimeout(() => child.kill("SIGKILL"), START_MS);
  while (!greeting.at(-1)?.startsWith("Listening on ")) {
    const { value, done } = await lines.read();
    if (done) {
      clearTimeout(timer);
      assert.fail(`Service ended with ${(await child.status).code}: ${greeting.join("\n")}\n${await stderr}`);
    }
    greeting.push(value);
  }
  clearTimeout(timer);
  return running({ child, lines, stderr, greeting, isBundle });
}

function running({ child, lines, stderr, greeting, isBundle }: {
  child: Deno.ChildProcess;
  lines: ReadableStreamDefaultReader<string>;
  stderr: Promise<string>;
  greeting: readonly string[];
  isBundle: boolean;
}): RunningService {
  let result: Promise<Finished> | undefined;
  const ended = (): Promise<Finished> => result ??= finish();
  async function finish(): Promise<Finished> {
    const rest: string[] = [];
    for (let next = await lines.read(); !next.done; next = await lines.read()) rest.push(next.value);
    return { code: (await child.status).code, stdout: rest.join("\n"), stderr: await stderr };
  }
  return {
    url: greeting.at(-1)?.slice("Listening on ".length, -1) as string,
    greeting,
    pid: child.pid,
    signal: (signal) => child.kill(signal),
    ended,
    async [Symbol.asyncDispose](): Promise<void> {
      // Of a bundle, this is not the process of the service, but passes signals on.
      if (result === undefined) child.kill(isBundle ? "SIGTERM" : "SIGKILL");
      await ended();
    },
  };
}

/** Returns the key and password that a first start printed. */
export function adminOf(greeting: readonly string[]): { password: string; token: string } {
  const text = greeting.join("\n");
  const password = /Password {3}(\S+)/.exec(text)?.[1];
  const token = /API token {2}(\S+)/.exec(text)?.[1];
  assert.ok(password !== undefined && token !== undefined, text);
  return { password, token };
}

/** Requests JSON from a running service. */
export async function api(
  service: Pick<RunningService, "url">,
  { token, path, body }: { token: string; path: string; body?: unknown },
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(`${service.url}/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Token ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}
