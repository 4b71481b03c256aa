import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a program with a permission set of `deno.json`, and returns its output. */
async function probe(set: string, program: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-check", "--no-prompt", `-P=${set}`, "-"],
    cwd: PROJECT,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(program));
  await writer.close();
  const { stdout, stderr } = await child.output();
  return new TextDecoder().decode(stdout).trim() || new TextDecoder().decode(stderr);
}

const attempt = (code: string): string =>
  `try { ${code}; console.log("granted") } catch (e) { console.log(e.name) }`;

for (const set of ["serve", "cli"]) {
  Deno.test(`the permissions "${set}" are enough for the public roots`, async () => {
    const program = `import { publicRoots } from "./src/x509/public_roots.ts";
      const { anchors, problem } = await publicRoots();
      console.log(anchors.length > 100 ? "enough" : problem);`;
    assert.equal(await probe(set, program), "enough");
  });

  Deno.test(`the permissions "${set}" run no programs`, async () => {
    assert.equal(await probe(set, attempt(`new Deno.Command("true").outputSync()`)), "NotCapable");
  });

  Deno.test(`the permissions "${set}" show no variables but the settings`, async () => {
    const program = `console.log(Deno.env.get("PATH"), Object.keys(Deno.env.toObject())
      .every((name) => name.startsWith("CERTMGR_")))`;
    assert.equal(await probe(set, program), "undefined true");
  });
}

Deno.test("the service may read and write only what its task names", async () => {
  assert.equal(await probe("serve", attempt(`Deno.readTextFileSync("deno.json")`)), "NotCapable");
  assert.equal(await probe("serve", attempt(`Deno.writeTextFileSync("data.txt", "")`)), "NotCapable");
});
