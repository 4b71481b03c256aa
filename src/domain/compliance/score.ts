/** Results in numbers. */

/** How many checks there are, and how they came out. */
export interface Tally {
  readonly total_checks: number;
  readonly passed: number;
  readonly failed: number;
  /** Percent of checks passed, one decimal; 100 where nothing was checked. */
  readonly compliance_score: number;
}

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
