import assert from "node:assert/strict";
import { cpuMillis } from "../../support/cpu_time.ts";
import { TEST_NOW, TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { validateChain } from "../../../src/x509/chain/mod.ts";
import { CRAFTED, meshed, twins } from "./crafted.ts";
import { assertResult, codes, pure, validate } from "./support.ts";

/**
 * Maximum milliseconds of the worst crafted input; the minimum of some runs counts, because of other load on the
 * machine.
 */
const WORST_MS = 250;
/**
 * Milliseconds between two pauses. Work yields once a slice of 5 ms is used up, so that with such a step another
 * request waits 20 ms at most. On a quiet machine the longest step takes 4 ms.
 */
const WORST_STEP_MS = 15;

/** Returns a chain of this many CAs, root included, plus a leaf. */
async function straight(cas: number): Promise<{ leaf: TestCertificate; pool: TestCertificate[] }> {
  let top = await TestCa.root({ cn: "CA 0" });
  const pool: TestCertificate[] = [top];
  for (let index = 1; index < cas; index++) {
    top = await top.intermediate({ cn: `CA ${index}` });
    pool.push(top);
  }
  return { leaf: await top.issue({ cn: "a.example" }), pool };
}

pure("A pool of 100 certificates is read, one of 101 is a parse_error that names the limit", async () => {
  const { leaf, pool } = await twins(100, "ed25519");
  const root = await TestCa.root({ cn: "Other" });
  const fine = await root.issue({ cn: "a.example" });
  assertResult(await validate({ leaf: fine, pool: [...pool.slice(1), root] }), "valid");
  assertResult(await validate({ leaf: fine, pool: [...pool.slice(1), root, root, fine] }), "valid");
  const result = await validate({ leaf, pool: [...pool, root] });
  assertResult(result, "parse_error", ["limit"]);
  assert.match(result.errors[0]!, /has 101 certificates; at most 100/);
});

pure("A path of 20 is valid, one of 21 is incomplete with limit", async () => {
  assertResult(await validate(await straight(19)), "valid");
  assertResult(await validate(await straight(20)), "incomplete", ["limit"]);
});

pure("An open path of 20 is valid, because nothing is left to try", async () => {
  const { leaf, pool } = await straight(20);
  const result = await validate({ leaf, pool: pool.slice(1) });
  assertResult(result, "valid");
  assert.deepEqual([result.depth, result.complete], [20, false]);
});

pure("Running out of search steps is incomplete with limit", async () => {
  const result = await validate(await meshed(10));
  assertResult(result, "incomplete", ["limit"]);
  assert.match(result.errors.at(-1)!, /400 steps/);
});

pure("Running out of signature checks is a result with limit, never an exception", async () => {
  const { leaf, pool } = await twins(20, "ed25519");
  const result = await validate({ leaf, pool, limits: { signatureChecks: 10 } });
  assert.equal(result.isValid, false);
  assert.match(result.errors.at(-1)!, /^limit: More than 10 signatures/);
});

pure("Slow keys use up the signature checks sooner", async () => {
  const { leaf, pool } = await twins(60, "p521");
  const result = await validate({ leaf, pool });
  assert.match(
    result.errors.at(-1)!,
    /^limit: Checking all signatures would take too long with keys of these sizes/,
  );
});

pure("Running out of name comparisons is incomplete with limit", async () => {
  const names = (prefix: string): string[] =>
    Array.from({ length: 600 }, (_, index) => `${prefix}${index}.example`);
  const root = await TestCa.root({ nameConstraints: { excluded: names("x") } });
  const leaf = await root.issue({ cn: "a.example", sans: names("a") });
  assertResult(await validate({ leaf, pool: [root] }), "incomplete", ["limit"]);
  assertResult(await validate({ leaf, pool: [root], limits: { nameComparisons: 400_000 } }), "valid");
});

pure(
  "A path without errors but without an anchor is not accepted when a limit ended the search",
  async () => {
    const root = await TestCa.root();
    const absent = await TestCa.root({ cn: "Absent" });
    const ca = await root.intermediate();
    const leaf = await ca.issue({ cn: "a.example" });
    const pool = [ca, await absent.crossSign(ca)];
    assertResult(await validate({ leaf, pool }), "valid");
    assertResult(await validate({ leaf, pool, limits: { nodes: 2 } }), "incomplete", ["limit"]);
  },
);

pure("Each signature is checked once, however many paths include it", async () => {
  const { leaf, pool } = await meshed(6);
  const pairs = 6 * 5 + 1;
  const result = await validate({ leaf, pool, limits: { signatureChecks: pairs, nodes: 100_000 } });
  assertResult(result, "incomplete", ["issuer_missing"]);
});

for (const [title, make] of Object.entries(CRAFTED)) {
  pure(
    `A result on ${title} takes less than ${WORST_MS} ms, in steps of less than ${WORST_STEP_MS} ms`,
    async () => {
      const { leaf, pool } = await make();
      const input = { leaf: leaf.der, pool: pool.map(({ der }) => der), anchors: [], at: TEST_NOW };
      let best = Infinity;
      // Each run has the same steps; the fastest time of each step is without other load.
      const steps: number[] = [];
      for (let run = 0; run < 60 && (best >= WORST_MS || Math.max(...steps) >= WORST_STEP_MS); run++) {
        const start = cpuMillis();
        let step = 0;
        let last = performance.now();
        const pause = (): void => {
          const now = performance.now();
          steps[step] = Math.min(steps[step] ?? Infinity, now - last);
          step++;
          last = now;
        };
        const result = await validateChain({ ...input, pause });
        pause();
        best = Math.min(best, cpuMillis() - start);
        assert.notEqual(result.status, "self_signed");
        assert.ok(result.isValid || result.errors.length > 0, codes(result.errors).join());
      }
      assert.ok(best < WORST_MS, `took ${best.toFixed(0)} ms`);
      const longest = Math.max(...steps);
      assert.ok(longest < WORST_STEP_MS, `step ${steps.indexOf(longest)} took ${longest.toFixed(1)} ms`);
    },
  );
}
