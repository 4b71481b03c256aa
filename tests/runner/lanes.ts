/** Which tests run with which permissions. */

/** Tests that run in one `deno test`. */
export interface Lane {
  readonly name: string;
  /** Flags that grant permissions; none for the pure lane. */
  readonly flags: readonly string[];
  /** Whether files run in parallel: not where tests hold budgets of time. */
  readonly parallel: boolean;
  /** Whether a test file, by its path below `tests/`, is in this lane. */
  readonly holds: (path: string) => boolean;
}

/** Folders whose sources are functions of bytes and values. */
const PURE_FOLDERS = ["base", "formats", "filters", "runner", "x509"];
/**
 * In a pure folder, tests against a database, another program, a reader that looks at its environment, or the
 * runtime's roots say so in their names.
 */
const IMPURE_NAME = /_(db|openssl|reader|roots)_test\.ts$/;
const SERVER_FOLDERS = ["remote", "faults", "soak"];
const ARCHITECTURE = "architecture_test.ts";
const BROWSER = "e2e/";

function isPure(path: string): boolean {
  return PURE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && !IMPURE_NAME.test(path);
}

/** What needs a libSQL server, or breaks things on purpose: mostly waiting. */
function onServer(path: string): boolean {
  return SERVER_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

/** Every test file is in exactly one of them. */
export const LANES: readonly Lane[] = [
  { name: "architecture", flags: ["-P=test"], parallel: false, holds: (path) => path === ARCHITECTURE },
  // Tests of memory collect garbage first: what other tests left behind is not theirs.
  { name: "pure", flags: ["--v8-flags=--expose-gc"], parallel: false, holds: isPure },
  {
    name: "service",
    // A closed database file is free only after its statements have been collected.
    flags: ["-P=test", "--v8-flags=--expose-gc"],
    parallel: true,
    holds: (path) => path !== ARCHITECTURE && !path.startsWith(BROWSER) && !onServer(path) && !isPure(path),
  },
  { name: "server", flags: ["-P=test"], parallel: true, holds: onServer },
  // Playwright looks into /proc, for which Deno requires all permissions. One browser at a time is enough for two cores.
  { name: "browser", flags: ["-A"], parallel: false, holds: (path) => path.startsWith(BROWSER) },
];
