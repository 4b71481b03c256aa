/** The text of a chosen suggestion in a field: `Acme (#3)`; where objects of several types fit, `web-01 (device #3)`. */

import { withoutExpiry } from "./short_name.ts";

/** An object of a suggestion. */
export interface Suggested {
  readonly id: string;
  /** The kind of object, where several fit: "device". */
  readonly noun?: string;
}

/** Returns the text of an object with the name `name`. */
export function suggestionText({ id, noun }: Suggested, name: string): string {
  return `${withoutExpiry(name)} (${noun === undefined ? "" : `${noun} `}#${id})`.trim();
}

/** Returns the object of a text that looks like a suggestion; undefined for other texts. */
export function parseSuggestion(text: string): Suggested | undefined {
  const [, noun, id] = /\((?:([a-z][a-z ]*) )?#(\d{1,15})\)\s*$/i.exec(text) ?? [];
  if (id === undefined) return undefined;
  return noun === undefined ? { id } : { id, noun };
}

/** Reduces an id (`#3`) to its digits; returns other text unchanged. */
export function idText(text: string): string {
  return /^\s*#(\d{1,15})\s*$/.exec(text)?.[1] ?? text.trim();
}

/** Returns whether a text is an id. */
export function isId(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
