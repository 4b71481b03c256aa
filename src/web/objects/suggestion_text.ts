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

/** Returns the object of a text; undefined for a text that a user typed. */
export function parseSuggestion(text: string): Suggested | undefined {
  const [, noun, id] = /\((?:([a-z][a-z ]*) )?#(\d{1,15})\)\s*$/i.exec(text) ?? [];
  if (id === undefined) return undefined;
  return noun === undefined ? { id } : { id, noun };
}

/** Reduces the text of a suggestion (`Acme (#3)`) or an id (`#3`) to the id; returns a name unchanged. */
export function idText(text: string): string {
  return parseSuggestion(text)?.id ?? /^\s*#(\d{1,15})\s*$/.exec(text)?.[1] ?? text.trim();
}
