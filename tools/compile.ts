/**
 * `deno task compile`: compiles the service into one file that needs nothing else, with its permissions built in. The
 * runtime of the target is fetched from Deno's own site, the native database library from the npm registry.
 */

import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };

/** Systems with a native database library, by Deno's name for them. */
export const TARGETS = {
  "x86_64-unknown-linux-gnu": "@libsql/linux-x64-gnu",
  "aarch64-unknown-linux-gnu": "@libsql/linux-arm64-gnu",
  "x86_64-apple-darwin": "@libsql/darwin-x64",
  "aarch64-apple-darwin": "@libsql/darwin-arm64",
  // Windows on ARM runs this one, too: it has no separate library.
  "x86_64-pc-windows-msvc": "@libsql/win32-x64-msvc",
} as const;

/** One of {@link TARGETS}. */
export type Target = keyof typeof TARGETS;

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const USAGE = `Usage: deno task compile [--target <name>]… [--output <folder>]
Targets: all, ${Object.keys(TARGETS).join(", ")}
Without a target, this machine's; without a folder, dist.`;

/**
 * New objects are collected before there are many of them (MiB): a long export then takes half the memory, and as long.
 * And not earlier either, because a start creates many objects that stay: each collection would copy them.
 * Old objects are collected when they take half as much again, not four times as much.
 */
export const HEAP = "--v8-flags=--min-semi-space-size=8,--max-semi-space-size=8,--heap-growing-percent=25";

/** What `deno` is called with. Packages that only tests use are left out. */
export function compileArguments(target: Target, output: string): string[] {
  return [
    "compile",
    "--no-check",
    "--no-prompt",
    HEAP,
    "-P=cli",
    // A service with several workers starts itself again.
    "--allow-run",
    "--exclude-unused-npm",
    `--target=${target}`,
    `--output=${output}`,
    "src/main.ts",
  ];
}

/** Name of the file for a target. */
export function fileName(target: Target): string {
  return `certmgr-${manifest.version}-${target}${target.includes("windows") ? ".exe" : ""}`;
}

/** What the command line asks for, or what is wrong with it. */
export type Arguments = { readonly targets: readonly Target[]; readonly folder: string } | {
  readonly fault: string;
};

/** Reads the command line. */
export function readArguments(args: readonly string[]): Arguments {
  const targets: Target[] = [];
  let folder = "dist";
  for (let at = 0; at < args.length; at += 2) {
    const [name, value] = [args[at], args[at + 1]];
    if (name !== "--output" && name !== "--target") return { fault: `Argument ${quoted(name)} is unknown` };
    if (value === undefined) return { fault: `Argument ${name} has no value` };
    if (name === "--output") folder = value;
    else if (value === "all") targets.push(...Object.keys(TARGETS) as Target[]);
    else if (Object.hasOwn(TARGETS, value)) targets.push(value as Target);
    else return { fault: `Target ${quoted(value)} is unknown` };
  }
  if (targets.length > 0) return { targets, folder };
  const own = Deno.build.target;
  return Object.hasOwn(TARGETS, own)
    ? { targets: [own as Target], folder }
    : { fault: `No database library exists for this machine (${own}). Use --target for another.` };
}

function quoted(text: string | undefined): string {
  return JSON.stringify(text);
}

/** What to do when a binary was not made; why it was not, the compiler has said before. */
export function advice(target: Target): string {
  return `No binary for ${target}, see above. Its runtime comes from https://dl.deno.land, packages from the npm ` +
    `registry. Where the former cannot be reached, fetch denort-${target}.zip of Deno ${Deno.version.deno} ` +
    "elsewhere, unpack it, and name its path in DENORT_BIN";
}

async function main(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  if ("fault" in asked) {
    console.error(`${asked.fault}\n${USAGE}`);
    return 2;
  }
  for (const target of asked.targets) {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: compileArguments(target, `${asked.folder}/${fileName(target)}`),
      cwd: PROJECT,
      // Where in the runtime an error arose helps nobody here.
      env: { RUST_BACKTRACE: "0", RUST_LIB_BACKTRACE: "0" },
    }).spawn().status;
    if (code !== 0) {
      console.error(advice(target));
      return 1;
    }
  }
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
