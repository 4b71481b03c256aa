/**
 * Runs the tests, each lane with its own permissions: `deno task test`, only some lanes: `deno task test pure`, or only
 * some files and folders: `deno task test tests/web/pages_test.ts`. Shows how far it is while it runs. With
 * `--no-check` types are not checked, for a caller that has done so. The last line is `N passed, N failed` (tests and
 * their steps); a test that was ignored has failed. Exits with 1 when anything failed.
 *
 * Programs that the tests need are installed where that is possible. Otherwise the test files that need them are left
 * out, and the last line adds their number and the reason: `, N skipped: chromium is missing: apt-get install …`.
 */

import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { countCases, type FileTime, type Outcome, timesOfFiles } from "./runner/junit.ts";
import { divide, type Lane, LANES } from "./runner/lanes.ts";
import { findMissing, install, missingText } from "./runner/programs.ts";
import { duration, Progress } from "./runner/progress.ts";
import { runAll } from "./runner/schedule.ts";
import { TextLineStream } from "./support/text_lines.ts";

const TESTS = fileURLToPath(new URL(".", import.meta.url));
const PROJECT = join(TESTS, "..");
/** The tests have separate packages, permissions and lock file, so that the service starts without them. */
const CONFIG = `--config=${join(TESTS, "deno.json")}`;
const NO_CHECK = "--no-check";
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

/** What became of tests, and how long their files took. */
interface Report extends Outcome {
  readonly files: readonly FileTime[];
}

/** Runs files of a lane in a separate process. */
async function runFiles(
  { lane, files, templates, progress }: {
    lane: Lane;
    files: readonly string[];
    templates: string;
    progress: Progress;
  },
): Promise<Report> {
  const report = join(templates, `${crypto.randomUUID()}.xml`);
  const child = new Deno.Command(Deno.execPath(), {
    // Types are checked before.
    args: [
      "test",
      "-q",
      "--no-prompt",
      NO_CHECK,
      CONFIG,
      `--junit-path=${report}`,
      ...lane.flags,
      ...files.map((file) => join(TESTS, file)),
    ],
    cwd: PROJECT,
    env: { NO_COLOR: "1", TEST_TEMPLATES: templates, ...QUIET },
    stdout: "piped",
  }).spawn();
  const read = progress.reader();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  for await (const line of lines) {
    const seen = read(line);
    if (seen !== undefined) showLine(seen);
  }
  const { code } = await child.status;
  // A process that was killed leaves none.
  const text = await Deno.readTextFile(report).catch(() => "");
  return { ...assess(countCases(text), { lane, files, code }), files: timesOfFiles(text) };
}

