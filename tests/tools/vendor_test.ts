/** Copies of other projects' files are what their packages contain. */

import assert from "node:assert/strict";
import { hashOf, readCopy, VENDORED } from "../../tools/vendor.ts";

for (const { copy, from, source, sha256 } of VENDORED) {
  Deno.test(`${copy} is ${source} of ${from}, unchanged`, async () => {
    const stored = await Deno.readTextFile(
      new URL(`../../${copy}`, import.meta.url),
    );
    assert.equal(hashOf(readCopy(copy, stored)), sha256);
  });
}

Deno.test("each folder of copies has the license of their package", async () => {
  const folders = new Set(
    VENDORED.map(({ copy }) => copy.replace(/[^/]*$/, "")),
  );
  for (const folder of folders) {
    const names = await Array.fromAsync(
      Deno.readDir(new URL(`../../${folder}`, import.meta.url)),
      ({ name }) => name,
    );
    assert.ok(names.some((name) => /LICENSE/.test(name)), folder);
  }
});
