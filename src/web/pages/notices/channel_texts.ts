/** What pages say about the kinds of channels: where their messages go, and where their URLs and keys come from. */

import type { ChannelKindName } from "../../../domain/notices/mod.ts";

/** Names of the kinds of channels, and where their messages go. */
export const CHANNEL_KINDS: Readonly<Record<ChannelKindName, readonly [name: string, about: string]>> = {
  email: ["E-mail", "To the addresses of a subscription."],
  slack: ["Slack", "To a channel, by an incoming webhook."],
  teams: ["Microsoft Teams", "To a channel, by a workflow that starts at a webhook."],
  mattermost: ["Mattermost", "To a channel, by an incoming webhook."],
  google_chat: ["Google Chat", "To a space, by an incoming webhook."],
  pagerduty: ["PagerDuty", "As an alert of a service, by Events API v2."],
  opsgenie: ["Opsgenie", "As an alert."],
  ntfy: ["ntfy", "To the subscribers of a topic."],
  webhook: ["Webhook", "To any receiver, signed, with a custom body."],
};

const SECRET = "It is a secret, and is not shown again.";

/** Help texts of fields by kind. */
const HELP: Readonly<Record<ChannelKindName, Readonly<Record<string, string>>>> = {
  email: {},
  slack: {
    "settings.url":
      "In Slack: api.slack.com/apps, create or open an app, Incoming Webhooks, Add New Webhook, choose the channel. It " +
      `looks like https://hooks.slack.com/services/T0123ABCD/B0123ABCD/key. ${SECRET}`,
  },
  teams: {
    "settings.url":
      "In Teams: the menu … of the channel, Workflows, the template for alerts from a webhook to a channel. The last step " +
      `shows the URL. ${SECRET}`,
  },
  mattermost: {
    "settings.url":
      "In Mattermost: the product menu, Integrations, Incoming Webhooks, Add Incoming Webhook. It ends with /hooks/ and " +
      `a key. ${SECRET}`,
  },
  google_chat: {
    "settings.url":
      "In Google Chat: the menu of the space, Apps & integrations, Webhooks, Add webhook. It begins with " +
      `https://chat.googleapis.com/v1/spaces/. ${SECRET}`,
  },
  pagerduty: {
    "settings.url":
      "Empty: https://events.pagerduty.com/v2/enqueue. For accounts in the EU: https://events.eu.pagerduty.com/v2/enqueue.",
    secret:
      "The routing key, also called integration key. In PagerDuty: Services, the service, Integrations, Add an integration, Events API V2. " +
      SECRET,
  },
  opsgenie: {
    "settings.url":
      "Empty: https://api.opsgenie.com/v2/alerts. For accounts in the EU: https://api.eu.opsgenie.com/v2/alerts.",
    secret: `The API key. In Opsgenie: Teams, the team, Integrations, Add integration, API. ${SECRET}`,
  },
  ntfy: {
    "settings.url": "The address of your ntfy server; empty: https://ntfy.sh/.",
    "settings.topic":
      "The topic to which people have subscribed in the app: 1 to 64 letters, digits, _ and -. On a public server, anyone " +
      "who knows its name can read it.",
    secret: `The access token, if the topic needs one. In ntfy: Account, Access tokens. ${SECRET}`,
  },
  webhook: {
    "settings.url":
      "The address of your receiver, which gets a POST request with JSON. Its host must be public, or allowed by the " +
      "administrator.",
    secret: `Signs each message, so that the receiver can verify it. ${SECRET}`,
  },
};

/** Returns whether a text is a kind. */
export function isKind(value: string): value is ChannelKindName {
  return Object.hasOwn(CHANNEL_KINDS, value);
}

/** Returns the help texts of fields for channels of a kind. */
export function channelHelp(kind: ChannelKindName): Readonly<Record<string, string>> {
  return HELP[kind];
}
