/** Locations of the chain cases. */

/** Cases and annotations that are run by default. */
export const BUNDLED_CASES = {
  cases: new URL("cases/limbo-min.json.gz", import.meta.url),
  annotations: new URL("cases/limbo-min-annotations.json.gz", import.meta.url),
} as const;

/** Returns a file's text, decompressed when its name ends with `.gz`. */
export async function readText(file: string | URL): Promise<string> {
  const bytes = await Deno.readFile(file);
  if (!String(file).endsWith(".gz")) return new TextDecoder().decode(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).text();
}
