/** The outcome of tests, from the JUnit report that `deno test` writes. */

/** Tests and steps by outcome. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Names of tests that were ignored. */
  readonly ignored: readonly string[];
}

const CASE = /<testcase\s([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/** Counts the cases of a report. */
export function countCases(report: string): Outcome {
  let [passed, failed] = [0, 0];
  const ignored: string[] = [];
  for (const [, attributes = "", content = ""] of report.matchAll(CASE)) {
    // Output and errors of tests are escaped, so these can only be elements.
    if (/<(failure|error)\b/.test(content)) failed++;
    else if (/<skipped\b/.test(content)) {
      ignored.push(unescape(/\bname="([^"]*)"/.exec(attributes)?.[1] ?? "?"));
    } else passed++;
  }
  return { passed, failed, ignored };
}

/** The duration of the tests of a file. */
export interface FileTime {
  readonly file: string;
  readonly ms: number;
}

/** Returns the time of each file: of its tests, which includes their steps. */
export function timesOfFiles(report: string): FileTime[] {
  const suites = report.matchAll(/<testsuite name="([^"]*)"[^>]*>([\s\S]*?)<\/testsuite>/g);
  return [...suites].map(([, file = "", content = ""]) => {
    const tests = new Set<string>();
    let seconds = 0;
    for (const [, attributes = ""] of content.matchAll(CASE)) {
      const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? "";
      // A step is named after its test: `test &gt; step`.
      if (tests.has(name.split(" &gt; ")[0] as string) && name.includes(" &gt; ")) continue;
      tests.add(name);
      seconds += Number(/\btime="([^"]*)"/.exec(attributes)?.[1] ?? 0);
    }
    return { file: unescape(file).replace(/^\.\//, ""), ms: seconds * 1_000 };
  });
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescape(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] as string);
}
