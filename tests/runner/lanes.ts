/** Which tests run with which permissions, in which processes, and in which order. */

/** Tests that run with the same permissions. */
export interface Lane {
  readonly name: string;
  /** Flags that grant permissions; none for the pure lane. */
  readonly flags: readonly string[];
  /** Test files per process. Each process loads the modules of the service again, which takes a second. */
  readonly batch: number;
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

/** Processes at the same time: one more than the processors of a small machine, because some tests wait. */
export const AT_ONCE = 3;

/**
 * Tests that take longest, the longest first: each has a separate process, started before all others, so that no
 * processor is idle at the end while another one still has a long file to run.
 */
const LONGEST = [
  "e2e/pages_test.ts",
  "db/plans_test.ts",
  "rest/hidden_references_test.ts",
  "remote/scenarios_test.ts",
  "soak/",
  "db/remote_faults_process_test.ts",
  "cli/workers_test.ts",
  "clients/",
  "e2e/hostile_test.ts",
  "graphql/filters_test.ts",
  "properties/",
  "rest/refused_requests_test.ts",
  "cli/export_test.ts",
  "rest/long_texts_test.ts",
  "rest/operation_bodies_test.ts",
  "rest/scenarios_test.ts",
  "cli/backup_test.ts",
  "cli/serve_test.ts",
  "deploy/bundle_test.ts",
  "domain/notices/kill_test.ts",
  "domain/webhooks/sending/kill_test.ts",
  "domain/webhooks/sending/processes_test.ts",
  "faults/server_test.ts",
];
/**
 * Tests whose databases are on servers, which would also hold for later files of their process, and tests that load other
 * test files, which a process loads only once.
 */
const ALONE = ["remote/import_previews_test.ts", "remote/round_trips_test.ts", "specification/"];
const SEPARATE = [...LONGEST, ...ALONE];

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
    batch: 1,
    holds: (path) => path === ARCHITECTURE,
  },
  // Tests of memory first collect the garbage of other tests.
  { name: "pure", flags: ["--v8-flags=--expose-gc"], batch: 20, holds: isPure },
  {
    name: "service",
    // A closed database file is released only after its statements have been garbage-collected.
    flags: ["-P=test", "--v8-flags=--expose-gc"],
    batch: 16,
    holds: (path) =>
      path !== ARCHITECTURE && !path.startsWith(BROWSER) && !isPure(path) && !startsProcesses(path),
  },
  {
    name: "processes",
    flags: ["-P=test", "--v8-flags=--expose-gc"],
    batch: 6,
    holds: (path) => !path.startsWith(BROWSER) && !isPure(path) && startsProcesses(path),
  },
  // Playwright reads /proc, for which Deno requires all permissions.
  {
    name: "browser",
    flags: ["-A"],
    batch: 6,
    holds: (path) => path.startsWith(BROWSER),
  },
];

/** Files of a lane, by their paths below `tests/`, that run in one process. */
export interface Batch {
  readonly lane: Lane;
  readonly files: readonly string[];
}

/** Divides the files of lanes among processes, in the order in which these start: those that wait most first. */
export function divide(selected: readonly Batch[]): Batch[] {
  const separate: (readonly [place: number, batch: Batch])[] = [];
  const together: Batch[] = [];
  for (const { lane, files } of selected.toReversed()) {
    const others: string[] = [];
    for (const path of files) {
      const place = SEPARATE.findIndex((start) => path.startsWith(start));
      if (place < 0) others.push(path);
      else separate.push([place, { lane, files: [path] }]);
    }
    const count = Math.ceil(others.length / lane.batch);
    for (let index = 0; index < count; index++) {
      together.push({
        lane,
        files: others.filter((_, n) => n % count === index),
      });
    }
  }
  return [
    ...separate.sort(([a], [b]) => a - b).map(([, batch]) => batch),
    ...together,
  ];
}
