/**
 * Runs annotated chain cases: `deno task test:x509 [FILE [ANNOTATIONS]] [--shuffle SEED] [--url URL --token TOKEN]`.
 * Without a file, the cases of the repository. Prints a table by tier and each error; ends with `N passed, N failed`.
 * Exits with 1 when a decisive case fails.
 */

import { parseArgs } from "node:util";
import { BUNDLED_CASES, readText } from "./case_files.ts";
import { ERRATA } from "./errata.ts";
import { type Answer, validateByService, validateInProcess, type Validator } from "./validators.ts";
import { type AnnotatedCase, DECISIVE_TIERS, readCases } from "./limbo.ts";
import { shuffled } from "./shuffle.ts";
import { type Grade, grade, Summary } from "./summary.ts";

/** The tier of crafted inputs, each of which has a time limit in milliseconds. */
const TIMED_TIER = "dos";
const WORST_MS = 250;

const { values, positionals } = parseArgs({
  args: Deno.args.filter((argument) => argument !== "--"),
  allowPositionals: true,
  options: {
    shuffle: { type: "string" },
    url: { type: "string" },
    token: { type: "string" },
    filter: { type: "string" },
  },
});
if (positionals.length > 2 || (values.url === undefined) !== (values.token === undefined)) {
  console.error(
    "Usage: deno task test:x509 [FILE [ANNOTATIONS]] [--shuffle SEED] [--filter ID] [--url URL --token TOKEN]",
  );
  Deno.exit(2);
}

const [casesFile, annotationsFile] = positionals.length > 0
  ? positionals
  : [BUNDLED_CASES.cases, BUNDLED_CASES.annotations];
const annotations = annotationsFile === undefined ? undefined : await readText(annotationsFile);
const cases = readCases(await readText(casesFile as string | URL), annotations)
  .filter(({ case: { id } }) => values.filter === undefined || id.includes(values.filter));
const validate: Validator = values.url === undefined
  ? validateInProcess
  : validateByService(values.url, values.token!);
const now = new Date().toISOString();
const summary = new Summary();
const failures: string[] = [];
const notes: string[] = [];

for (const item of cases) {
  let { answer, ms } = await timed(item);
  // Other work on the machine may have slowed it down: only a case that is slow twice counts as slow.
  if (item.tier === TIMED_TIER && ms > WORST_MS) ({ answer, ms } = await timed(item));
  const result = grade(item, answer);
  summary.add(item, { grade: result, ms });
  if (item.tier === TIMED_TIER && ms > WORST_MS) {
    failures.push(`slow: ${item.case.id} took ${ms.toFixed(0)} ms`);
  }
  if (result === "right") continue;
  const counts = DECISIVE_TIERS.includes(item.tier) || annotations === undefined;
  (counts ? failures : notes).push(line(item, { answer, result }));
}

for (const { case: { id } } of annotations === undefined ? [] : cases) {
  if (ERRATA[id] !== undefined) {
    console.log(`erratum: ${id} expects ${ERRATA[id].status.join("|")}: ${ERRATA[id].why}`);
  }
}
for (const note of notes) console.log(`not decisive: ${note}`);
for (const failure of failures) console.log(failure);
console.log(summary.table());
console.log(`${cases.length - failures.length} passed, ${failures.length} failed`);
// Without annotations the expected results cover more than is validated here, so they do not fail the run.
if (failures.length > 0 && annotations !== undefined) Deno.exit(1);

async function timed(item: AnnotatedCase): Promise<{ answer: Answer; ms: number }> {
  const start = performance.now();
  const answer = await ask(item);
  return { answer, ms: performance.now() - start };
}

async function ask({ case: item }: AnnotatedCase): Promise<Answer> {
  const pool = [...item.untrusted_intermediates, ...item.trusted_certs];
  return await validate({
    leaf: item.peer_certificate,
    pool: values.shuffle === undefined ? pool : shuffled(pool, Number(values.shuffle)),
    at: item.validation_time ?? now,
  });
}

function line(
  { case: { id }, tier, expect, status, why }: AnnotatedCase,
  { answer, result }: { answer: Answer; result: Grade },
): string {
  const expected = status === undefined ? expect : `${expect} ${status.join("|")}`;
  return `${result}: ${id} [${tier}] expected ${expected} (${why}), got ${answer.status} ${
    answer.errors.join("; ")
  }`;
}
