/** A missing browser is reported. */

import assert from "node:assert/strict";
import { findChromium } from "./support/chromium.ts";

const ADVICE = /^Error: chromium is neither on PATH nor where CERTMGR_CHROMIUM says$/;

for (
  const [what, where] of [
    ["missing on PATH", { given: undefined, path: "/nowhere:/nor/here" }],
    ["searched for without a PATH", { given: "", path: undefined }],
    ["not where CERTMGR_CHROMIUM says", { given: "/nowhere/chromium", path: Deno.env.get("PATH") }],
  ] as const
) {
  Deno.test(`a browser that is ${what} is reported in one sentence`, async () => {
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
