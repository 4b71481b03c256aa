/** Requests to channels: the message in the form that each service documents. */

import type { Millis } from "../../base/clock.ts";
import { formatDatetime } from "../../base/clock.ts";
import { signatureHeaders } from "../webhooks/sending/mod.ts";
import { type ChannelKindName, type ChannelSettings, channelUrl } from "./channel_kinds.ts";
import { type Severity, shortened } from "./sentences.ts";
import type { ReadyMessage } from "./message.ts";
import { renderTemplate } from "./template.ts";
import { plainText } from "./texts.ts";

/** What a request is made from. */
export interface PayloadInput {
  readonly kind: Exclude<ChannelKindName, "email">;
  readonly settings: ChannelSettings;
  readonly secret: string;
  readonly message: ReadyMessage;
  readonly messageId: string;
  readonly now: Millis;
}

/** A request to a channel. */
export interface Payload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Notices that chats show; they refuse long messages. */
const MAX_CHAT_NOTICES = 20;
/** Characters of a text in a chat: the least of the documented limits (Slack: 3,000 in a section). */
const MAX_CHAT_CHARS = 2_900;

/** Builds the request. Throws a RangeError if a template renders too much. */
export function payloadOf(input: PayloadInput): Payload {
  const { kind, settings, secret, now, messageId } = input;
  const url = channelUrl(kind, settings) as string;
  const plain = (json: unknown, headers: Record<string, string> = {}): Payload => ({
    url,
    headers,
    body: JSON.stringify(json),
  });
  switch (kind) {
    case "slack":
      return plain(slack(input.message));
    case "teams":
      return plain(teams(input.message));
    case "mattermost":
      return plain({
        text: markdown(input.message),
        ...(settings.channel === undefined ? {} : { channel: settings.channel }),
      });
    case "google_chat":
      return plain({
        text: chatText(input.message, (title, link) => `${escapeAngles(title)} <${link}|Open>`),
      });
    case "pagerduty":
      return plain(pagerduty(input));
    case "opsgenie":
      return plain(opsgenie(input), { authorization: `GenieKey ${secret}` });
    case "ntfy":
      return plain(ntfy(input), secret === "" ? {} : { authorization: `Bearer ${secret}` });
    case "webhook": {
      const body = webhook(input);
      return { url, body, headers: signatureHeaders({ secret, id: messageId, body, now }) };
    }
  }
}

function chatText(
  { subject, notices, more }: ReadyMessage,
  line: (title: string, url: string) => string,
): string {
  const shown = notices.slice(0, MAX_CHAT_NOTICES).map(({ title, url }) => line(title, url));
  const rest = notices.length - shown.length + more;
  const lines = notices.length === 1 && more === 0 ? shown : [escapeAngles(subject), ...shown];
  return cut([...lines, ...(rest === 0 ? [] : [`… and ${rest} more.`])], MAX_CHAT_CHARS);
}

/** Joins as many lines as fit: a line that is cut could end inside a link. */
function cut(lines: readonly string[], max: number): string {
  let text = "";
  for (const line of lines) {
    if (text.length + line.length + 1 > max) return `${text}\n…`;
    text += text === "" ? line : `\n${line}`;
  }
  return text;
}

/** Escapes text for Slack and Google Chat, which give a meaning to angle brackets. */
function escapeAngles(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Escapes text for Markdown, so that names cannot make links or mention people. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|~<>]/g, "\\$&").replaceAll("@", "@\u200b");
}

function slack(message: ReadyMessage): unknown {
  const text = chatText(message, (title, url) => `${escapeAngles(title)} <${url}|Open>`);
  return {
    text: shortened(escapeAngles(message.subject), MAX_CHAT_CHARS),
    blocks: [{ type: "section", text: { type: "mrkdwn", text } }],
    unfurl_links: false,
  };
}

function markdown({ subject, notices, more }: ReadyMessage): string {
  const shown = notices.slice(0, MAX_CHAT_NOTICES).map(({ title, url }) =>
    `- ${escapeMarkdown(title)} [Open](${url})`
  );
  const rest = notices.length - shown.length + more;
  return cut(
    [`**${escapeMarkdown(subject)}**`, ...shown, ...(rest === 0 ? [] : [`… and ${rest} more.`])],
    MAX_CHAT_CHARS,
  );
}

