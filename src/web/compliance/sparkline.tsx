/** A trend chart as high as a line of text. */

import { type Html, truncate } from "../components/mod.ts";

const [WIDTH, HEIGHT, EDGE] = [96, 24, 3];

/** Renders scores as a line that links to the page with the whole trend; nothing for fewer than two days. */
export function Sparkline(
  { days, path, label }: {
    days: readonly { readonly date: string; readonly compliance_score: number }[];
    path: string;
    label: string;
  },
): Html | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < 2) return null;
  const scores = days.map(({ compliance_score }) => compliance_score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const [start, end] = [Date.parse(first.date), Date.parse(last.date)];
  const points = days.map(({ date, compliance_score }) => {
    const x = EDGE + (WIDTH - 2 * EDGE) * (Date.parse(date) - start) / (end - start);
    const y = high === low
      ? HEIGHT / 2
      : EDGE + (HEIGHT - 2 * EDGE) * (high - compliance_score) / (high - low);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const words = `Trend of ${
    truncate(label)
  }: from ${first.compliance_score} % on ${first.date} to ${last.compliance_score} % on ${last.date}`;
  return (
    <a href={path} class="sparkline" aria-label={words} title={words}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <polyline class="line" points={points.join(" ")} />
        <circle class="dot" cx={points.at(-1)?.split(",")[0]} cy={points.at(-1)?.split(",")[1]} r="2.5" />
      </svg>
    </a>
  );
}
