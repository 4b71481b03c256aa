/** Expiries by month, as columns. */

import type { Html } from "../components/mod.ts";

/** Size in SVG units. */
const [WIDTH, HEIGHT, FOOT, HEAD] = [600, 210, 30, 18];
const NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

interface Month {
  /** `2026-11` */
  readonly month: string;
  readonly count: number;
}

/** Renders a column for each month, linked to its certificates, with a text alternative. */
export function ForecastChart({ months }: { months: readonly Month[] }): Html {
  const most = Math.max(1, ...months.map(({ count }) => count));
  const step = WIDTH / Math.max(1, months.length);
  const spoken = months.map(({ month, count }) => `${nameOf(month)}: ${count}`).join(", ");
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label={`Expiries by month. ${spoken}`}
    >
      <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} />
      {months.map((month, index) => <Column month={month} most={most} left={index * step} step={step} />)}
    </svg>
  );
}

function Column(
  { month, most, left, step }: { month: Month; most: number; left: number; step: number },
): Html {
  const { count } = month;
  const height = (HEIGHT - FOOT - HEAD) * count / most;
  const top = HEIGHT - FOOT - height;
  const middle = left + step / 2;
  const label = nameOf(month.month);
  return (
    <a href={pathOf(month.month)}>
      <rect class="hit" x={left} y="0" width={step} height={HEIGHT} />
      <rect class="bar" x={left + step * 0.18} y={top} width={step * 0.64} height={height} rx="3" />
      {count === 0 ? null : <text class="value" x={middle} y={top - 5} text-anchor="middle">{count}</text>}
      <text x={middle} y={HEIGHT - 10} text-anchor="middle">{label}</text>
    </a>
  );
}

/** Returns `Nov`, or `Jan 27` for the first month of a year. */
function nameOf(month: string): string {
  const [year = "", number = ""] = month.split("-");
  const name = NAMES[Number(number) - 1] ?? month;
  return number === "01" ? `${name} ${year.slice(2)}` : name;
}

function pathOf(month: string): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  const next = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10);
  return `/certificates/?status=active&status=pending&expired=false&valid_to__gte=${month}-01&valid_to__lt=${next}`;
}
