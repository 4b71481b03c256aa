/** Collects the titles of the tests that can prove a line, without running them. */

const TESTS = new URL("../", import.meta.url);
const FOLDERS = ["auth/", "domain/", "formats/", "rest/scenarios/", "web/imports/"];
const FILES = [
  "config/config_test.ts",
  "domain/webhooks/sending/dispatch_test.ts",
  "domain/webhooks/sending/events_test.ts",
  "domain/webhooks/sending/retry_test.ts",
  "rest/existence_probe_test.ts",
  "x509/acme_test.ts",
];

/** Test files by title. */
export type Titles = ReadonlyMap<string, URL>;

/** Loads the test files with a `Deno.test` that only records titles. */
export async function registeredTitles(): Promise<Titles> {
  const titles = new Map<string, URL>();
  const original = Deno.test;
  let file = TESTS;
  const note = (...given: unknown[]): void => void titles.set(titleOf(given), file);
  Object.assign(Deno, { test: note });
  try {
    for (file of files()) await import(file.href);
  } finally {
    Object.assign(Deno, { test: original });
  }
  return titles;
}

function files(): URL[] {
  return [
    ...FOLDERS.flatMap((folder) => filesIn(new URL(folder, TESTS))),
    ...FILES.map((name) => new URL(name, TESTS)),
  ];
}

function filesIn(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return filesIn(new URL(`${name}/`, folder));
    const isTest = name.endsWith("_test.ts") || folder.pathname.endsWith("/scenarios/");
    return isTest ? [new URL(name, folder)] : [];
  });
}

/** Returns the title from the arguments of `Deno.test`, which has several forms. */
function titleOf(given: readonly unknown[]): string {
  for (const one of given) {
    if (typeof one === "string") return one;
    const { name } = one as { name?: string };
    if (name !== undefined && name !== "") return name;
  }
  throw new Error("Expected a test to have a title");
}
