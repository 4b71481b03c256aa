/** Texts for chats: a heading and as many lines as fit, and how many notices are left out. */

import { shortened } from "./sentences.ts";
import type { ReadyMessage } from "./message.ts";

/** Notices that chats show, and characters of each: they refuse long messages. */
export const MAX_CHAT_NOTICES = 20;
export const MAX_CHAT_TITLE_CHARS = 300;
/** Characters of a text in a chat: the least of the documented limits (Slack: 3,000 in a section). */
const MAX_CHAT_CHARS = 2_900;

/** Returns whether a message is about one notice, whose title is its subject. */
export function isSingle({ notices, more }: ReadyMessage): boolean {
  return notices.length === 1 && more === 0;
}

/** Returns the lines that fit into a text of `max`, and how many notices they leave out. */
export function listed(
  { notices, more }: ReadyMessage,
  { line, max, size }: {
    line: (notice: ReadyMessage["notices"][number]) => string;
    max: number;
    size: (text: string) => number;
  },
): { lines: string[]; rest: number } {
  const lines: string[] = [];
  let left = max;
  for (const notice of notices.slice(0, MAX_CHAT_NOTICES)) {
    const text = line({ ...notice, title: shortened(notice.title, MAX_CHAT_TITLE_CHARS) });
    left -= size(text) + 1;
    // A line that is cut could end inside a link.
    if (left < 0) break;
    lines.push(text);
  }
  return { lines, rest: notices.length - lines.length + more };
}

/** Joins a heading, the lines that fit, and the number of the others. */
export function chatText(
  message: ReadyMessage,
  { heading, line, max = MAX_CHAT_CHARS, size = charsOf }: {
    heading: string | undefined;
    line: (notice: ReadyMessage["notices"][number]) => string;
    max?: number;
    size?: (text: string) => number;
  },
): string {
  const head = heading === undefined ? [] : [heading];
  const room = max - head.reduce((sum, text) => sum + size(text) + 1, 0) - moreText(1e9).length;
  const { lines, rest } = listed(message, { line, max: room, size });
  return [...head, ...lines, ...(rest === 0 ? [] : [moreText(rest)])].join("\n");
}

/** Returns the line that counts the others. */
export function moreText(rest: number): string {
  return `… and ${rest} more.`;
}

function charsOf(text: string): number {
  return text.length;
}

/** Returns the bytes of a text inside of JSON. */
export function jsonBytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
