/** The pages for contributors name files, folders and tasks that exist. */

import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
/** A path in backticks: with a slash or a source file's extension, without placeholders. */
const PATH = /`((?:[\w.]+\/)*[\w.]+\.(?:ts|tsx|json|lock|md|graphql|service)|(?:[\w.]+\/)+)`/g;
/** Files that the recipes tell the reader to create. */
const EXAMPLES = /^src\/web\/pages\/about\//;
/** A name that every directory has. */
const ENTRY = "mod.ts";

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(new URL(path, ROOT)).then(() => true, () => false);
}

Deno.test("every path in docs/architecture.md exists, below the root or below src/", async () => {
  const page = await Deno.readTextFile(new URL("docs/architecture.md", ROOT));
  const named = [...page.matchAll(PATH)].map(([, path = ""]) => path).filter((path) =>
    path !== ENTRY && !EXAMPLES.test(path)
  );
  assert.ok(named.length > 80, `The page names ${named.length} paths`);
  const missing: string[] = [];
  for (const path of new Set(named)) {
    if (!await exists(`src/${path}`) && !await exists(path)) missing.push(path);
  }
  assert.deepEqual(missing, []);
});

Deno.test("every task that the documents name exists", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  for (const file of ["README.md", "CONTRIBUTING.md", "docs/deployment.md", "docs/architecture.md"]) {
    const text = await Deno.readTextFile(new URL(file, ROOT));
    for (const [, name = ""] of text.matchAll(/deno(?:@[\d.]+)? task (?:-q )?([\w:]+)/g)) {
      assert.ok(Object.hasOwn(tasks, name), `${file}: deno task ${name}`);
    }
  }
});

Deno.test("CONTRIBUTING.md lists every lane of the tests", async () => {
  const { LANES } = await import("../runner/lanes.ts");
  const text = await Deno.readTextFile(new URL("CONTRIBUTING.md", ROOT));
  const listed = [...text.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  assert.deepEqual(listed, LANES.map(({ name }) => name));
});
