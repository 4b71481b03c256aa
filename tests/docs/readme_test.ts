/** The README matches the release. */

import assert from "node:assert/strict";
import { VERSION } from "../../src/base/version.ts";
import { MIGRATIONS } from "../../src/db/mod.ts";

const MAX_CHARS = 11_000;
const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));

Deno.test("the README shows the first lines of this release's first start", () => {
  const [first] = MIGRATIONS;
  assert.ok(readme.includes(`\n    certmgr ${VERSION}\n    Applied migration ${first?.name}\n`));
});

Deno.test("the README stays short", () => {
  assert.ok(readme.length <= MAX_CHARS, `The README has ${readme.length} characters; move details to docs/`);
});
