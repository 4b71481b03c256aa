/** docs/revocation.md has the numbers of published cases, and of their results. */

import assert from "node:assert/strict";
import { CASES as LISTS } from "../x509/revocation/published_cases.ts";
import { CASES as RESPONSES } from "../x509/revocation/ocsp_cases.ts";

const docs = await Deno.readTextFile(new URL("../../docs/revocation.md", import.meta.url));
const suites = Map.groupBy(
  [...LISTS, ...RESPONSES.map(([name, result]) => [`Chromium, OCSP ${name}`, result] as const)],
  ([name]) => /^limbo|^PKITS 4\.\d+|^Chromium, OCSP/.exec(name)?.[0] ?? "",
);

for (const [suite, cases] of suites) {
  Deno.test(`docs/revocation.md: ${suite}`, () => {
    const of = (...results: string[]): number => cases.filter(([, one]) => results.includes(one)).length;
    const [answers, unsupported] = [of("good", "revoked", "unknown"), of("unsupported")];
    const shown = docs.split("\n").find((line) => line.startsWith(`| ${suite} `)) ?? "";
    assert.deepEqual(
      shown.split("|").slice(2, 6).map(Number),
      [cases.length, answers, cases.length - answers - unsupported, unsupported],
    );
  });
}