/** A card for a Teams workflow ("Post to a channel when a webhook request is received"). */
function teams({ subject, notices, more, manageUrl }: ReadyMessage): unknown {
  const shown = notices.slice(0, MAX_CHAT_NOTICES);
  const rest = notices.length - shown.length + more;
  const block = (text: string, more: object = {}): object => ({
    type: "TextBlock",
    wrap: true,
    text,
    ...more,
  });
  return {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          block(escapeMarkdown(subject), { weight: "bolder", size: "medium" }),
          ...shown.map(({ title, url }) => block(`${escapeMarkdown(title)} [Open](${url})`)),
          ...(rest === 0 ? [] : [block(`… and ${rest} more.`)]),
        ],
        actions: [{ type: "Action.OpenUrl", title: "Manage subscriptions", url: manageUrl }],
      },
    }],
  };
}

const ORDER: readonly Severity[] = ["info", "warning", "critical"];

function highest({ notices }: ReadyMessage): Severity {
  return notices.reduce<Severity>(
    (most, { severity }) => ORDER.indexOf(severity) > ORDER.indexOf(most) ? severity : most,
    "info",
  );
}

/** Groups repeated messages about one object into one incident. */
function incidentKey({ message: { notices }, messageId }: PayloadInput): string {
  const [first] = notices;
  return first === undefined || notices.length !== 1
    ? messageId
    : `certmgr:${first.objectType}:${first.objectId}`;
}

/** An event of PagerDuty's Events API v2. */
function pagerduty(input: PayloadInput): unknown {
  const { settings, secret, message, now } = input;
  return {
    routing_key: secret,
    event_action: "trigger",
    dedup_key: incidentKey(input),
    client: "certmgr",
    client_url: message.manageUrl,
    payload: {
      summary: shortened(message.subject, 1_024),
      source: new URL(message.manageUrl).host,
      severity: settings.severity ?? highest(message),
      timestamp: formatDatetime(now),
      component: "certificates",
      custom_details: { notices: message.notices.slice(0, MAX_CHAT_NOTICES).map(({ title }) => title) },
    },
    links: message.notices.slice(0, MAX_CHAT_NOTICES).map(({ url, title }) => ({ href: url, text: title })),
  };
}

/** An alert of Opsgenie's Alert API. */
function opsgenie(input: PayloadInput): unknown {
  const { settings, message } = input;
  const priorities: Readonly<Record<Severity, string>> = { critical: "P2", warning: "P3", info: "P5" };
  return {
    message: shortened(message.subject, 130),
    alias: incidentKey(input),
    description: plainText(message).slice(0, 15_000),
    priority: settings.priority ?? priorities[highest(message)],
    source: "certmgr",
    tags: ["certificates"],
  };
}

/** A message of ntfy's JSON API. */
function ntfy({ settings, message }: PayloadInput): unknown {
  const priorities: Readonly<Record<Severity, number>> = { critical: 4, warning: 3, info: 2 };
  return {
    topic: settings.topic,
    title: shortened(message.subject),
    message: cut(message.notices.map(({ title }) => title), MAX_CHAT_CHARS),
    priority: settings.priority === undefined ? priorities[highest(message)] : Number(settings.priority),
    click: message.notices[0]?.url ?? message.manageUrl,
  };
}

function webhook({ settings, message, messageId, now }: PayloadInput): string {
  const notices = message.notices.map(({ event, title, url, severity, lines, objectType, objectId }) => ({
    event,
    title,
    text: lines.join("\n"),
    url,
    severity,
    object_type: objectType,
    object_id: objectId,
    key: `${objectType}:${objectId}`,
  }));
  if (settings.template !== undefined) {
    return renderTemplate(settings.template, {
      subject: message.subject,
      text: plainText(message),
      count: notices.length + message.more,
      notices: notices.slice(0, MAX_CHAT_NOTICES).map((notice, index, all) => ({
        ...notice,
        last: index === all.length - 1,
      })),
    });
  }
  return JSON.stringify({
    id: messageId,
    timestamp: formatDatetime(now),
    subject: message.subject,
    count: notices.length + message.more,
    notices,
  });
}
