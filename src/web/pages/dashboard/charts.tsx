/** Charts: numbers by month or by day as columns, and the compliance score day by day as a line. */

import { numberText } from "../../../base/amounts.ts";
import { dateAfter, daysBetween } from "../../../base/clock.ts";
import type { Html } from "../../kit/components/mod.ts";
import type { DayScore } from "../../../domain/compliance/mod.ts";

/** Size in SVG units. */
const [WIDTH, HEIGHT, FOOT, HEAD] = [600, 210, 30, 26];
/** Width of a column that has space for its number. */
const MIN_VALUE_STEP = 30;
/** Part of its space that a column takes, and its maximum width if there are few. */
const [COLUMN_PART, MAX_COLUMN] = [0.64, 48];
const NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A column of the chart. */
export interface Span {
  readonly label: string;
  /** Text under the column; default: the label. */
  readonly short?: string;
  /** Whether a phone leaves out the label, because labels are larger there. */
  readonly minor?: boolean;
  /** The list of what it counts. */
  readonly path?: string;
  readonly count: number;
  /** The counts of its parts, from below. */
  readonly parts?: readonly number[];
}

/** A part of all columns: its count in them together, and the list of its certificates. */
interface Part {
  readonly label: string;
  readonly count: number;
  readonly path: string;
}

/** Returns the filter for certificates that expire in a month. */
export function monthFilter(month: string): string {
  const from = `${month}-01`;
  return `valid_to__gte=${from}&valid_to__lt=${dateAfter(from, 31).slice(0, 7)}-01`;
}

/** Returns `Jan 27` for `2027-01`. */
export function monthLabel(month: string): string {
  const [year = "", number = ""] = month.split("-");
  return `${NAMES[Number(number) - 1]} ${year.slice(2)}`;
}

/** Renders a column for each span, linked to its list, and a table with the same data. */
export function Chart(
  { spans, unit, title, counted = "Certificates", parts = [] }: {
    spans: readonly Span[];
    unit: string;
    title: string;
    /** What is counted. */
    counted?: string;
    parts?: readonly Part[];
  },
): Html {
  const most = Math.max(1, ...spans.map(({ count }) => count));
  const step = WIDTH / Math.max(1, spans.length);
  return (
    <>
      <div class="chart-box">
        <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={`${title}: ${unit}`}>
          <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} />
          {step >= MIN_VALUE_STEP ? null : (
            <>
              <line class="grid" x1="0" x2={WIDTH} y1={HEAD} y2={HEAD} />
              <text x="0" y={HEAD - 7}>{numberText(most)}</text>
            </>
          )}
          {spans.map((span, index) => <Column span={span} most={most} left={index * step} step={step} />)}
        </svg>
      </div>
      {parts.length === 0 ? null : (
        <ul class="legend">
          {parts.map(({ label, count, path }, index) => (
            <li>
              <a href={path}>
                <svg viewBox="0 0 10 10" aria-hidden="true">
                  <rect class={`series-${index + 1}`} width="10" height="10" rx="2" />
                </svg>
                {label} {numberText(count)}
              </a>
            </li>
          ))}
        </ul>
      )}
      {/* It scrolls in its card, which may be narrower. */}
      <details class="as-table">
        <summary>As a table</summary>
        <div tabindex={0} role="group" aria-label={`${unit}: ${counted}`}>
          <table>
            <thead>
              <tr>
                <th scope="col">{unit}</th>
                {[counted, ...parts.map(({ label }) => label)].map((head) => (
                  <th scope="col" class="number">{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {spans.map(({ label, path, count, parts: counts = [] }) => (
                <tr>
                  <td>
                    <a href={path}>{label}</a>
                  </td>
                  {[count, ...counts].map((number) => <td class="number">{numberText(number)}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function Column(
  { span, most, left, step }: { span: Span; most: number; left: number; step: number },
): Html {
  const { label, path, count, short = label, minor = false, parts = [count] } = span;
  const scale = (HEIGHT - FOOT - HEAD) / most;
  const middle = left + step / 2;
  const width = Math.min(MAX_COLUMN, step * COLUMN_PART);
  let foot = HEIGHT - FOOT;
  return (
    <a href={path}>
      <title>{`${label}: ${numberText(count)}`}</title>
      <rect class="hit" x={left} y="0" width={step} height={HEIGHT} />
      {parts.map((part, index) => {
        const height = scale * part;
        foot -= height;
        const kind = span.parts === undefined ? "bar" : `part series-${index + 1}`;
        return <rect class={kind} x={middle - width / 2} width={width} y={foot} height={height} />;
      })}
      {count === 0 || step < MIN_VALUE_STEP
        ? null
        : <text class="value" x={middle} y={foot - 5} text-anchor="middle">{count}</text>}
      <text class={minor ? "minor" : undefined} x={middle} y={HEIGHT - 9} text-anchor="middle">{short}</text>
    </a>
  );
}

/** Edges and height of the trend; the left edge has the scale. */
const [LEFT, RIGHT, LOW] = [72, 12, 150];

/** Renders a line; nothing for fewer than two days. */
export function TrendChart({ days }: { days: readonly DayScore[] }): Html | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < 2) return null;
  const lowest = Math.floor(Math.min(...days.map((day) => day.compliance_score)) / 10) * 10;
  const floor = Math.min(lowest, 90);
  const span = Math.max(1, daysBetween(first.date, last.date));
  const x = (day: DayScore): number =>
    rounded(LEFT + (WIDTH - LEFT - RIGHT) * daysBetween(first.date, day.date) / span);
  const y = (score: number): number => rounded(14 + (LOW - 44) * (100 - score) / (100 - floor));
  const words =
    `Compliance score from ${first.compliance_score} % on ${first.date} to ${last.compliance_score} % on ${last.date}`;
  return (
    <div class="chart-box">
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${LOW}`} role="img" aria-label={words}>
        {[floor, 100].map((score) => (
          <>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(score)} y2={y(score)} />
            <text x="0" y={y(score) + 5}>{score} %</text>
          </>
        ))}
        <polyline class="line" points={days.map((day) => `${x(day)},${y(day.compliance_score)}`).join(" ")} />
        <circle class="dot" cx={x(last)} cy={y(last.compliance_score)} r="4" />
        <text x={LEFT} y={LOW - 8}>{first.date}</text>
        <text x={WIDTH - RIGHT} y={LOW - 8} text-anchor="end">{last.date}</text>
      </svg>
    </div>
  );
}

/** Rounds to tenths of a pixel, because more digits only make the page larger. */
function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
