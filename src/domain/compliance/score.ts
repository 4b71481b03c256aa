/** Counts and score of compliance checks. */

import { z } from "zod";

/** Counts of checks by result. */
export const CheckCounts = z.object({
  total_checks: z.int(),
  passed: z.int(),
  failed: z.int(),
  compliance_score: z.number().describe(
    "Percentage of passed checks, with one decimal; 100 if nothing was checked.",
  ),
});
export type CheckCounts = z.infer<typeof CheckCounts>;

/** Returns the total and the score for numbers of passed and failed checks. */
export function checkCounts({ passed, failed }: { passed: number; failed: number }): CheckCounts {
  const total = passed + failed;
  return {
    total_checks: total,
    passed,
    failed,
    compliance_score: total === 0 ? 100 : Math.round(passed * 1_000 / total) / 10,
  };
}

export function countResults(results: readonly { readonly result: "pass" | "fail" }[]): CheckCounts {
  const passed = results.filter(({ result }) => result === "pass").length;
  return checkCounts({ passed, failed: results.length - passed });
}
