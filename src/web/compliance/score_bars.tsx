/** Scores as bars from 0 to 100, with their numbers next to them. */

import { type Html, truncate } from "../components/mod.ts";

/** A score, and the link of its name. */
export interface Score {
  readonly label: string;
  readonly path?: string;
  readonly total_checks: number;
  readonly failed: number;
  /** Percentage of passed checks. */
  readonly compliance_score: number;
}

/** Renders a bar for each score. */
export function ScoreBars({ scores }: { scores: readonly Score[] }): Html {
  return (
    <ul class="shares scores">
      {scores.map(({ label, path, total_checks, failed, compliance_score }) => (
        <li>
          <span class="share-name">
            {path === undefined ? <bdi>{truncate(label)}</bdi> : (
              <a href={path}>
                <bdi>{truncate(label)}</bdi>
              </a>
            )}
          </span>
          <span class="faint">
            {failed === 0
              ? `all ${total_checks.toLocaleString("en")} passed`
              : `${failed.toLocaleString("en")} of ${total_checks.toLocaleString("en")} failed`}
          </span>
          <span class="share-count">{compliance_score} %</span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="track" width="100" height="8" rx="1" />
            <rect class={failed > 0 ? "bar" : "bar whole"} width={compliance_score} height="8" rx="1" />
          </svg>
        </li>
      ))}
    </ul>
  );
}
