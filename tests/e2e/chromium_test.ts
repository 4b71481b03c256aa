/** A missing browser is reported with the way to install it. */

import assert from "node:assert/strict";
import { findChromium } from "./support/chromium.ts";

const ADVICE = /^Error: Chromium is missing\. Run "apt-get install chromium fonts-dejavu-core"/;

for (
  const [what, where] of [
    ["missing on PATH", { given: undefined, path: "/nowhere:/nor/here" }],
    ["searched for without a PATH", { given: "", path: undefined }],
    ["not where CERTMGR_CHROMIUM says", { given: "/nowhere/chromium", path: Deno.env.get("PATH") }],
  ] as const
) {
  Deno.test(`a browser that is ${what} is reported in one sentence that says how to get it`, async () => {
    await assert.rejects(findChromium(where), ADVICE);
  });
}

Deno.test("a browser is found along PATH, in the order of its folders", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/chromium`, "");
    assert.equal(
      await findChromium({ given: undefined, path: `/nowhere:${folder}:/usr/bin` }),
      `${folder}/chromium`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
