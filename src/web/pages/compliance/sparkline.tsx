/** A trend chart as high as a line of text. */

import { percentText } from "../../../base/amounts.ts";
import { daysBetween } from "../../../base/clock.ts";
import { type Html, truncate } from "../../kit/components/mod.ts";

const [WIDTH, HEIGHT, EDGE] = [96, 24, 3];

/**
 * Renders the share of failures as a line with its first and last value, which links to the page with the whole trend;
 * nothing for fewer than two days.
 */
export function Sparkline(
  { days, path, label }: {
    days: readonly { readonly date: string; readonly compliance_score: number }[];
    path: string;
    label: string;
  },
): Html | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < 2) return null;
  const failures = days.map(({ compliance_score }) => 100 - compliance_score);
  const [low, high] = [Math.min(...failures), Math.max(...failures)];
  const span = daysBetween(first.date, last.date);
  const points = days.map(({ date }, index) => {
    const x = EDGE + (WIDTH - 2 * EDGE) * daysBetween(first.date, date) / span;
    const y = high === low
      ? HEIGHT / 2
      : EDGE + (HEIGHT - 2 * EDGE) * (high - (failures[index] as number)) / (high - low);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const failed = ({ date, compliance_score }: typeof first): string =>
    `${percentText(100 - compliance_score)} on ${date}`;
  const words = `Failures of ${truncate(label)}: from ${failed(first)} to ${failed(last)}`;
  return (
    <a href={path} class="sparkline" title={words}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        <polyline class="line" points={points.join(" ")} />
        <circle class="dot" cx={points.at(-1)?.split(",")[0]} cy={points.at(-1)?.split(",")[1]} r="2.5" />
      </svg>
      <span class="ends" aria-hidden="true">
        {[first, last].map(({ compliance_score }) => <span>{percentText(100 - compliance_score)}</span>)}
      </span>
    </a>
  );
}
