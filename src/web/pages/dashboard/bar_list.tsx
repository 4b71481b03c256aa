/** Bar charts of counts. */

import { numberText } from "../../../base/amounts.ts";
import type { Share } from "../../../domain/system/overview/mod.ts";
import type { Html, Tone } from "../../kit/components/mod.ts";

/** Renders a bar for each count; the longest fills the width. `to` returns the list of a bar. */
export function BarList(
  { shares, to, tone = () => "plain" }: {
    shares: readonly Share[];
    to: (share: Share) => string | undefined;
    tone?: (share: Share) => Tone;
  },
): Html {
  const most = Math.max(1, ...shares.map(({ count }) => count));
  return (
    <ul class="shares">
      {shares.map((share) => {
        const path = to(share);
        const bar = <Bar share={share} most={most} tone={tone(share)} />;
        return <li>{path === undefined ? <div>{bar}</div> : <a href={path}>{bar}</a>}</li>;
      })}
    </ul>
  );
}

function Bar(
  { share: { label, count }, most, tone }: { share: Share; most: number; tone: Tone },
): Html {
  return (
    <>
      <span class="share-name">
        <bdi>{label.replaceAll("_", " ")}</bdi>
      </span>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="8" rx="1" />
        <rect class={`bar ${tone}`} width={String(Math.max(0.6, count / most * 100))} height="8" rx="1" />
      </svg>
      <span class="share-count">{numberText(count)}</span>
    </>
  );
}
