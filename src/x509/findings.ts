/** Collects findings without repeats, up to a limit. */

import type { Finding } from "./types.ts";

/** Findings of one certificate or request. Crafted inputs could otherwise produce thousands. */
const MAX_FINDINGS = 100;

/** Adds a finding unless an identical one exists. */
export function note(findings: Finding[], finding: Finding): void {
  if (findings.length >= MAX_FINDINGS || findings.some(({ message }) => message === finding.message)) return;
  findings.push(finding);
}
