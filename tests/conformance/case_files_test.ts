import assert from "node:assert/strict";
import { BUNDLED_CASES, readText } from "./case_files.ts";
import { DECISIVE_TIERS, readCases } from "./limbo.ts";

Deno.test("the repository holds 1,755 annotated chain cases, 974 of them decisive", async () => {
  const cases = readCases(await readText(BUNDLED_CASES.cases), await readText(BUNDLED_CASES.annotations));
  assert.equal(cases.length, 1755);
  assert.deepEqual(cases.filter(({ why }) => why === "not annotated").map(({ case: { id } }) => id), []);
  assert.equal(cases.filter(({ tier }) => DECISIVE_TIERS.includes(tier)).length, 974);
});

Deno.test("a file of cases is read compressed and plain", async () => {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-cases-" });
  try {
    const text = '{"testcases":[]}';
    const gzip = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    await Deno.writeFile(`${folder}/cases.json.gz`, gzip);
    await Deno.writeTextFile(`${folder}/cases.json`, text);
    assert.equal(await readText(`${folder}/cases.json.gz`), text);
    assert.equal(await readText(`${folder}/cases.json`), text);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the conformance run takes its cases from the repository, and others from the command line", async () => {
  const run = async (...args: readonly string[]): Promise<{ code: number; last: string }> => {
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "--no-prompt",
        "--allow-read",
        "--allow-net",
        new URL("main.ts", import.meta.url).href,
        ...args,
      ],
      stderr: "null",
    }).output();
    return { code, last: new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1) as string };
  };
  const { code, last } = await run("--filter", "crl::");
  assert.equal(code, 0);
  assert.match(last, /^[1-9]\d* passed, 0 failed$/);
  assert.equal((await run("a", "b", "c")).code, 2);
  assert.notEqual((await run("/nowhere/cases.json")).code, 0);
});
