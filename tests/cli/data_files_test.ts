/** Files of trust data and rules: read at the start, and trust data again after a change. */

import assert from "node:assert/strict";
import { withDataFiles } from "../../src/cli/data_files.ts";
import { readConfig } from "../../src/config/mod.ts";
import { certmgr, testFolder } from "./process.ts";

const KEY = "b".repeat(64);

/** Writes trust data whose only own entry is a key with this reason. */
async function writeTrust(path: string, reason: string): Promise<void> {
  const data = { version: 1, distrusted_keys: [{ spki_sha256: KEY, reason }] };
  await Deno.writeTextFile(path, JSON.stringify(data));
}

Deno.test("trust data that changes is read again; while it is malformed or missing, the former data stays", async () => {
  await using folder = await testFolder();
  const path = `${folder.path}/trust.json`;
  await writeTrust(path, "first");
  const { settings } = await withDataFiles(readConfig({ CERTMGR_TRUST_FILE: path }));
  const reason = async () => (await settings.distrust()).keys.get(KEY)?.reason;
  /** Returns the reason once it is as expected, or the last one after ten seconds. */
  const eventually = async (expected: string): Promise<string | undefined> => {
    for (let tries = 0; tries < 100 && await reason() !== expected; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return await reason();
  };
  assert.equal(await reason(), "first");
  assert.equal(await settings.distrust(), await settings.distrust());
  await writeTrust(path, "second, longer");
  assert.equal(await eventually("second, longer"), "second, longer");
  for (const content of ["{", "x".repeat(1_000_001), undefined]) {
    if (content === undefined) await Deno.remove(path);
    else await Deno.writeTextFile(path, content);
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    assert.equal(await reason(), "second, longer", content?.slice(0, 10) ?? "missing");
  }
  await writeTrust(path, "third");
  assert.equal(await eventually("third"), "third");
});

Deno.test("with a malformed, missing or huge file, a command names the setting, and what is wrong", async () => {
  await using folder = await testFolder();
  const path = `${folder.path}/trust.json`;
  for (
    const [content, message] of [
      [undefined, /CERTMGR_TRUST_FILE: no such file or directory/],
      ['{"version": 3}', /CERTMGR_TRUST_FILE: version: expected 1, not 3/i],
      ["x".repeat(1_000_001), /CERTMGR_TRUST_FILE: .* has 1000001 bytes; at most 1000000 are read/],
    ] as const
  ) {
    if (content !== undefined) await Deno.writeTextFile(path, content);
    const { code, stderr } = await certmgr(["trust"], { env: { CERTMGR_TRUST_FILE: path } });
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
  await Deno.writeTextFile(path, "[]");
  await assert.rejects(
    withDataFiles(readConfig({ CERTMGR_RULES_FILE: path })),
    /CERTMGR_RULES_FILE: the file/i,
  );
});

Deno.test("certmgr trust prints version, source and entries", async () => {
  await using folder = await testFolder();
  const path = `${folder.path}/trust.json`;
  await writeTrust(path, "our reason");
  const { code, stdout } = await certmgr(["trust"], { env: { CERTMGR_TRUST_FILE: path } });
  assert.equal(code, 0);
  assert.match(stdout, /^Version: \d{4}-\d\d-\d\d\nSource: {2}this release, and .*trust\.json\n/);
  assert.match(stdout, /our reason/);
  assert.match(stdout, /issued after 2024-11-30 .*Entrust Root Certification Authority - G2/);
  const json = JSON.parse((await certmgr(["trust", "--json"], { env: {} })).stdout);
  assert.ok(json.distrusted_keys.length > 10 && json.not_for_servers.length > 40);
  assert.equal(json.source, "this release");
});
