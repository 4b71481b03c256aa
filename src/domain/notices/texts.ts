/** The texts of a message: plain text and HTML. */

import type { Severity } from "./sentences.ts";
import type { ReadyMessage } from "./message.ts";

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