/** Runs all lanes, one after another, and shows now and then how far they are. */
async function runLanes(
  selected: readonly (readonly [Lane, readonly string[]])[],
): Promise<Report> {
  const templates = await Deno.makeTempDir({ prefix: "certmgr-tests-" });
  const begun = performance.now();
  const reports: Report[] = [];
  try {
    for (const [lane, files] of selected) {
      const progress = new Progress({ name: lane.name, files: files.length });
      const show = (): void => showState(`${duration(performance.now() - begun)} | ${progress.text()}`);
      const timer = setInterval(show, SHOW_EVERY_MS);
      const jobs = divide(files, lane).map((part) => async (): Promise<void> => {
        reports.push(await runFiles({ lane, files: part, templates, progress }));
      });
      try {
        await runAll(jobs, { atOnce: lane.jobs });
      } finally {
        clearInterval(timer);
        showState("");
      }
    }
  } finally {
    await Deno.remove(templates, { recursive: true });
  }
  return {
    passed: reports.reduce((sum, { passed }) => sum + passed, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    ignored: reports.flatMap(({ ignored }) => ignored),
    files: reports.flatMap(({ files }) => files),
  };
}

/** Checks the types of all tests, or of these files. */
async function checkTypes(files: readonly string[] | undefined): Promise<boolean> {
  const paths = files?.map((file) => join(TESTS, file)) ?? ["tests"];
  const child = new Deno.Command(Deno.execPath(), { args: ["check", "-q", CONFIG, ...paths], cwd: PROJECT });
  return (await child.spawn().status).success;
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
function assess(
  { passed, failed, ignored }: Outcome,
  { lane, files, code }: { lane: Lane; files: readonly string[]; code: number },
): Outcome {
  for (const name of ignored) showLine(`Test "${name}" was ignored; no test may be ignored`);
  const silent = passed + failed + ignored.length === 0 || (code !== 0 && failed === 0);
  if (silent) {
    showLine(
      `A process of lane "${lane.name}" ended with exit code ${code} before its tests did: ${
        files.join(", ")
      }`,
    );
  }
  return { passed, failed: failed + ignored.length + (silent ? 1 : 0), ignored };
}

/** Shows the files that take longest, when so many ran that it matters. */
function showSlowest(times: readonly FileTime[]): void {
  if (times.length <= SLOWEST) return;
  const slowest = times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  console.log(`Slowest files: ${slowest.map(({ file, ms }) => `${file} ${duration(ms)}`).join(", ")}`);
}

/**
 * Returns the files of each lane, by their paths below `tests/`, that the command line names by lane, file or folder;
 * all of them without a name.
 */
function selectFiles(
  args: readonly string[],
  tests: readonly string[],
): readonly (readonly [Lane, string[]])[] {
  const places = args.filter((name) => !LANES.some((lane) => lane.name === name)).map((path) =>
    relative(TESTS, resolve(path)).replaceAll("\\", "/")
  );
  const given = (path: string): boolean =>
    places.some((place) => place === "" || path === place || path.startsWith(`${place}/`));
  return LANES.map((lane) => {
    const whole = args.length === 0 || args.includes(lane.name);
    const files = tests.filter(lane.holds);
    return [lane, whole ? files : files.filter(given)] as const;
  }).filter(([_lane, files]) => files.length > 0);
}

async function main(args: readonly string[], { check }: { check: boolean }): Promise<number> {
  const all = (await findTests(TESTS)).map((path) => relative(TESTS, path).replaceAll("\\", "/"));
  const unknown = args.find((name) =>
    !LANES.some((lane) => lane.name === name) && selectFiles([name], all).length === 0
  );
  if (unknown !== undefined) {
    const names = LANES.map((lane) => lane.name).join(", ");
    console.error(`"${unknown}" is neither a lane nor a test file or folder. Lanes: ${names}.`);
    return 2;
  }
  const begun = performance.now();
  const selected = selectFiles(args, all);
  if (check && !await checkTypes(args.length === 0 ? undefined : selected.flatMap(([, files]) => files))) {
    console.log("0 passed, 1 failed");
    return 1;
  }
  const skipped = await skipMissing(selected.flatMap(([, files]) => files));
  const run = selected.map(([lane, files]) =>
    [lane, files.filter((file) => !skipped.files.has(file))] as const
  )
    .filter(([, files]) => files.length > 0);
  for (const [lane, files] of run) {
    console.log(`Lane "${lane.name}": ${files.length} ${files.length === 1 ? "file" : "files"}`);
  }
  const { passed, failed, files } = await runLanes(run);
  showSlowest(files);
  console.log(`Took ${duration(performance.now() - begun)}`);
  console.log(`${passed} passed, ${failed} failed${skipped.text}`);
  return failed === 0 ? 0 : 1;
}

/** Installs missing programs; returns the tests that lack one nevertheless, and the end of the last line about them. */
async function skipMissing(tests: readonly string[]): Promise<{ files: ReadonlySet<string>; text: string }> {
  await install(await findMissing(TESTS, tests));
  const missing = await findMissing(TESTS, tests);
  for (const { program, files } of missing) {
    console.log(`Skipped, because ${program.name} is missing: ${files.join(", ")}`);
  }
  const files = new Set(missing.flatMap((one) => one.files));
  const reasons = missing.map(({ program }) => missingText(program)).join("; ");
  return { files, text: files.size === 0 ? "" : `, ${files.size} skipped: ${reasons}` };
}

Deno.exit(
  await main(Deno.args.filter((argument) => argument !== NO_CHECK), { check: !Deno.args.includes(NO_CHECK) }),
);
