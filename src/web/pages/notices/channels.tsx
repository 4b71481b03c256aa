/** Channels of notifications: their list, form and page, and the log of deliveries. */

import {
  type Channel,
  CHANNEL_KIND_NAMES,
  channelKind,
  type ChannelKindName,
  channels,
  NOTICE_EVENT_NAMES,
  notificationDeliveries,
  type NotificationDelivery,
  subscriptions,
} from "../../../domain/notices/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, CountLink, type Html, Warning } from "../../kit/components/mod.ts";
import { defineView, latestMessages, objectButton, readRows, type View } from "../../kit/mod.ts";
import { capitalized } from "../../messages.ts";
import { isGranted } from "../../../auth/mod.ts";
import { isMailAddress } from "../../../base/mail_address.ts";
import { countByReference } from "../../../resource/mod.ts";

/** Returns where the messages of a channel go, without what is secret. */
function addressOf({ settings }: Pick<Channel, "settings">): string {
  const { url, topic, channel, from } = settings;
  return [url, topic ?? channel, from].filter((part) => part !== undefined && part !== "").join(" ");
}

type ListedChannel = Channel & { readonly address?: string; readonly subscriptions?: number | undefined };

const COLUMNS: View<ListedChannel>["columns"] = [
  "kind",
  {
    name: "address",
    needs: ["settings"],
    cell: (row): Content => <bdi>{addressOf(row)}</bdi>,
    layout: ["p2", "folds", "share"],
  },
  {
    name: "subscriptions",
    layout: ["number", "p2", "folds", "named"],
    cell: (row) => (
      <CountLink
        number={row.subscriptions}
        path={`/subscriptions/?channel_id=${row.id}`}
      />
    ),
  },
  "enabled",
];

/** The columns, and what they read: at most one statement for the page. */
const channelColumns: Pick<View<ListedChannel>, "columns" | "withMore"> = {
  columns: COLUMNS,
  withMore: async ({ ctx }, rows, shown) => {
    const ids = rows.map(({ id }) => id);
    const isCounted = shown.includes("subscriptions") && isGranted(ctx, "view", subscriptions.objectType);
    const counts = isCounted
      ? await countByReference({ ctx, resource: subscriptions, field: "channel", ids })
      : undefined;
    return rows.map((row) => ({
      ...row,
      address: addressOf(row),
      subscriptions: counts && (counts.get(row.id) ?? 0),
    }));
  },
};

/** The view of channels. */
export const channelView: View<Channel> = {
  resource: channels,
  ...channelColumns,
  filters: ["kind", "enabled"],
  fields: {
    kind: {
      text: (kind) => {
        const name = String(kind);
        return isKind(name) ? CHANNEL_KINDS[name][0] : name;
      },
    },
    secret: {
      help:
        "The routing key of PagerDuty, the API key of Opsgenie, the access token of ntfy, or the secret that " +
        "signs the messages of a webhook. It is not shown again.",
    },
  },
  parts: {
    field: "settings",
    by: "kind",
    choices: () => CHANNEL_KIND_NAMES.map((kind) => [kind, ...CHANNEL_KINDS[kind]] as const),
    schemaOf: (kind) => isKind(kind) ? channelKind(kind).settings : undefined,
    without: (kind) => isKind(kind) && channelKind(kind).secret === undefined ? ["secret"] : [],
    required: (kind) => isKind(kind) && channelKind(kind).secret?.required ? ["secret"] : [],
    help: (kind) => isKind(kind) ? HELP[kind] : {},
  },
  form: {
    sections: [{ title: "Channel", fields: ["name", "kind", "enabled"] }],
  },
  empty:
    "No notification channels yet. A channel sends notifications by e-mail or to a chat or on-call service.",
  detail: (call, channel) => ({
    actions: testButton(call, channel),
    related: [
      ["Subscriptions", `/subscriptions/?channel_id=${channel.id}`],
      ["Deliveries", `/notification-deliveries/?channel_id=${channel.id}`],
    ],
    lead: channel.kind === "email" ? mailServerNote(call, channel.id) : null,
    sections: latestMessages(call, notificationDeliveries, { channel_id: channel.id }),
  }),
};

export function testButton(
  call: Call,
  { id, enabled }: Pick<Channel, "id"> & Partial<Channel>,
  recipients: readonly string[] = [],
): Promise<Html | null> | null {
  if (!enabled) return null;
  const test = { id, may: "change", path: "test/", icon: "delivery", class: "secondary" } as const;
  // A test has one recipient.
  const recipient = recipients.find(isMailAddress);
  const hidden = recipient === undefined ? {} : { hidden: { recipient } };
  return objectButton(call, channels, { ...test, ...hidden, label: "Send test" });
}

/**
 * Warns that a channel (0: the user's own address) sends e-mail, but no mail server is configured. At most one
 * statement.
 */
export async function mailServerNote(call: Call, channel: number): Promise<Content> {
  if (call.ctx.settings.mailConfigured) return null;
  const sendsMail = channel === 0 || (await readRows(call.ctx, channels, {
        params: { id: channel, kind: "email", limit: 1 },
        fields: ["id"],
      })).rows.length > 0;
  return sendsMail
    ? (
      <Warning>
        {call.ctx.actor.isSuperuser
          ? "E-mail is not configured (CERTMGR_SMTP_URL), so messages are not sent."
          : "E-mail is not configured, so messages are not sent. Ask an administrator to set it up."}
      </Warning>
    )
    : null;
}

/** The view of deliveries. */
export const noticeDeliveryView = defineView<NotificationDelivery>({
  resource: notificationDeliveries,
  // The log does not show subjects: they contain what the recipient may view.
  title: {
    needs: ["event", "subscription", "channel", "recipient"],
    // What a message is about, and for which subscription: `Digest for Weekly report`.
    of: ({ event, subscription, channel, recipient }) => {
      const what = capitalized(event.replaceAll("_", " "));
      if (recipient !== "") return `${what}: ${recipient}`;
      const display = (subscription ?? channel)?.display;
      return display === undefined ? what : `${what} ${subscription === null ? "of" : "for"} ${display}`;
    },
  },
  columns: ["state", "created", "recipient", "channel", "subscription", "notices", "attempts", "error"],
  filters: ["state", "failure", "event", "channel_id", "subscription_id"],
  fields: {
    event: {
      choices: () =>
        [...NOTICE_EVENT_NAMES, "digest", "test", "owner_told"].map((event) =>
          [event, event.replaceAll("_", " ")] as const
        ),
    },
  },
  empty: "No deliveries yet. Messages of subscriptions appear here.",
});

/** Names of the kinds of channels, and where their messages go. */
const CHANNEL_KINDS: Readonly<Record<ChannelKindName, readonly [name: string, about: string]>> = {
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
function isKind(value: string): value is ChannelKindName {
  return Object.hasOwn(CHANNEL_KINDS, value);
}
