/** The name of an object in one line or in several. */

import type { Content, Html } from "./html.ts";
import { truncate } from "./texts.ts";

/** Labels of up to this number of characters are not broken on a phone. */
const LABEL = 28;
/** Longer names are truncated everywhere. */
const MOST = 150;

/**
 * Renders a name. A host breaks after its dots and before its port, where it may take several lines. The title of the link
 * has the complete name.
 */
export function Name({ text }: { text: string }): Html {
  const shown = truncate(text, MOST);
  // Words break and end in an ellipsis by themselves.
  if (!isHost(shown)) return <bdi>{shown}</bdi>;
  const labels = labelsOf(shown);
  return (
    <bdi class={labels.every(({ length }) => length <= LABEL) ? undefined : "long"}>
      {breakableParts(labels)}
    </bdi>
  );
}

/** Octets in hexadecimal with colons, as of a serial number or fingerprint. */
const OCTETS = /^[\dA-F]{2}(?::[\dA-F]{2})+$/i;
/** ASCII hosts and words, perhaps isolated. */
const ASCII_WORDS = /^[ -~\u2066-\u2069]+$/;

/** Renders a text that, if a line is too short, breaks after the dots of hosts or the colons of octets. */
export function BreakableName({ text }: { text: string }): Html {
  if (OCTETS.test(text)) return <>{breakableParts(text.split(/(?<=:)/))}</>;
  return <>{ASCII_WORDS.test(text) && text.length <= MOST ? breakableParts(labelsOf(text)) : text}</>;
}

/**
 * Returns whether a name is an ASCII host, which may be divided: surrogate pairs and joined letters of other scripts
 * must not be.
 */
function isHost(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

function labelsOf(text: string): string[] {
  return text.split(/(?<=\.)(?=\S)|(?=:\d+$)/);
}

/** A place at which a name may be broken. */
const BREAK = <wbr />;

/** Returns labels with a place to break between them. */
function breakableParts(labels: readonly string[]): Content[] {
  return labels.flatMap((label, index) => index === 0 ? [label] : [BREAK, label]);
}
