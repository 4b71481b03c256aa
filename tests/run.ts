/**
 * Runs the tests, each lane with its own permissions: `deno task test`, only some lanes: `deno task test pure`, or only
 * some files and folders: `deno task test tests/web/pages_test.ts`. Shows how far it is while it runs. With
 * `--no-check` types are not checked, for a caller that has done so. The last line is `N passed, N failed` (tests and
 * their steps); a test that was ignored has failed. Exits with 1 when anything failed.
 */

import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { countCases, type FileTime, type Outcome, timesOfFiles } from "./runner/junit.ts";
import { type Lane, LANES } from "./runner/lanes.ts";
import { duration, Progress } from "./runner/progress.ts";
import { TextLineStream } from "./support/text_lines.ts";

const TESTS = fileURLToPath(new URL(".", import.meta.url));
const PROJECT = join(TESTS, "..");
/** The tests have packages, permissions and a lock file of their own, so that the service is started without them. */
const CONFIG = `--config=${join(TESTS, "deno.json")}`;
const NO_CHECK = "--no-check";
/** Test files at a time; more do not help, for database files and spawned services compete for the same processors. */
const JOBS = "2";
/** Number of files whose time is shown at the end. */
const SLOWEST = 20;
/** How often progress is shown, in milliseconds: a terminal's line is written over, lines of a log are not. */
const SHOW_EVERY_MS = Deno.stdout.isTerminal() ? 500 : 15_000;
/**
 * What the runtimes print when something fails on purpose: backtraces of their own binaries, and connections that the
 * native database library has lost.
 */
const QUIET = { RUST_BACKTRACE: "0", RUST_LIB_BACKTRACE: "0", RUST_LOG: "off" } as const;

async function findTests(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const nested = entries.sort((a, b) => a.name < b.name ? -1 : 1).map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory) return await findTests(path);
    return entry.name.endsWith("_test.ts") ? [path] : [];
  });
  return (await Promise.all(nested)).flat();
}

async function runLane(
  lane: Lane,
  files: readonly string[],
): Promise<Outcome & { files: readonly FileTime[] }> {
  const own = [...(lane.parallel ? ["--parallel"] : []), ...(Deno.args.includes(NO_CHECK) ? [NO_CHECK] : [])];
  const folder = await Deno.makeTempDir({ prefix: "certmgr-tests-" });
  const report = join(folder, "report.xml");
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "-q",
        "--no-prompt",
        CONFIG,
        ...own,
        `--junit-path=${report}`,
        ...lane.flags,
        ...files,
      ],
      cwd: PROJECT,
      env: { DENO_JOBS: JOBS, NO_COLOR: "1", TEST_TEMPLATES: folder, ...QUIET },
      stdout: "piped",
    }).spawn();
    await show(child.stdout, new Progress({ name: lane.name, files: files.length }));
    const { code } = await child.status;
    const text = await Deno.readTextFile(report);
    return { ...assess(countCases(text), { lane, code }), files: timesOfFiles(text) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Shows failures and what tests print, and now and then how far the lane is. */
async function show(output: ReadableStream<Uint8Array<ArrayBuffer>>, progress: Progress): Promise<void> {
  const begun = performance.now();
  const timer = setInterval(() => showState(progress.text(performance.now() - begun)), SHOW_EVERY_MS);
  try {
    const lines = output.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
    for await (const line of lines) if (progress.read(line)) showLine(line);
  } finally {
    clearInterval(timer);
    showState("");
  }
}

/** Clears the line of a terminal that shows the state, and writes what comes in its place. */
const CLEARED = "\r\x1b[K";

function showLine(line: string): void {
  console.log(Deno.stdout.isTerminal() ? `${CLEARED}${line}` : line);
}

function showState(text: string): void {
  if (!Deno.stdout.isTerminal()) return text === "" ? undefined : console.log(text);
  const { columns } = Deno.consoleSize();
  Deno.stdout.writeSync(new TextEncoder().encode(`${CLEARED}${text.slice(0, columns - 1)}`));
}

/** Nothing may pass by not having been run. */
function assess({ passed, failed, ignored }: Outcome, { lane, code }: { lane: Lane; code: number }): Outcome {
  for (const name of ignored) console.log(`Test "${name}" was ignored; no test may be ignored`);
  const silent = passed + failed + ignored.length === 0 || (code !== 0 && failed === 0);
  if (silent) console.log(`Lane "${lane.name}" ended with exit code ${code} before its tests did`);
  return { passed, failed: failed + ignored.length + (silent ? 1 : 0), ignored };
}

/** Shows the files that take longest, when so many ran that it matters. */
function showSlowest(times: readonly FileTime[]): void {
  if (times.length <= SLOWEST) return;
  const slowest = times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  console.log(`Slowest files: ${slowest.map(({ file, ms }) => `${file} ${duration(ms)}`).join(", ")}`);
}

/** Returns the files of each lane that the command line names by lane, file or folder; all of them without a name. */
function selectFiles(
  args: readonly string[],
  tests: readonly string[],
): readonly (readonly [Lane, string[]])[] {
  const places = args.filter((name) => !LANES.some((lane) => lane.name === name)).map((path) =>
    resolve(path)
  );
  const given = (path: string): boolean =>
    places.some((place) => path === place || path.startsWith(`${place}/`));
  return LANES.map((lane) => {
    const whole = args.length === 0 || args.includes(lane.name);
    const files = tests.filter((path) => lane.holds(relative(TESTS, path).replaceAll("\\", "/")));
    return [lane, whole ? files : files.filter(given)] as const;
  }).filter(([_lane, files]) => files.length > 0);
}

async function main(args: readonly string[]): Promise<number> {
  const all = await findTests(TESTS);
  const unknown = args.find((name) =>
    !LANES.some((lane) => lane.name === name) && selectFiles([name], all).length === 0
  );
  if (unknown !== undefined) {
    const names = LANES.map((lane) => lane.name).join(", ");
    console.error(`"${unknown}" is neither a lane nor a test file or folder. Lanes: ${names}.`);
    return 2;
  }
  const begun = performance.now();
  let [passed, failed] = [0, 0];
  const times: FileTime[] = [];
  for (const [lane, files] of selectFiles(args, all)) {
    console.log(`Lane "${lane.name}": ${files.length} ${files.length === 1 ? "file" : "files"}`);
    const outcome = await runLane(lane, files);
    passed += outcome.passed;
    failed += outcome.failed;
    times.push(...outcome.files);
  }
  showSlowest(times);
  console.log(`Took ${duration(performance.now() - begun)}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

Deno.exit(await main(Deno.args.filter((argument) => argument !== NO_CHECK)));
