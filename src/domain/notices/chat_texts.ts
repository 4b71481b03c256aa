/** Texts for chats: a heading, as many lines as fit, and the number of notices that are left out. */

import { shortened } from "./sentences.ts";
import type { ReadyMessage } from "./message.ts";

/**
 * Maximum number of notices in a chat message, and their maximum length, because chats refuse long messages.
 */
export const MAX_CHAT_NOTICES = 20;
export const MAX_CHAT_TITLE_CHARS = 300;
/** Maximum length of a text in a chat: the smallest of the documented limits (Slack: 3,000 in a section). */
const MAX_CHAT_CHARS = 2_900;

/** Returns whether a message consists of one notice, whose title is also its subject. */
export function isSingle({ notices, more }: ReadyMessage): boolean {
  return notices.length === 1 && more === 0;
}

/**
 * Returns the lines that fit into a text of `max` characters, and the number of notices that are left out.
 */
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
    // A line is left out instead of cut, because the cut could be inside a link.
    if (left < 0) break;
    lines.push(text);
  }
  return { lines, rest: notices.length - lines.length + more };
}

/** Joins a heading, the lines that fit, and the number of the other notices. */
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

/** Returns the line with the number of the other notices. */
export function moreText(rest: number): string {
  return `… and ${rest} more.`;
}

function charsOf(text: string): number {
  return text.length;
}

/** Returns the number of bytes of a text in JSON. */
export function jsonBytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
