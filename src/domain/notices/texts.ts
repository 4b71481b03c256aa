/** The texts of a message: plain text and HTML. */

import type { ReadyMessage } from "./message.ts";
import { type Severity, shortened } from "./sentences.ts";

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

export function plainText({ subject, notices, more, footer, manageUrl }: ReadyMessage): string {
  const single = notices.length === 1 && more === 0;
  const parts = notices.map(({ title, lines, url, respond }) =>
    [
      ...(single ? [title] : [`* ${title}`]),
      ...lines.map((line) => `  ${line}`),
      `  ${url}`,
      ...(respond === undefined ? [] : [`  Acknowledge or snooze: ${respond}`]),
    ].join("\n")
  );
  return [
    ...(single ? [] : [subject]),
    ...parts,
    ...(more === 0 ? [] : [`… and ${more} more.`]),
    `-- \n${footer}\n${manageUrl}\n`,
  ].join("\n\n");
}

const COLORS: Readonly<Record<Severity, string>> = {
  critical: "#b3261e",
  warning: "#9a6700",
  info: "#1f6feb",
};

/** Escapes text for HTML, in attributes as well. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/**
 * Dark colors for mail programs that support them. The classes repeat the inline styles, which other programs
 * need and which have the light colors.
 */
const DARK = "@media (prefers-color-scheme:dark){body{background:#0d1117!important;color:#e6edf3!important}" +
  "a{color:#58a6ff!important}.faint{color:#9da7b3!important}.line{border-color:#30363d!important}}";

/**
 * Returns the HTML. Styles are inline and there are no tables, because mail programs support little else.
 * Nothing is loaded from other servers.
 */
export function htmlText({ subject, notices, more, footer, manageUrl }: ReadyMessage): string {
  const link = (url: string, label: string): string =>
    `<a href="${escapeHtml(url)}" style="color:#0969da">${escapeHtml(label)}</a>`;
  const blocks = notices.map(({ title, lines, url, respond, severity }) =>
    `<div style="border-left:4px solid ${COLORS[severity]};padding:4px 0 4px 12px;margin:16px 0">` +
    `<p style="margin:0 0 4px;font-weight:600">${escapeHtml(title)}</p>` +
    lines.map((line) => `<p class="faint" style="margin:0;color:#57606a">${escapeHtml(line)}</p>`).join("") +
    `<p style="margin:8px 0 0">${link(url, "Open in certmgr")}${
      respond === undefined ? "" : ` &middot; ${link(respond, "Acknowledge or snooze")}`
    }</p></div>`
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${
    escapeHtml(subject)
  }</title><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><style>${DARK}</style></head>` +
    `<body style="font-family:system-ui,sans-serif;font-size:15px;line-height:1.45;color:#1f2328;max-width:640px;` +
    `margin:16px;overflow-wrap:anywhere">` +
    (notices.length === 1 && more === 0
      ? ""
      : `<h1 style="font-size:18px;line-height:1.3;margin:0">${escapeHtml(subject)}</h1>`) +
    blocks.join("") + (more === 0 ? "" : `<p>… and ${more} more.</p>`) +
    `<hr class="line" style="border:0;border-top:1px solid #d0d7de;margin:24px 0 12px">` +
    `<p class="faint" style="color:#57606a;font-size:13px">${escapeHtml(footer)} ${
      link(manageUrl, "Manage subscriptions")
    }</p></body></html>`;
}
