/** Counts as bars. */

import type { Share } from "../../domain/system/overview/mod.ts";
import type { Html } from "../components/mod.ts";

/** Renders a bar for each count; the longest fills the width. `to` is the link of its name. */
export function BarList(
  { shares, to }: { shares: readonly Share[]; to?: (share: Share) => string | undefined },
): Html {
  const most = Math.max(1, ...shares.map(({ count }) => count));
  return (
    <ul class="shares">
      {shares.map((share) => {
        const path = to?.(share);
        const label = share.label.replaceAll("_", " ");
        return (
          <li>
            <span class="share-name">
              {path === undefined ? <bdi>{label}</bdi> : (
                <a href={path}>
                  <bdi>{label}</bdi>
                </a>
              )}
            </span>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect class="track" width="100" height="8" rx="1" />
              <rect class="bar" width={String(Math.max(0.6, share.count / most * 100))} height="8" rx="1" />
            </svg>
            <span class="share-count">{share.count.toLocaleString("en")}</span>
          </li>
        );
      })}
    </ul>
  );
}
