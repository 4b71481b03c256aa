/** The score of the dashboard, and how it has changed. */

import { counted, numberText, percentText } from "../../../base/amounts.ts";
import { daysBetween } from "../../../base/clock.ts";
import type { Overview } from "../../../domain/system/overview/mod.ts";
import type { Html } from "../../kit/components/mod.ts";
import { TrendChart } from "./trend_chart.tsx";

/** Renders the score with its trend; nothing for users who may not view all checks. */
export function Compliance({ overview: { compliance } }: { overview: Overview }): Html | null {
  if (compliance === null) return null;
  return (
    <section class="card" aria-labelledby="compliance">
      <h2 id="compliance">Compliance</h2>
      {compliance.total_checks === 0
        ? (
          <p class="faint">
            No compliance checks yet. <a href="/policies/">Policies</a> define what is checked.
          </p>
        )
        : (
          <p>
            <strong>{percentText(compliance.score)}</strong> of {numberText(compliance.total_checks)}{" "}
            checks passed{changeOf(compliance.trend)};{" "}
            <a href="/compliance/">
              {counted(compliance.failing, "certificate fails", "certificates fail")}
            </a>.
          </p>
        )}
      {/* With fewer days there is no chart, and a link to it would have no text. */}
      {compliance.trend === null || compliance.trend.length < 2 ? null : (
        <a href="/compliance/#trend">
          <TrendChart days={compliance.trend} />
        </a>
      )}
    </section>
  );
}

/** Days over which the score is compared. */
const COMPARED_DAYS = 30;

/** Returns how the score has changed: " (▾ 1.8 in 30 days)"; empty for a shorter history. */
function changeOf(trend: NonNullable<Overview["compliance"]>["trend"]): string {
  const last = trend?.at(-1);
  const first = trend?.findLast(({ date }) => daysBetween(date, last?.date ?? date) >= COMPARED_DAYS);
  if (last === undefined || first === undefined) return "";
  const change = last.compliance_score - first.compliance_score;
  if (Math.abs(change) < 0.05) return ` (as ${COMPARED_DAYS} days ago)`;
  return ` (${change > 0 ? "▴" : "▾"} ${Math.abs(change).toFixed(1)} in ${COMPARED_DAYS} days)`;
}
