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
import { fileURLToPath, pathToFileURL } from "node:url";
import { countCases, type FileTime, type Outcome, timesOfFiles } from "./runner/junit.ts";
import { AT_ONCE, type Batch, divide, LANES } from "./runner/lanes.ts";
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

/**
 * Writes a test file that imports others, and returns its path: their modules, templates and lent applications are then
 * loaded and made once for all of them. Deno still reports each test by its own file.
 */
async function writeEntry(
  files: readonly string[],
  { folder }: { folder: string },
): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}_test.ts`);
  const imports = files.map((file) =>
    `await import(${JSON.stringify(pathToFileURL(join(TESTS, file)).href)});\n`
  );
  await Deno.writeTextFile(path, imports.join(""));
  return path;
}

/** Runs files of a lane in a separate process. */
async function runBatch(
  batch: Batch,
  { templates, progress }: { templates: string; progress: Progress },
): Promise<Report> {
  const { lane, files } = batch;
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
      await writeEntry(files, { folder: templates }),
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
  progress.end(files.length);
  return {
    ...assess(countCases(text), { batch, code }),
    files: timesOfFiles(text),
  };
}

/** Runs the files of all lanes, and checks their types unless these were checked; shows now and then how far it is. */
async function runAllBatches(
  selected: readonly Batch[],
  { check }: { check: readonly string[] | undefined },
): Promise<Report> {
  const templates = await Deno.makeTempDir({ prefix: "certmgr-tests-" });
  const begun = performance.now();
  const reports: Report[] = [];
  const progress = new Progress({
    files: selected.reduce((sum, { files }) => sum + files.length, 0),
  });
  const show = (): void => showState(`${duration(performance.now() - begun)} | ${progress.text()}`);
  const timer = setInterval(show, SHOW_EVERY_MS);
  const jobs = divide(selected).map((batch) => async (): Promise<void> => {
    reports.push(await runBatch(batch, { templates, progress }));
  });
  if (check !== undefined) {
    jobs.unshift(async () => void reports.push(await checkTypes(check)));
  }
  try {
    await runAll(jobs, { atOnce: AT_ONCE });
  } finally {
    clearInterval(timer);
    showState("");
    await Deno.remove(templates, { recursive: true });
  }
  return {
    passed: reports.reduce((sum, { passed }) => sum + passed, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    ignored: reports.flatMap(({ ignored }) => ignored),
    files: reports.flatMap(({ files }) => files),
  };
}

/** Checks the types of files and folders; wrong ones count as a failure. */
async function checkTypes(paths: readonly string[]): Promise<Report> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["check", "-q", CONFIG, ...paths],
    cwd: PROJECT,
  });
  const { success } = await child.spawn().status;
  return { passed: 0, failed: success ? 0 : 1, ignored: [], files: [] };
}

/** Clears the line of a terminal that shows the state, and writes what comes in its place. */
const CLEARED = "\r\x1b[K";

function showLine(line: string): void {
  console.log(Deno.stdout.isTerminal() ? `${CLEARED}${line}` : line);
}

function showState(text: string): void {
  if (!Deno.stdout.isTerminal()) {
    return text === "" ? undefined : console.log(text);
  }
  const { columns } = Deno.consoleSize();
  Deno.stdout.writeSync(new TextEncoder().encode(`${CLEARED}${text.slice(0, columns - 1)}`));
}

/** Nothing may pass by not having been run. */
function assess(
  { passed, failed, ignored }: Outcome,
  { batch: { lane, files }, code }: { batch: Batch; code: number },
): Outcome {
  for (const name of ignored) {
    showLine(`Test "${name}" was ignored; no test may be ignored`);
  }
  const silent = passed + failed + ignored.length === 0 ||
    (code !== 0 && failed === 0);
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
): Batch[] {
  const places = args.filter((name) => !LANES.some((lane) => lane.name === name)).map((path) =>
    relative(TESTS, resolve(path)).replaceAll("\\", "/")
  );
  const given = (path: string): boolean =>
    places.some((place) => place === "" || path === place || path.startsWith(`${place}/`));
  return LANES.map((lane) => {
    const whole = args.length === 0 || args.includes(lane.name);
    const files = tests.filter(lane.holds);
    return { lane, files: whole ? files : files.filter(given) };
  }).filter(({ files }) => files.length > 0);
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
  const files = selected.flatMap(({ files }) => files);
  const skipped = await skipMissing(files);
  const run = selected.map(({ lane, files }) => ({
    lane,
    files: files.filter((file) => !skipped.files.has(file)),
  })).filter(({ files }) => files.length > 0);
  for (const { lane, files } of run) {
    console.log(
      `Lane "${lane.name}": ${files.length} ${files.length === 1 ? "file" : "files"}`,
    );
  }
  const checked = args.length === 0 ? ["tests"] : files.map((file) => join(TESTS, file));
  const { passed, failed, files: times } = await runAllBatches(run, {
    check: check ? checked : undefined,
  });
  showSlowest(times);
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
