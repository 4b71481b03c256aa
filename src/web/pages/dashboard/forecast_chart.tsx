/** Expiries by month or by week, as columns. */

import { numberText } from "../../../base/amounts.ts";
import { dateAfter } from "../../../base/clock.ts";
import type { DividedWeeks } from "../../../domain/system/overview/mod.ts";
import { type Content, type Html, truncate } from "../../kit/components/mod.ts";

/** Size in SVG units. */
const [WIDTH, HEIGHT, FOOT, HEAD] = [600, 210, 30, 26];
const NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A column of the chart, with certificates that expire from one day until before another. */
interface Span {
  readonly label: string;
  /** Text under the column; default: the label. */
  readonly short?: string;
  /** Whether a phone leaves out the label, because labels are larger there. */
  readonly minor?: boolean;
  /** `2026-11-01` */
  readonly from: string;
  readonly before: string;
  readonly count: number;
  /** The counts of its parts, from below. */
  readonly parts?: readonly number[];
}

/** Renders expiries by month. */
export function MonthChart(
  { months }: { months: readonly { readonly month: string; readonly count: number }[] },
): Html {
  const spans = months.map(({ month, count }, index) => {
    const from = `${month}-01`;
    const before = `${dateAfter(from, 31).slice(0, 7)}-01`;
    return { label: nameOf(month), minor: index % 2 === 1, from, before, count };
  });
  return <Chart spans={spans} unit="Month" />;
}

/** Renders expiries by week; columns are divided by `by`. */
export function WeekChart(
  { weeks, by }: { weeks: readonly { readonly from: string; readonly count: number }[]; by: DividedWeeks },
): Html {
  const spans = weeks.map(({ from, count }, index) => {
    const [day, month] = [String(Number(from.slice(8))), NAMES[Number(from.slice(5, 7)) - 1] as string];
    // A month is named once, and not in the first column if the second one names another, for lack of space.
    const named = monthOf(weeks[index - 1]) !== monthOf({ from }) &&
      (index > 0 || monthOf(weeks[1]) === monthOf({ from }));
    const label = `${day} ${month}`;
    return {
      label,
      short: named ? label : day,
      minor: !named,
      from,
      before: dateAfter(from, 7),
      count,
      parts: by.counts[index] ?? [],
    };
  });
  return <Chart spans={spans} unit="Week from" parts={by.parts} />;
}

function monthOf(week: { readonly from: string } | undefined): string | undefined {
  return week?.from.slice(0, 7);
}

/** Renders a column for each span, linked to its certificates, and a table with the same data. */
function Chart(
  { spans, unit, parts = [] }: { spans: readonly Span[]; unit: string; parts?: DividedWeeks["parts"] },
): Html {
  const most = Math.max(1, ...spans.map(({ count }) => count));
  const step = WIDTH / Math.max(1, spans.length);
  return (
    <>
      <div class="chart-box">
        <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={`Expiries: ${unit}`}>
          <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} />
          {spans.map((span, index) => (
            <Column span={span} most={most} left={index * step} step={step} parts={parts} />
          ))}
        </svg>
      </div>
      {parts.length === 0 ? null : <Legend spans={spans} parts={parts} />}
      <AsTable>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            <th scope="col" class="number">Certificates</th>
            {parts.map(({ label }) => (
              <th scope="col" class="number">
                <bdi>{truncate(label)}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {spans.map((span) => (
            <tr>
              <td>
                <a href={pathOf(span)}>{span.label}</a>
              </td>
              <td class="number">{numberText(span.count)}</td>
              {parts.map(({ query }, index) => {
                const count = span.parts?.[index] ?? 0;
                return (
                  <td class="number">
                    {count === 0 ? <span class="faint">0</span> : <a href={pathOf(span, query)}>{count}</a>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </AsTable>
    </>
  );
}

/** Renders the data of a chart as a table, closed at first. It scrolls in its card, which may be narrower. */
export function AsTable({ children }: { children: Content }): Html {
  return (
    <details class="as-table">
      <summary>As a table</summary>
      <div>
        <table>{children}</table>
      </div>
    </details>
  );
}

/** Renders the names of parts, each with a link to its certificates in all columns. */
function Legend({ spans, parts }: { spans: readonly Span[]; parts: DividedWeeks["parts"] }): Html {
  const all = { from: spans[0]?.from ?? "", before: spans.at(-1)?.before ?? "" };
  return (
    <ul class="legend">
      {parts.map(({ label, count, query }, index) => (
        <li>
          <a href={pathOf(all, query)}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={`series-${index + 1}`} width="10" height="10" rx="2" />
            </svg>
            <bdi>{truncate(label)}</bdi> {numberText(count)}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Column(
  { span, most, left, step, parts }: {
    span: Span;
    most: number;
    left: number;
    step: number;
    parts: DividedWeeks["parts"];
  },
): Html {
  const { count, short = span.label, minor = false } = span;
  const height = (HEIGHT - FOOT - HEAD) * count / most;
  const top = HEIGHT - FOOT - height;
  const middle = left + step / 2;
  const bar = { x: left + step * 0.18, width: step * 0.64 };
  let foot = HEIGHT - FOOT;
  return (
    <>
      <a href={pathOf(span)}>
        <rect class="hit" x={left} y="0" width={step} height={HEIGHT} />
        {parts.length > 0 ? null : <rect class="bar" {...bar} y={top} height={height} rx="3" />}
        {count === 0 ? null : <text class="value" x={middle} y={top - 5} text-anchor="middle">{count}</text>}
        <text class={minor ? "minor" : undefined} x={middle} y={HEIGHT - 9} text-anchor="middle">
          {short}
        </text>
      </a>
      {/* For the keyboard these links are in the table. */}
      {parts.map(({ label, query }, index) => {
        const n = span.parts?.[index] ?? 0;
        if (n === 0) return null;
        const tall = height * n / count;
        foot -= tall;
        const words = `${span.label}, ${truncate(label)}: ${n}`;
        return (
          <a href={pathOf(span, query)} tabindex={-1} aria-label={words}>
            <title>{words}</title>
            <rect class={`part series-${index + 1}`} {...bar} y={foot} height={tall} />
          </a>
        );
      })}
    </>
  );
}

/** Returns `Nov`, or `Jan 27` for the first month of a year. */
function nameOf(month: string): string {
  const [year = "", number = ""] = month.split("-");
  const name = NAMES[Number(number) - 1] ?? month;
  return number === "01" ? `${name} ${year.slice(2)}` : name;
}

function pathOf({ from, before }: Pick<Span, "from" | "before">, query = ""): string {
  const certificates = `/certificates/?in_use=true&expired=false`;
  return `${certificates}&valid_to__gte=${from}&valid_to__lt=${before}${query === "" ? "" : `&${query}`}`;
}
