/** The name of an object in one line or in several. */

import type { Content, Html } from "./html.ts";
import { truncate } from "./truncate.ts";

/** Names of up to this number of characters are not shortened in a column. */
const SHORT = 16;
/** Labels of up to this number of characters are not broken on a phone. */
const LABEL = 28;
/** Characters that a short form has, if possible, and that it keeps of the first label. */
const [SHORTENED, FIRST] = [28, 20] as const;
/** Longer names are truncated everywhere. */
const MOST = 150;

/**
 * Renders a name. A column without space for a host shows its short form (`tables.css`), a narrow page breaks it after
 * its dots and before its port. The title of the link has the complete name.
 */
export function Name({ text }: { text: string }): Html {
  const shown = truncate(text, MOST);
  // Words break and end in an ellipsis by themselves.
  if (!isHost(shown)) return <bdi>{shown}</bdi>;
  const labels = labelsOf(shown);
  const breakable = labels.every(({ length }) => length <= LABEL);
  const parts = breakableParts(labels);
  if (shown.length <= SHORT) return <bdi class={breakable ? undefined : "long"}>{parts}</bdi>;
  return (
    <bdi class={breakable ? "host" : "host long"} data-short={shortHost(shown)}>
      <span>{parts}</span>
    </bdi>
  );
}

/**
 * Returns a short form of a host, without its least important part, its top level: "www.int.aldgate…:443". A longer one
 * keeps its first label, in which hosts differ, and the domain of its organization: "wlan-ctl…meridianhealth.example".
 * Undefined for names without labels to leave out.
 */
export function shortHost(text: string): string | undefined {
  const [, host = text, port = ""] = /^(.*?)(:\d+)?$/s.exec(text) ?? [];
  const labels = host.split(".");
  if (labels.length < 3 || /^[\d.]+$/.test(host)) return undefined;
  // Below the top level of a country, a short label belongs to it: "co.uk".
  const suffix = /\.[a-z]{2,3}\.[a-z]{2}$/i.test(host) ? 2 : 1;
  const short = `${labels.slice(0, -suffix).join(".")}…`;
  if (short.length <= SHORTENED || labels.length < suffix + 3) return `${short}${port}`;
  const domain = labels.slice(-suffix - 1).join(".");
  return `${(labels[0] ?? "").slice(0, FIRST)}…${domain}${port}`;
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

/** Returns the complete text, for screen readers, of a name that a column may shorten; undefined for others. */
export function spokenName(text: string): string | undefined {
  const shown = truncate(text, MOST);
  return text.length > SHORT && isHost(shown) && shortHost(shown) !== undefined ? shown : undefined;
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
