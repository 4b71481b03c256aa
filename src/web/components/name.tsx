/** The name of an object in one line or in several. */

import type { Html } from "./html.ts";
import { truncate } from "./truncate.ts";

/** Names of up to this number of characters are not truncated in a column. */
const SHORT = 16;
/** Characters that a narrow column keeps of the end of a longer name, because hosts differ at both ends. */
const END = 12;
/** Labels of up to this number of characters are not broken on a phone. */
const LABEL = 28;
/** Longer names are truncated everywhere. */
const MOST = 150;

/**
 * Renders a name. A column without space for a host truncates it in the middle (`tables.css`), a narrow page breaks it
 * after its dots and before its port. The title of the link has the complete name.
 */
export function Name({ text }: { text: string }): Html {
  const shown = truncate(text, MOST);
  // Words break and end in an ellipsis by themselves.
  if (!isHost(shown)) return <bdi>{shown}</bdi>;
  const breakable = labelsOf(shown).every(({ length }) => length <= LABEL);
  // The end starts with a letter, because a dot would look like a part of the ellipsis.
  const at = shown.length - (shown.at(-END) === "." ? END - 1 : END);
  if (shown.length <= SHORT) {
    return <bdi class={breakable ? undefined : "long"}>{Labels({ text: shown })}</bdi>;
  }
  return (
    <bdi class={breakable ? "cut" : "cut long"}>
      <span>{Labels({ text: shown.slice(0, at) })}</span>
      <span>
        {shown.at(at - 1) === "." ? <wbr /> : null}
        {Labels({ text: shown.slice(at) })}
      </span>
    </bdi>
  );
}

/** Renders a text that breaks after the dots of a host on narrow pages. */
export function BreakableName({ text }: { text: string }): Html {
  return isHost(text) && text.length <= MOST ? Labels({ text }) : <>{text}</>;
}

/** Returns the text for screen readers of a name in two parts; undefined for others. */
export function spokenName(text: string): string | undefined {
  const shown = truncate(text, MOST);
  return text.length > SHORT && isHost(shown) ? shown : undefined;
}

/**
 * Returns whether a name is an ASCII host, which may be divided: surrogate pairs and joined letters of other scripts
 * must not be.
 */
function isHost(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

function labelsOf(text: string): string[] {
  return text.split(/(?<=\.)|(?=:\d+$)/);
}

function Labels({ text }: { text: string }): Html {
  return <>{labelsOf(text).map((label, index) => <>{index === 0 ? null : <wbr />}{label}</>)}</>;
}
