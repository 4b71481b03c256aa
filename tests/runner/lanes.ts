/** Which tests run with which permissions, and in which order: one lane after another. */

/** Tests that run with the same permissions. */
export interface Lane {
  readonly name: string;
  /** Flags that grant permissions; none for the pure lane. */
  readonly flags: readonly string[];
  /** Processes that run tests of this lane at the same time. */
  readonly jobs: number;
  /** Test files per process; by default all. Each process costs a quarter of a second. */
  readonly batch?: number;
  /** Whether a test file, by its path below `tests/`, is in this lane. */
  readonly holds: (path: string) => boolean;
}

/** Folders whose sources are functions of bytes and values. */
const PURE_FOLDERS = ["base", "formats", "filters", "runner", "x509"];
/**
 * In a pure folder, the names of tests show whether they need a database, another program, a parser that reads its
 * environment, or the runtime's roots.
 */
const IMPURE_NAME = /_(db|openssl|reader|roots)_test\.ts$/;
/** Tests that start commands, services or servers, and wait for them, are in these folders or have such a name. */
const PROCESS_FOLDERS = ["cli", "clients", "deploy", "faults", "remote", "server", "soak", "tools"];
const PROCESS_NAME = /(^|[/_])(process|processes|kill|openssl)_test\.ts$/;
const ARCHITECTURE = "architecture_test.ts";
const BROWSER = "e2e/";

/**
 * Tests that take longest: each has a separate process, started before the others of its lane, so that no processor
 * is idle at the end while another one still has a long file to run.
 */
const LONGEST = [
  "cli/backup_test.ts",
  "cli/serve_test.ts",
  "cli/workers_test.ts",
  "clients/",
  "db/plans_test.ts",
  "db/remote_faults_process_test.ts",
  "deploy/bundle_test.ts",
  "domain/notices/kill_test.ts",
  "domain/webhooks/sending/kill_test.ts",
  "domain/webhooks/sending/processes_test.ts",
  "e2e/hostile_test.ts",
  "e2e/pages_test.ts",
  "faults/server_test.ts",
  "properties/",
  "remote/scenarios_test.ts",
  "rest/hidden_references_test.ts",
  "rest/long_texts_test.ts",
  "rest/operation_bodies_test.ts",
  "rest/scenarios_test.ts",
  "soak/",
];

function isPure(path: string): boolean {
  return PURE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && !IMPURE_NAME.test(path);
}

function startsProcesses(path: string): boolean {
  return PROCESS_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) || PROCESS_NAME.test(path);
}

/** Every test file is in exactly one of them. */
export const LANES: readonly Lane[] = [
  {
    name: "architecture",
    flags: ["-P=test"],
    jobs: 1,
    holds: (path) => path === ARCHITECTURE,
  },
  // Tests of memory first collect the garbage of other tests.
  { name: "pure", flags: ["--v8-flags=--expose-gc"], jobs: 1, holds: isPure },
  {
    name: "service",
    // A closed database file is released only after its statements have been garbage-collected.
    flags: ["-P=test", "--v8-flags=--expose-gc"],
    jobs: 2,
    batch: 12,
    holds: (path) =>
      path !== ARCHITECTURE && !path.startsWith(BROWSER) && !isPure(path) && !startsProcesses(path),
  },
  {
    name: "processes",
    flags: ["-P=test", "--v8-flags=--expose-gc"],
    // One more than the processors of a small machine, because most of these tests wait for something.
    jobs: 3,
    batch: 4,
    holds: (path) => !path.startsWith(BROWSER) && !isPure(path) && startsProcesses(path),
  },
  // Playwright reads /proc, for which Deno requires all permissions. A browser and its driver wait for each other, so
  // two pairs keep two cores busy.
  { name: "browser", flags: ["-A"], jobs: 2, batch: 6, holds: (path) => path.startsWith(BROWSER) },
];

/** Divides the files of a lane, paths below `tests/`, among processes, in the order in which these start. */
export function divide(files: readonly string[], { batch = Infinity }: Pick<Lane, "batch">): string[][] {
  if (batch === Infinity) return files.length === 0 ? [] : [[...files]];
  const isLong = (path: string): boolean => LONGEST.some((long) => path.startsWith(long));
  const others = files.filter((path) => !isLong(path));
  const count = Math.ceil(others.length / batch);
  const batches = Array.from({ length: count }, (_, index) => others.filter((_, n) => n % count === index));
  return [...files.filter(isLong).map((path) => [path]), ...batches];
}
