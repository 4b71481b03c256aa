/**
 * `deno task bundle`: writes the service into a folder that needs nothing except Deno: its code and its packages in few
 * files, and the native database library of this machine. `deno bundle` downloads esbuild from the npm registry once.
 */

import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { licenseTexts } from "./licenses.ts";
import { databaseLibraries } from "./start.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const USAGE = "Usage: deno task bundle [--output <folder>]\nWithout a folder, dist/service.";

/** Programs of a bundle, by how they share files: each group separately. */
const PROGRAMS: readonly { readonly files: readonly string[]; readonly split: boolean }[] = [
  { files: ["src/main.ts", "src/service.ts", "src/edge.ts"], split: true },
  { files: ["tools/start.ts"], split: true },
];

/** Tasks of the project that a bundle has, too. */
const TASKS = ["start", "certmgr", "migrate", "token"] as const;

/** The file with the licenses, by which a bundle is recognized. */
const LICENSES = "licenses.txt";
/** Names of the files of a bundle. Others in its folder, such as data, are kept when it is written again. */
const OWN_FILE = /^(?:.+\.js(?:\.map)?|deno\.json|LICENSE|licenses\.txt|node_modules)$/;

/** Reads the command line. Returns the folder, or what is wrong. */
export function readArguments(args: readonly string[]): { readonly folder: string } | {
  readonly fault: string;
} {
  const [name, value, more] = args;
  if (name === undefined) return { folder: "dist/service" };
  if (name !== "--output") return { fault: `Argument ${JSON.stringify(name)} is unknown` };
  // An empty folder would be the checkout itself.
  if (value === undefined || value === "") return { fault: "Argument --output has no value" };
  return more === undefined ? { folder: value } : { fault: `Argument ${JSON.stringify(more)} is unknown` };
}

/** Returns the configuration of a bundle: tasks, permissions and unstable features of the project. */
export function bundleManifest(): Record<string, unknown> {
  const { version, license, unstable, permissions: { settings, start, serve, cli }, tasks } = manifest;
  const ownTasks = TASKS.map((task) => {
    const { description, command } = tasks[task];
    return [task, { description, command: command.replace(/(?:src|tools)\/(\w+)\.ts/, "$1.js") }];
  });
  return {
    version,
    license,
    // The database library is in node_modules, and everything else inside: nothing is downloaded.
    nodeModulesDir: "manual",
    lock: false,
    unstable,
    tasks: Object.fromEntries(ownTasks),
    permissions: { settings, start, serve, cli },
  };
}

/**
 * Returns code without characters beyond ASCII, which the engine would store as two bytes each, and copy. The bundler
 * leaves them in regular expressions and comments only.
 */
export function asciiCode(code: string): string {
  // Nothing can be escaped in raw text.
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) return code;
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the standard output of a command of Deno; undefined if it failed, and has printed why. */
async function deno(...args: readonly string[]): Promise<string | undefined> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: PROJECT,
    env: { RUST_BACKTRACE: "0", RUST_LIB_BACKTRACE: "0" },
    stderr: "inherit",
  }).output();
  return success ? new TextDecoder().decode(stdout) : undefined;
}

/** Writes all programs into a folder. Returns whether this succeeded. */
async function bundlePrograms(folder: string): Promise<boolean> {
  for (const { files, split } of PROGRAMS) {
    const flags = [
      "--platform=deno",
      "--format=esm",
      // Errors then name lines of source files. Minified code would lose the names of functions.
      "--sourcemap=linked",
      `--outdir=${folder}`,
      ...split ? ["--code-splitting"] : [],
    ];
    if (await deno("bundle", "-q", ...flags, ...files) === undefined) return false;
  }
  return true;
}

/**
 * Rewrites code and source maps, so that they contain no paths of this machine. Returns the files that the code is from.
 */
