/** Limits by their name in the code. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/** Returns the value of a constant at the top of a file of `src/`: a number, or a product of numbers. */
export async function limitNamed(name: string): Promise<number> {
  const declared = await declarations(SOURCE, new RegExp(`^(?:export )?const ${name} = ([\\d_* ]+);$`, "gm"));
  if (declared.length !== 1) throw new Error(`${declared.length} files declare ${name} as a number`);
  return (declared[0] as string).split("*").reduce(
    (product, factor) => product * Number(factor.replaceAll("_", "")),
    1,
  );
}

async function declarations(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const nested = entries.map(async ({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return await declarations(path, pattern);
    return [...(await Deno.readTextFile(path)).matchAll(pattern)].map(([, value = ""]) => value);
  });
  return (await Promise.all(nested)).flat();
}
