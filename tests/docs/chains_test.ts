/** `docs/chains.md` agrees with the code, and its table with the recorded results. */

import assert from "node:assert/strict";
import { FAILURE_CODES } from "../../src/x509/mod.ts";
import { CHAIN_LIMITS } from "../../src/x509/chain/limits.ts";
import { CHAIN_STATUSES } from "../../src/domain/certificates/mod.ts";
import { BUNDLED_CASES, readText } from "../conformance/case_files.ts";
import { DECISIVE_TIERS, readCases } from "../conformance/limbo.ts";
import { countCases, errorsOf, type Recorded, tableOf } from "../conformance/peers/table.ts";
import recorded from "../conformance/peers/recorded.json" with { type: "json" };

const page = Deno.readTextFileSync(new URL("../../docs/chains.md", import.meta.url));

/** Returns the rows of a table without the spaces that align them. */
function cells(text: string): string[][] {
  return text.trim().split("\n").filter((line) => line.startsWith("|") && !/^\|[ |-]+\|$/.test(line))
    .map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
}

/** Returns the texts in backquotes in the first column of a section's tables. */
function codesBelow(title: string): string[] {
  const section = page.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
  return [...section.matchAll(/^\| `([a-z_]+)`/gm)].map(([, code]) => code!)
    .filter((code) => code !== "status");
}

Deno.test("the page about chains lists every status and every error code", () => {
  assert.deepEqual(codesBelow("Results").sort(), [...CHAIN_STATUSES, ...FAILURE_CODES].sort());
});

Deno.test("the page about chains has every budget with its limit", () => {
  const section = page.split("\n## Budgets\n")[1]!.split("\n## ")[0]!;
  const limits = cells(section).slice(1).map(([, limit]) => Number(limit!.replace(/\D/g, "")));
  const { pool, path, signatureChecks, signatureMicros, nodes, nameComparisons, policySteps } = CHAIN_LIMITS;
  assert.deepEqual(limits, [
    pool,
    path,
    signatureChecks,
    signatureMicros / 1_000,
    nodes,
    nameComparisons,
    policySteps,
  ]);
  assert.equal(limits.length, Object.keys(CHAIN_LIMITS).length);
});

Deno.test("the table of conformance results is that of the recorded run over all decisive cases", async () => {
  const cases = readCases(await readText(BUNDLED_CASES.cases), await readText(BUNDLED_CASES.annotations))
    .filter(({ tier }) => DECISIVE_TIERS.includes(tier));
  assert.deepEqual(recorded.cases, countCases(cases));
  const tiers = new Map(cases.map((item) => [item.case.id, item.tier]));
  const table = tableOf(recorded as Recorded, tiers);
  const shown = page.split("<!-- conformance: begin -->")[1]!.split("<!-- conformance: end -->")[0]!;
  assert.deepEqual(cells(shown), cells(table));
  const names = recorded.validators.map(({ version }) => version.split(" ")[0]);
  assert.deepEqual(names, ["certmgr", "OpenSSL", "Go", "webpki"]);
  const [own] = recorded.validators;
  assert.deepEqual([own!.version, own!.false_accepts, own!.false_rejects], ["certmgr", [], []]);
});

Deno.test("accepting a case that must be refused, and refusing one that must be accepted, are counted as errors", () => {
  const item = (id: string, expect: string): never =>
    ({ case: { id }, expect, tier: "core", why: "" }) as never;
  const cases = [
    item("a", "accept"),
    item("b", "reject"),
    item("c", "either"),
    item("d", "accept"),
    item("e", "reject"),
  ];
  assert.deepEqual(errorsOf(cases, { version: "x", accepted: ["a", "b", "c"] }), {
    version: "x",
    false_accepts: ["b"],
    false_rejects: ["d"],
  });
});
