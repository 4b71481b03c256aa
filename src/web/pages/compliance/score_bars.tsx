/** Numbers as bars. */

import { numberText, percentText } from "../../../base/amounts.ts";
import type { CheckCounts } from "../../../domain/compliance/mod.ts";
import { type Html, type Tone, truncate } from "../../kit/components/mod.ts";

/** A score, and the path of the list of its checks. */
interface Score {
  readonly label: string;
  /** Tone of its failures; default `bad`. */
  readonly tone?: Tone;
  /** Undefined if no list has exactly these checks. */
  readonly path?: string;
  readonly total_checks: number;
  readonly failed: number;
  /** Percentage of passed checks. */
  readonly compliance_score: number;
}

/** Orders scores as their bars show them: by the share of the checks that failed, then by their number. */
export function worstFirst<Sum extends CheckCounts>(scores: readonly Sum[]): Sum[] {
  const share = ({ failed, total_checks }: Sum): number => failed / total_checks;
  return [...scores].sort((a, b) => share(b) - share(a) || b.failed - a.failed);
}

/** Renders a bar for each score: its colored part is the share of the checks that failed. */
export function ScoreBars({ scores }: { scores: readonly Score[] }): Html {
  return (
    <ul class="shares scores">
      {scores.map(({ label, path, failed, total_checks, compliance_score, tone = "bad" }) => {
        const content = (
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
        return <li>{path === undefined ? <div>{content}</div> : <a href={path}>{content}</a>}</li>;
      })}
    </ul>
  );
}

/** Renders a bar of which a part is colored, at least a visible one. */
function ShareBar({ part, tone }: { part: number; tone: Tone }): Html {
  return (
    <svg class="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="8" rx="1" />
      {part > 0
        ? <rect class={`bar ${tone}`} width={String(Math.max(1, part * 100))} height="8" rx="1" />
        : null}
    </svg>
  );
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
