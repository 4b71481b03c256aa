/** What the README shows is so. */

import assert from "node:assert/strict";
import { VERSION } from "../../src/cli/version.ts";
import { MIGRATIONS } from "../../src/db/mod.ts";

const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));

Deno.test("the first start that the README shows is that of this release", () => {
  const shown = readme.match(/^ {4}Applied migration \w+$/gm);
  assert.deepEqual(shown, MIGRATIONS.map(({ name }) => `    Applied migration ${name}`));
  assert.ok(readme.includes(`\n    certmgr ${VERSION}\n    Applied migration`));
});
