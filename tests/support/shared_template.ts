/** Templates that are created once and read by all test files of a run, which share no memory. */

/** The runner's folder for templates. Without the runner each test file creates its own. */
const FOLDER = Deno.env.get("TEST_TEMPLATES");

/** Returns the bytes of a template, which are the same for all test files of a run. Creates it if none has done so. */
export async function sharedTemplate(
  name: string,
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (FOLDER === undefined) return await make();
  const path = `${FOLDER}/${name}`;
  const made = await readIfExists(path);
  if (made !== undefined) return made;
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeFile(draft, await make());
  try {
    // Unlike a rename, a link replaces nothing: if two files create it at the same time, both use the first one.
    await Deno.link(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  await Deno.remove(draft);
  return await Deno.readFile(path);
}

async function readIfExists(path: string): Promise<Uint8Array | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
