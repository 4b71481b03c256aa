/** What is made once and read by all test files of a run, which share no memory. */

/** The runner's folder for them; without the runner each test file makes its own. */
const FOLDER = Deno.env.get("TEST_TEMPLATES");

/** Returns the bytes of a template; makes it when no test file of this run has done so. The same for all of them. */
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
    // Unlike a rename, a link replaces nothing: when two files make it at the same time, both take the first one.
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
