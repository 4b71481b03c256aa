/** The compliance score day by day, as a line. */

import { DAY_MS } from "../../base/clock.ts";
import type { Html } from "../components/mod.ts";

const [WIDTH, HEIGHT, EDGE] = [600, 150, 28];

interface Day {
  /** `2026-11-20` */
  readonly date: string;
  readonly compliance_score: number;
}

/** Renders a line with a text alternative; nothing for fewer than two days. */
export function TrendChart({ days }: { days: readonly Day[] }): Html | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < 2) return null;
  const lowest = Math.floor(Math.min(...days.map((day) => day.compliance_score)) / 10) * 10;
  const floor = Math.min(lowest, 90);
  const start = Date.parse(first.date);
  const span = Math.max(DAY_MS, Date.parse(last.date) - start);
  const x = (day: Day): number => EDGE + (WIDTH - 2 * EDGE) * (Date.parse(day.date) - start) / span;
  const y = (score: number): number => 14 + (HEIGHT - 44) * (100 - score) / (100 - floor);
  const points = days.map((day) => `${x(day).toFixed(1)},${y(day.compliance_score).toFixed(1)}`).join(" ");
  const words =
    `Compliance score from ${first.compliance_score} % on ${first.date} to ${last.compliance_score} % on ${last.date}`;
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
      {[floor, 100].map((score) => (
        <>
          <line class="grid" x1={EDGE} x2={WIDTH - EDGE} y1={y(score)} y2={y(score)} />
          <text x="0" y={y(score) + 4}>{score}</text>
        </>
      ))}
      <polyline class="line" points={points} />
      <circle class="dot" cx={x(last)} cy={y(last.compliance_score)} r="4" />
      <text x={EDGE} y={HEIGHT - 8}>{first.date}</text>
      <text x={WIDTH - EDGE} y={HEIGHT - 8} text-anchor="end">{last.date}</text>
    </svg>
  );
}
