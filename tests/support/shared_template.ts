/** Databases that are made once and read by all test files of a run, each of which is a process of its own to them. */

/** The runner's folder for them; without the runner each test file makes its own. */
const FOLDER = Deno.env.get("TEST_TEMPLATES");

/** Returns the bytes of a template; makes it when no test file of this run has done so. */
export async function sharedTemplate(
  name: string,
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (FOLDER === undefined) return await make();
  const path = `${FOLDER}/${name}.db`;
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const bytes = await make();
  // Two files may make it at the same time: a rename leaves a whole one in any case.
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeFile(draft, bytes);
  await Deno.rename(draft, path);
  return bytes;
}
