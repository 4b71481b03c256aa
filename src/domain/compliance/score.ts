/** Numbers of compliance checks. */

import { z } from "zod";

/** Numbers of checks by result. */
export const Tally = z.object({
  total_checks: z.int(),
  passed: z.int(),
  failed: z.int(),
  compliance_score: z.number().describe(
    "Percent of checks passed, one decimal; 100 where nothing was checked.",
  ),
});
export type Tally = z.infer<typeof Tally>;

/** A tally from its counts. */
export function tally({ passed, failed }: { passed: number; failed: number }): Tally {
  const total = passed + failed;
  return {
    total_checks: total,
    passed,
    failed,
    compliance_score: total === 0 ? 100 : Math.round(passed * 1_000 / total) / 10,
  };
}

/** The tally of some results. */
export function tallyOf(results: readonly { readonly result: "pass" | "fail" }[]): Tally {
  const passed = results.filter(({ result }) => result === "pass").length;
  return tally({ passed, failed: results.length - passed });
}
