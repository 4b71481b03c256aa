/** The outcome of tests, from the JUnit report that `deno test` writes. */

/** Tests and steps by outcome. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Names of those that were not run. */
  readonly ignored: readonly string[];
}

const CASE = /<testcase\s([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/** Counts the cases of a report. */
export function countCases(report: string): Outcome {
  let [passed, failed] = [0, 0];
  const ignored: string[] = [];
  for (const [, attributes = "", content = ""] of report.matchAll(CASE)) {
    // What a test printed or threw stands escaped in it, so that these can only be elements.
    if (/<(failure|error)\b/.test(content)) failed++;
    else if (/<skipped\b/.test(content)) {
      ignored.push(unescape(/\bname="([^"]*)"/.exec(attributes)?.[1] ?? "?"));
    } else passed++;
  }
  return { passed, failed, ignored };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescape(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] as string);
}
