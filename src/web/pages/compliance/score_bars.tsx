/** Failed checks as bars, with their numbers and scores next to them. */

import { numberText, percentText } from "../../../base/amounts.ts";
import type { CheckCounts, DayScore } from "../../../domain/compliance/mod.ts";
import { type Html, type Tone, truncate } from "../../kit/components/mod.ts";
import { Sparkline } from "./sparkline.tsx";

/** A score, and the path of the list of its checks. */
export interface Score {
  readonly label: string;
  /** Tone of its failures; default `bad`. */
  readonly tone?: Tone;
  /** Undefined if no list has exactly these checks. */
  readonly path?: string;
  readonly total_checks: number;
  readonly failed: number;
  /** Percentage of passed checks. */
  readonly compliance_score: number;
  /** Scores by day, and the page that shows them in full. */
  readonly trend?: {
    readonly days: readonly DayScore[];
    readonly path: string;
  };
}

/** Orders scores as their bars show them: by the share of the checks that failed, then by their number. */
export function worstFirst<Sum extends CheckCounts>(scores: readonly Sum[]): Sum[] {
  const share = ({ failed, total_checks }: Sum): number => failed / total_checks;
  return [...scores].sort((a, b) => share(b) - share(a) || b.failed - a.failed);
}

/** Renders a bar for each score: its colored part is the share of the checks that failed. */
export function ScoreBars({ scores }: { scores: readonly Score[] }): Html {
  const trends = scores.flatMap(({ trend }) =>
    trend !== undefined && trend.days.length > 1 ? [trend.days] : []
  );
  const bars = (
    <ul class={scores.some(({ trend }) => trend) ? "shares scores trends" : "shares scores"}>
      {scores.map((score) => (
        <li>
          {score.path === undefined
            ? (
              <div>
                <Bar score={score} />
              </div>
            )
            : (
              <a href={score.path}>
                <Bar score={score} />
              </a>
            )}
          {score.trend === undefined
            ? null
            : <Sparkline days={score.trend.days} path={score.trend.path} label={score.label} />}
        </li>
      ))}
    </ul>
  );
  if (trends.length === 0) return bars;
  return (
    <>
      {bars}
      <p class="faint">
        {trends.every(endsNow)
          ? "Lines: failures by day."
          : "Lines: failures by day of all certificates in use, without the filters."}
      </p>
    </>
  );
}

/** Returns whether a trend ends with the current score of its page, because both count the same checks. */
export function endsNow(days: readonly DayScore[]): boolean {
  return days.at(-1)?.current === true;
}

function Bar(
  { score: { label, total_checks, failed, compliance_score, tone = "bad" } }: { score: Score },
): Html {
  return (
    <>
      <span class="share-name">
        <bdi>{truncate(label)}</bdi>
      </span>
      <span class="faint">
        {failed === 0
          ? `all ${numberText(total_checks)} passed`
          : `${numberText(failed)} of ${numberText(total_checks)} failed`}
      </span>
      <span class="share-count">{percentText(100 - compliance_score)}</span>
      <ShareBar part={failed / total_checks} tone={tone} />
    </>
  );
}

/** Renders a bar of which a part is colored, at least a visible one. */
function ShareBar({ part, tone }: { part: number; tone: Tone }): Html {
  return (
    <svg class="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="8" rx="1" />
      {part > 0 ? <rect class={`bar ${tone}`} width={String(Math.max(1, part * 100))} height="8" /> : null}
    </svg>
  );
}

/** Renders the share of the checks that passed. */
export function PassBar({ sum: { passed, total_checks } }: { sum: CheckCounts }): Html {
  return <ShareBar part={passed / total_checks} tone="good" />;
}

/** Renders how many certificates fail a policy, as a link, and their share as a bar. */
export function FailingShare({ sum, path }: { sum: CheckCounts; path: string }): Html {
  const { failed, total_checks } = sum;
  return (
    <span class="failing-share">
      <a href={path}>
        {failed === 0
          ? `all ${numberText(total_checks)} pass`
          : `${numberText(failed)} of ${numberText(total_checks)} fail`}
      </a>
      <ShareBar part={failed / total_checks} tone="bad" />
    </span>
  );
}
