/** Collects findings: no repeats, and no more than anyone will read. */

import type { Finding } from "./types.ts";

/** Findings of one certificate or request. Crafted inputs could else make thousands of them. */
const MAX_FINDINGS = 100;

/** Adds a finding unless the same one is there already. */
export function note(findings: Finding[], finding: Finding): void {
  if (findings.length >= MAX_FINDINGS || findings.some(({ message }) => message === finding.message)) return;
  findings.push(finding);
}
