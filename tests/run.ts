/**
 * Runs the tests, each lane with its own permissions: `deno task test`, or only some lanes: `deno task test pure`.
 * The last line is `N passed, N failed` (tests and their steps); a test that was ignored has failed. Exits with 1
 * when anything failed.
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { countCases, type Outcome } from "./runner/junit.ts";
import { type Lane, LANES } from "./runner/lanes.ts";
import { TextLineStream } from "./support/text_lines.ts";

const TESTS = fileURLToPath(new URL(".", import.meta.url));
const PROJECT = join(TESTS, "..");
/** Test files at a time; more do not help, for database files and spawned services compete for the same processors. */
const JOBS = "2";
/** One dot a test, and failures in full. */
const OPTIONS = ["--no-prompt", "--reporter=dot"];

async function findTests(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const nested = entries.sort((a, b) => a.name < b.name ? -1 : 1).map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory) return await findTests(path);
    return entry.name.endsWith("_test.ts") ? [path] : [];
  });
  return (await Promise.all(nested)).flat();
}

async function runLane(lane: Lane, files: readonly string[]): Promise<Outcome> {
  const parallel = lane.parallel ? ["--parallel"] : [];
  const report = await Deno.makeTempFile({ prefix: "certmgr-tests-", suffix: ".xml" });
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["test", "-q", ...OPTIONS, ...parallel, `--junit-path=${report}`, ...lane.flags, ...files],
      cwd: PROJECT,
      env: { DENO_JOBS: JOBS, NO_COLOR: "1" },
      stdout: "piped",
    }).spawn();
    await printWithoutDots(child.stdout);
    return judge(countCases(await Deno.readTextFile(report)), { lane, code: (await child.status).code });
  } finally {
    await Deno.remove(report);
  }
}

/** The dots come each in a line of its own; what is left is what tests print, and the failures in full. */
async function printWithoutDots(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const lines = output.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  for await (const line of lines) if (!/^[.!,]$/.test(line)) console.log(line);
}

/** Nothing may pass by not having been run. */
function judge({ passed, failed, ignored }: Outcome, { lane, code }: { lane: Lane; code: number }): Outcome {
  for (const name of ignored) console.log(`Test "${name}" was ignored, want every test to run`);
  const silent = passed + failed + ignored.length === 0 || (code !== 0 && failed === 0);
  if (silent) console.log(`Lane "${lane.name}" ended with exit code ${code} before its tests did`);
  return { passed, failed: failed + ignored.length + (silent ? 1 : 0), ignored };
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !LANES.some((lane) => lane.name === name));
  if (unknown !== undefined) {
    console.error(`Lane "${unknown}" is unknown, want one of ${LANES.map((lane) => lane.name).join(", ")}`);
    return 2;
  }
  const tests = await findTests(TESTS);
  let [passed, failed] = [0, 0];
  for (const lane of LANES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const files = tests.filter((path) => lane.holds(relative(TESTS, path).replaceAll("\\", "/")));
    console.log(`Lane "${lane.name}": ${files.length} ${files.length === 1 ? "file" : "files"}`);
    const outcome = await runLane(lane, files);
    passed += outcome.passed;
    failed += outcome.failed;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

Deno.exit(await main(Deno.args));