async function rewriteFiles(folder: string, npmCache: string): Promise<string[]> {
  const sources = new Set<string>();
  for await (const { name } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const text = await Deno.readTextFile(path);
    if (name.endsWith(".js")) {
      // A comment before each part names its file.
      for (const [, file] of text.matchAll(/^ *\/\/ (\S+\/\S+)$/gm)) {
        sources.add(resolve(PROJECT, file as string));
      }
      await Deno.writeTextFile(
        path,
        asciiCode(text.replaceAll(`${slashed(relative(PROJECT, npmCache))}/`, "npm/")),
      );
      continue;
    }
    const map = JSON.parse(text) as { sources: string[]; sourcesContent?: unknown };
    map.sources = map.sources.map((source) => {
      const file = resolve(folder, source);
      const isPackage = file.startsWith(npmCache);
      return isPackage ? `npm/${slashed(relative(npmCache, file))}` : slashed(relative(PROJECT, file));
    });
    // The texts would double the size, and are not needed to name a line.
    delete map.sourcesContent;
    await Deno.writeTextFile(path, JSON.stringify(map));
  }
  return [...sources];
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** Copies the native database library. Returns the files of its packages. */
async function copyLibraries(folder: string): Promise<string[]> {
  const copied: string[] = [];
  for (const library of databaseLibraries()) {
    // `…/@libsql/<system>/<version>/index.node`
    const source = dirname(library);
    const target = join(folder, "node_modules/@libsql", basename(dirname(source)));
    await Deno.mkdir(target, { recursive: true });
    for (const name of ["index.node", "package.json"]) {
      await Deno.copyFile(join(source, name), join(target, name));
      copied.push(join(source, name));
    }
  }
  return copied;
}

/** Returns why a folder cannot become a bundle; undefined if it can. */
async function folderFault(folder: string): Promise<string | undefined> {
  try {
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    if (names.length === 0 || names.includes(LICENSES)) return undefined;
    return `Folder ${JSON.stringify(folder)} is not empty, and not a bundle`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    return `Folder ${JSON.stringify(folder)} cannot be read`;
  }
}

/** Replaces the bundle in a folder by a new one, and keeps other files. */
async function replaceBundle(folder: string, made: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (OWN_FILE.test(name)) await Deno.remove(join(folder, name), { recursive: true });
  }
  for await (const { name } of Deno.readDir(made)) await Deno.rename(join(made, name), join(folder, name));
}

/** Writes a bundle. Returns whether this succeeded; if it did not, the bundler has printed why. */
async function makeBundle(folder: string): Promise<boolean> {
  const info = await deno("info", "--json");
  if (info === undefined) return false;
  const { npmCache } = JSON.parse(info) as { npmCache: string };
  await Deno.mkdir(folder, { recursive: true });
  const made = await Deno.makeTempDir({ dir: folder, prefix: ".new-" });
  try {
    if (!await bundlePrograms(made)) return false;
    const files = [...await rewriteFiles(made, npmCache), ...await copyLibraries(made)];
    await Deno.writeTextFile(join(made, LICENSES), await licenseTexts(files, npmCache));
    await Deno.copyFile(join(PROJECT, "LICENSE"), join(made, "LICENSE"));
    await Deno.writeTextFile(join(made, "deno.json"), `${JSON.stringify(bundleManifest(), undefined, 2)}\n`);
    await replaceBundle(folder, made);
    return true;
  } finally {
    await Deno.remove(made, { recursive: true });
  }
}

async function main(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  const fault = "fault" in asked ? asked.fault : await folderFault(asked.folder);
  if ("fault" in asked || fault !== undefined) {
    console.error(`${fault}\n${USAGE}`);
    return 2;
  }
  if (await makeBundle(resolve(asked.folder))) {
    console.log(`${asked.folder}: run "deno task start" there`);
    return 0;
  }
  console.error("The bundle was not written, see above. Its bundler (esbuild) comes from the npm registry");
  return 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
