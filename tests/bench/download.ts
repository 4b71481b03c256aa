/**
 * `deno task bench:download`: measures what `deno task start` downloads on a machine that has only Deno. Starts the
 * service with an empty cache until it listens, and prints the sizes of its packages and of the whole cache.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TextLineStream } from "../support/text_lines.ts";
import { benchOptions } from "./bench_options.ts";

benchOptions("bench:download", {});

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** Number of packages that are listed separately. */
const LISTED = 12;

/** Returns the bytes of all files below a folder. */
async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    const inner = join(path, name);
    bytes += isDirectory ? await sizeOf(inner) : (await Deno.stat(inner)).size;
  }
  return bytes;
}

/** Returns the folders of the packages in a cache: `<registry>/<name>` and `<registry>/<scope>/<name>`. */
async function packagesIn(cache: string): Promise<string[]> {
  const foldersIn = async (path: string): Promise<string[]> =>
    (await Array.fromAsync(Deno.readDir(path))).filter(({ isDirectory }) => isDirectory).map(({ name }) =>
      join(path, name)
    );
  const names = (await Promise.all((await foldersIn(join(cache, "npm"))).map(foldersIn))).flat();
  const nested = names.map((path) => /[\\/]@[^\\/]+$/.test(path) ? foldersIn(path) : [path]);
  return (await Promise.all(nested)).flat();
}

async function startOnce(folder: string): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "start"],
    cwd: PROJECT,
    env: { DENO_DIR: join(folder, "cache"), CERTMGR_DATA_DIR: join(folder, "data"), CERTMGR_PORT: "0" },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  for await (const line of lines.values({ preventCancel: true })) if (line.startsWith("Listening on ")) break;
  child.kill("SIGTERM");
  await Promise.all([child.status, lines.pipeTo(new WritableStream())]);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1).padStart(7)} MB`;
}

const folder = await Deno.makeTempDir({ prefix: "certmgr-download-" });
try {
  await startOnce(folder);
  const cache = join(folder, "cache");
  const packages = await Promise.all(
    (await packagesIn(cache)).map(async (path) => ({ path, bytes: await sizeOf(path) })),
  );
  packages.sort((a, b) => b.bytes - a.bytes);
  for (const { path, bytes } of packages.slice(0, LISTED)) {
    console.log(megabytes(bytes), path.slice(join(cache, "npm").length + 1));
  }
  const all = packages.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(megabytes(all), `${packages.length} packages, unpacked (aim: 70 MB)`);
  console.log(megabytes(await sizeOf(cache)), "the whole cache, with what Deno has made of it");
} finally {
  await Deno.remove(folder, { recursive: true });
}
