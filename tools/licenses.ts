/** Licenses of the packages whose code a bundle contains. Most of them require a copy of their text. */

import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const LICENSE_FILE = /(?:^|\.)(?:licen[cs]e|copying|notice)\b/i;
const RULE = "=".repeat(80);

/** A package, or a folder with copies of files from packages. */
interface Origin {
  readonly title: string;
  readonly folder: string;
}

/**
 * Returns the licenses of the packages that these files are from, as one text.
 * @param npmCache The folder of packages: `<registry>/<name>/<version>/…`.
 */
export async function licenseTexts(paths: readonly string[], npmCache: string): Promise<string> {
  const origins = new Map<string, Origin>();
  for (const path of paths) {
    const origin = packageOf(path, npmCache) ?? copyOf(path);
    if (origin !== undefined) origins.set(origin.folder, origin);
  }
  const sorted = [...origins.values()].sort((a, b) => a.title < b.title ? -1 : 1);
  return (await Promise.all(sorted.map(textOf))).join("\n");
}

function packageOf(path: string, npmCache: string): Origin | undefined {
  if (!path.startsWith(`${npmCache}/`)) return undefined;
  const [start, name, version] =
    /^[^/]+\/((?:@[^/]+\/)?[^/]+)\/([^/]+)\//.exec(path.slice(npmCache.length + 1)) ?? [];
  return start === undefined ? undefined : { title: `${name} ${version}`, folder: join(npmCache, start) };
}

/** Returns the folder of a file that this project copied from a package (tools/vendor.ts). */
function copyOf(path: string): Origin | undefined {
  const folder = dirname(path);
  return basename(folder) === "vendor"
    ? { title: `files in ${relative(PROJECT, folder)}`, folder }
    : undefined;
}

async function textOf({ title, folder }: Origin): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).filter(({ isFile }) => isFile)
    .map(({ name }) => name);
  const files = names.filter((name) => LICENSE_FILE.test(name)).sort();
  const texts = await Promise.all(files.map((name) => Deno.readTextFile(join(folder, name))));
  const declared = names.includes("package.json") ? await declaredLicense(join(folder, "package.json")) : [];
  return [RULE, [title, ...declared].join(", "), RULE, "", ...texts.map((text) => text.trim()), ""].join(
    "\n",
  );
}

/** Returns what a package declares, because some packages have no file with the text. */
async function declaredLicense(path: string): Promise<string[]> {
  const { license, author } = JSON.parse(await Deno.readTextFile(path)) as {
    license?: string;
    author?: string | { readonly name: string };
  };
  const name = typeof author === "object" ? author.name : author;
  return [license, name].filter((part) => part !== undefined);
}
