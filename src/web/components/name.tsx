/** The name of an object in one line or in several. */

import type { Html } from "./html.ts";
import { truncate } from "./truncate.ts";

/** Names of up to so many characters are not cut in a column. */
const SHORT = 16;
/** Characters of a longer name that a narrow column keeps of its end: hosts differ at both ends. */
const END = 12;
/** Labels of up to so many characters are not broken on a phone. */
const LABEL = 28;
/** Names that are longer are cut everywhere. */
const MOST = 150;

/**
 * Renders a name. A column without room for a host cuts it in the middle (`tables.css`), a narrow page breaks it after its
 * dots and before its port. The title of the link has the whole name.
 */
export function Name({ text }: { text: string }): Html {
  const shown = truncate(text, MOST);
  // Words break and end in an ellipsis by themselves.
  if (!isHost(shown)) return <bdi>{shown}</bdi>;
  const breakable = labelsOf(shown).every(({ length }) => length <= LABEL);
  const at = shown.length - END;
  if (shown.length <= SHORT) {
    return <bdi class={breakable ? undefined : "long"}>{Labels({ text: shown })}</bdi>;
  }
  return (
    <bdi class={breakable ? "cut" : "cut long"}>
      <span>{Labels({ text: shown.slice(0, at) })}</span>
      <span>{Labels({ text: shown.slice(at) })}</span>
    </bdi>
  );
}

/** Returns what a screen reader says for a name in two parts; undefined for others. */
export function spokenName(text: string): string | undefined {
  const shown = truncate(text, MOST);
  return text.length > SHORT && isHost(shown) ? shown : undefined;
}

/** Only ASCII: half of a character, and a script that joins its letters, must not be divided. */
function isHost(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

function labelsOf(text: string): string[] {
  return text.split(/(?<=\.)|(?=:\d+$)/);
}

function Labels({ text }: { text: string }): Html {
  return <>{labelsOf(text).map((label, index) => <>{index === 0 ? null : <wbr />}{label}</>)}</>;
}
