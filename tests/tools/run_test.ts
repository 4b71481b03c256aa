/** `deno task test` on files, folders and names that are neither. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

async function runTests(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; lines: string[]; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "test", "--no-check", ...args],
    cwd: PROJECT,
    env: { NO_COLOR: "1", ...environment },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  return { code, lines: out.trimEnd().split("\n"), stderr: err };
}

Deno.test("files and folders run in their lanes, and the last lines are time and counts", async () => {
  const two = await runTests([
    "tests/base/clock_test.ts",
    "tests/domain/certificates/export/formats_test.ts",
  ]);
  assert.equal(two.code, 0);
  assert.deepEqual(two.lines.filter((line) => line.startsWith("Lane")), [
    'Lane "pure": 1 file',
    'Lane "service": 1 file',
  ]);
  assert.match(two.lines.slice(-2).join("\n"), /^Took [^\n]+\n\d{2,} passed, 0 failed$/);
});

Deno.test("a name that is neither a lane nor a test is refused", async () => {
  const { code, stderr } = await runTests(["pure", "tests/no_such_test.ts"]);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^"tests\/no_such_test\.ts" is neither a lane nor a test file or folder\. Lanes: architecture, /,
  );
});

Deno.test("tests whose program is missing are skipped, counted and named, and the others pass", async () => {
  const empty = await Deno.makeTempDir();
  try {
    const files = ["docs/csr_test.ts", "e2e/rights_test.ts", "base/clock_test.ts"];
    const { code, lines } = await runTests(
      files.map((file) => `tests/${file}`),
      // Where nothing is on PATH, neither is apt-get: nothing is installed.
      { PATH: empty },
    );
    assert.match(
      lines.at(-1) as string,
      /^\d+ passed, 0 failed, 2 skipped: openssl is missing: apt-get install openssl; chromium is missing: apt-get install chromium fonts-dejavu-core$/,
    );
    assert.ok(lines.includes("Skipped, because openssl is missing: docs/csr_test.ts"));
    assert.ok(lines.includes("Skipped, because chromium is missing: e2e/rights_test.ts"));
    assert.equal(code, 0);
  } finally {
    await Deno.remove(empty, { recursive: true });
  }
});
