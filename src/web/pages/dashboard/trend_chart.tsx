/** The compliance score day by day, as a line; each day is a link to the checks that failed on it. */

import { numberText } from "../../../base/amounts.ts";
import { daysBetween } from "../../../base/clock.ts";
import { addReportFilters, type DayScore } from "../../../domain/compliance/mod.ts";
import type { Html } from "../../kit/components/mod.ts";
import { AsTable } from "./forecast_chart.tsx";

/** Size in SVG units; the left edge has the scale. */
const [WIDTH, HEIGHT, LEFT, RIGHT] = [600, 150, 72, 12];

/** Returns the list of the checks that failed on a day; those that fail now for current counts. */
function failuresPath({ date, current }: DayScore, of: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams({ ...of, ...(current ? { result: "fail" } : { failing_on: date }) });
  if (current) addReportFilters(params);
  return `/checks/?${params}`;
}

/**
 * Renders a line; nothing for fewer than two days. With `of`, filters of checks, each day is a link to those that
 * failed on it, and a table has the same data.
 */
export function TrendChart(
  { days, of }: { days: readonly DayScore[]; of?: Readonly<Record<string, string>> },
): Html | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < 2) return null;
  const lowest = Math.floor(Math.min(...days.map((day) => day.compliance_score)) / 10) * 10;
  const floor = Math.min(lowest, 90);
  const span = Math.max(1, daysBetween(first.date, last.date));
  const x = (day: DayScore): number =>
    rounded(LEFT + (WIDTH - LEFT - RIGHT) * daysBetween(first.date, day.date) / span);
  const y = (score: number): number => rounded(14 + (HEIGHT - 44) * (100 - score) / (100 - floor));
  const points = days.map((day) => `${x(day)},${y(day.compliance_score)}`).join(" ");
  const step = rounded((WIDTH - LEFT - RIGHT) / span);
  const words =
    `Compliance score from ${first.compliance_score} % on ${first.date} to ${last.compliance_score} % on ${last.date}`;
  return (
    <>
      <div class="chart-box">
        <svg
          class="chart"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          role={of === undefined ? "img" : "group"}
          aria-label={words}
        >
          {[floor, 100].map((score) => (
            <>
              <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(score)} y2={y(score)} />
              <text x="0" y={y(score) + 5}>{score} %</text>
            </>
          ))}
          {/* The table has the same links for the keyboard: ninety stops would be in its way here. */}
          {of === undefined ? null : days.map((day) => (
            <a href={failuresPath(day, of)} tabindex={-1}>
              <title>{inWords(day)}</title>
              <path class="hit day" d={`M${rounded(x(day) - step / 2)} 0h${step}v${HEIGHT - 24}h-${step}z`} />
            </a>
          ))}
          <polyline class="line" points={points} />
          <circle class="dot" cx={x(last)} cy={y(last.compliance_score)} r="4" />
          <text x={LEFT} y={HEIGHT - 8}>{first.date}</text>
          <text x={WIDTH - RIGHT} y={HEIGHT - 8} text-anchor="end">{last.date}</text>
        </svg>
      </div>
      {of === undefined ? null : (
        <AsTable>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="number">Failed checks</th>
              <th scope="col" class="number">Score</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr>
                <td>
                  <a href={failuresPath(day, of)}>{day.date}</a>
                </td>
                <td class="number">{numberText(day.failed)}</td>
                <td class="number">{day.compliance_score} %</td>
              </tr>
            ))}
          </tbody>
        </AsTable>
      )}
    </>
  );
}

/** Rounds to tenths of a pixel, because more digits only make the page larger. */
function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function inWords({ date, failed, total_checks, compliance_score }: DayScore): string {
  return `${date}: ${compliance_score} %, ${numberText(failed)} of ${numberText(total_checks)} checks failed`;
}
