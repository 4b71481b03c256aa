/** Counts of a run by tier, and the printed table. */

import type { Answer } from "./validators.ts";
import type { AnnotatedCase } from "./limbo.ts";

/** Grade of an answer. */
export type Grade = "right" | "false accept" | "false reject" | "wrong status";

interface Row {
  cases: number;
  readonly grades: Record<Grade, number>;
  slowestMs: number;
  slowestId: string;
}

/** Grades an answer. */
export function grade({ expect, status }: AnnotatedCase, answer: Answer): Grade {
  if (expect === "accept" && !answer.isValid) return "false reject";
  if (expect === "reject" && answer.isValid) return "false accept";
  return status !== undefined && !status.includes(answer.status) ? "wrong status" : "right";
}

/** Collects grades and times. */
export class Summary {
  readonly #rows = new Map<string, Row>();

  /** Adds one case; `ms` is the duration of the validation. */
  add(item: AnnotatedCase, { grade, ms }: { grade: Grade; ms: number }): void {
    const row = this.#rows.get(item.tier) ?? emptyRow();
    this.#rows.set(item.tier, row);
    row.cases++;
    row.grades[grade]++;
    if (ms <= row.slowestMs) return;
    row.slowestMs = ms;
    row.slowestId = item.case.id;
  }

  /** Returns one line per tier. */
  table(): string {
    const head = ["tier", "cases", "false accepts", "false rejects", "wrong status", "slowest ms", "which"];
    const rows = [...this.#rows].map(([tier, { cases, grades, slowestMs, slowestId }]) => [
      tier,
      String(cases),
      String(grades["false accept"]),
      String(grades["false reject"]),
      String(grades["wrong status"]),
      slowestMs.toFixed(1),
      slowestId,
    ]);
    const lines = [head, ...rows];
    const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
    return lines.map((line) =>
      line.map((cell, column) =>
        column === 0 || column === line.length - 1
          ? cell.padEnd(widths[column]!)
          : cell.padStart(widths[column]!)
      ).join("  ").trimEnd()
    ).join("\n");
  }
}

function emptyRow(): Row {
  const grades = { "right": 0, "false accept": 0, "false reject": 0, "wrong status": 0 };
  return { cases: 0, grades, slowestMs: -1, slowestId: "" };
}
