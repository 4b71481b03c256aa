/** Requests to channels: converts messages to the format that each service documents. */

import { formatDatetime, type Millis } from "../../base/clock.ts";
import { signatureHeaders } from "../webhooks/sending/attempt.ts";
import { type ChannelKindName, type ChannelSettings, channelUrl } from "./channel_kinds.ts";
import { cutText, type Severity, shortened } from "./sentences.ts";
import type { ReadyMessage } from "./message.ts";
import {
  chatText,
  isSingle,
  jsonBytes,
  listed,
  MAX_CHAT_NOTICES,
  MAX_CHAT_TITLE_CHARS,
  moreText,
  plainText,
} from "./texts.ts";

/** Inputs of a request. */
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

/** Maximum size of a card in bytes. Teams refuses more than 28 KB, counted in UTF-16 or in UTF-8. */
const MAX_CARD_BYTES = 26_000;
/**
 * Maximum size of a text for ntfy in bytes, as JSON. ntfy stores more than 4,096 as an attachment, and
 * refuses twice as many.
 */
const MAX_NTFY_BYTES = 3_900;
/** Maximum lengths of fields, as the services document them. */
const MAX_SUMMARY_CHARS = 1_024;
const MAX_OPSGENIE_MESSAGE_CHARS = 130;
const MAX_OPSGENIE_DESCRIPTION_CHARS = 15_000;

/** Builds the request. */
export function payloadOf(input: PayloadInput): Payload {
  const { kind, settings, secret, now, messageId } = input;
  const url = channelUrl(kind, settings) ?? "";
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
      return plain({ text: linkedText(input.message) });
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

/** Escapes text for Slack and Google Chat, in which angle brackets have a meaning. */
function escapeAngles(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Escapes text for Markdown, so that names cannot make links or mention people. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|~<>]/g, "\\$&").replaceAll("@", "@\u200b");
}

/** Returns the text for Slack and Google Chat, which have the same syntax for links. */
function linkedText(message: ReadyMessage): string {
  return chatText(message, {
    heading: isSingle(message) ? undefined : escapeAngles(message.subject),
    line: ({ title, url }) => `${escapeAngles(title)} <${url}|Open>`,
  });
}

function slack(message: ReadyMessage): unknown {
  return {
    text: escapeAngles(shortened(message.subject, MAX_CHAT_TITLE_CHARS)),
    // Verbatim, so that addresses in names do not become links.
    blocks: [{ type: "section", text: { type: "mrkdwn", text: linkedText(message), verbatim: true } }],
    unfurl_links: false,
  };
}

function markdown(message: ReadyMessage): string {
  return chatText(message, {
    heading: isSingle(message) ? undefined : `**${escapeMarkdown(message.subject)}**`,
    line: ({ title, url }) => `- ${escapeMarkdown(title)} [Open](${url})`,
  });
}

/** Returns a card for a Teams workflow ("Post to a channel when a webhook request is received"). */
function teams(message: ReadyMessage): unknown {
  const block = (text: string, more: object = {}): object => ({
    type: "TextBlock",
    wrap: true,
    text,
    ...more,
  });
  const card = (blocks: readonly object[]): object => ({
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [block(escapeMarkdown(message.subject), { weight: "bolder", size: "medium" }), ...blocks],
        actions: [{ type: "Action.OpenUrl", title: "Manage subscriptions", url: message.manageUrl }],
      },
    }],
  });
  const size = (value: object): number => {
    const json = JSON.stringify(value);
    return Math.max(2 * json.length, new TextEncoder().encode(json).length);
  };
  const { lines, rest } = listed(message, {
    line: ({ title, url }) => `${escapeMarkdown(title)} [Open](${url})`,
    max: MAX_CARD_BYTES - size(card([block(moreText(1e9))])),
    size: (text) => size(block(text)),
  });
  const blocks = lines.map((text) => block(text));
  return card(rest === 0 ? blocks : [...blocks, block(moreText(rest))]);
}

const ORDER: readonly Severity[] = ["info", "warning", "critical"];

function highest({ notices }: ReadyMessage): Severity {
  return notices.reduce<Severity>(
    (most, { severity }) => ORDER.indexOf(severity) > ORDER.indexOf(most) ? severity : most,
    "info",
  );
}

/** Returns the key by which repeated messages about an object are grouped into one incident. */
function incidentKey({ message: { notices }, messageId }: PayloadInput): string {
  const [first] = notices;
  return first === undefined || notices.length !== 1
    ? messageId
    : `certmgr:${first.objectType}:${first.objectId}`;
}

/** Returns an event of PagerDuty's Events API v2. */
function pagerduty(input: PayloadInput): unknown {
  const { settings, secret, message, now } = input;
  return {
    routing_key: secret,
    event_action: "trigger",
    dedup_key: incidentKey(input),
    client: "certmgr",
    client_url: message.manageUrl,
    payload: {
      summary: shortened(message.subject, MAX_SUMMARY_CHARS),
      source: new URL(message.manageUrl).host,
      severity: settings.severity ?? highest(message),
      timestamp: formatDatetime(now),
      component: "certificates",
      custom_details: { notices: message.notices.slice(0, MAX_CHAT_NOTICES).map(({ title }) => title) },
    },
    links: message.notices.slice(0, MAX_CHAT_NOTICES).map(({ url, title }) => ({
      href: url,
      text: shortened(title, MAX_CHAT_TITLE_CHARS),
    })),
  };
}

/** Returns an alert of Opsgenie's Alert API. */
function opsgenie(input: PayloadInput): unknown {
  const { settings, message } = input;
  const priorities: Readonly<Record<Severity, string>> = { critical: "P2", warning: "P3", info: "P5" };
  return {
    message: shortened(message.subject, MAX_OPSGENIE_MESSAGE_CHARS),
    alias: incidentKey(input),
    description: cutText(plainText(message), MAX_OPSGENIE_DESCRIPTION_CHARS),
    priority: settings.priority ?? priorities[highest(message)],
    source: "certmgr",
    tags: ["certificates"],
  };
}

/** Returns a message of ntfy's JSON API. */
function ntfy({ settings, message }: PayloadInput): unknown {
  const priorities: Readonly<Record<Severity, number>> = { critical: 4, warning: 3, info: 2 };
  return {
    topic: settings.topic,
    title: shortened(message.subject),
    message: chatText(message, {
      heading: undefined,
      line: ({ title }) => title,
      max: MAX_NTFY_BYTES,
      size: jsonBytes,
    }),
    priority: settings.priority === undefined ? priorities[highest(message)] : Number(settings.priority),
    click: message.notices[0]?.url ?? message.manageUrl,
  };
}

function webhook({ message, messageId, now }: PayloadInput): string {
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
  return JSON.stringify({
    id: messageId,
    timestamp: formatDatetime(now),
    subject: message.subject,
    count: notices.length + message.more,
    notices,
  });
}
