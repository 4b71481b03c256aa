/** Views of notification channels, subscriptions and deliveries. */

import { formatDatetime } from "../../../base/clock.ts";
import {
  type Channel,
  CHANNEL_KIND_NAMES,
  channelKind,
  type ChannelKindName,
  channels,
  nextDigest,
  NOTICE_EVENT_NAMES,
  NOTICE_EVENTS,
  notificationDeliveries,
  type NotificationDelivery,
  type Subscription,
  subscriptions,
  testChannel,
} from "../../../domain/notices/mod.ts";
import { ownAddress } from "../../../domain/accounts/users/mod.ts";
import { type Call, numberOf } from "../../call.ts";
import { type Content, Form, type Html, Icon, type SelectOption, Time } from "../../kit/components/mod.ts";
import {
  type Fact,
  type FormState,
  latestMessages,
  mayActOn,
  PresetLinks,
  readRows,
  StoredFilters,
  storedFilterSection,
  type View,
  withFiltersInWords,
} from "../../kit/mod.ts";
import { certificatePicker, selectedList } from "../certificates/list_defaults.ts";
import { CHANNEL_KINDS, channelHelp, isKind } from "./channel_texts.ts";
import { channelColumns } from "./channel_columns.tsx";
import { NextMessage } from "./next_message.tsx";
import { SUBSCRIPTION_PRESETS } from "./presets.ts";
import { recipientProposals, recipientsText, thresholdProposals, thresholdsText } from "./proposals.ts";
import { capitalized } from "../../messages.ts";
import { objectPath } from "../../paths.ts";

/** The view of channels. */
export const channelView: View<Channel> = {
  resource: channels,
  ...channelColumns,
  filters: ["kind", "enabled"],
  fields: {
    kind: { text: (kind) => isKind(String(kind)) ? CHANNEL_KINDS[kind as ChannelKindName][0] : String(kind) },
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
    help: (kind) => isKind(kind) ? channelHelp(kind) : {},
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
  trial: {
    label: "send test",
    run: async ({ ctx }, id) => {
      await testChannel({ ctx, id, input: undefined });
      return "Test message queued.";
    },
  },
};

async function testButton(call: Call, channel: Pick<Channel, "id"> & Partial<Channel>): Promise<Html | null> {
  if (!channel.enabled) return null;
  if (!await mayActOn(call, channels, { action: "change", id: channel.id })) return null;
  return (
    <Form call={call} action={`${objectPath(channels, channel.id)}test/`} class="inline">
      <button type="submit" class="secondary">
        <Icon name="delivery" />
        Send test
      </button>
    </Form>
  );
}

/** Returns the events as choices, grouped by subject. */
function eventOptions(): SelectOption[] {
  const subjectOf = (event: string): string =>
    /^(endpoint|unknown|agent)/.test(event)
      ? "Endpoints"
      : /^(request|webhook|job)/.test(event)
      ? "Requests and service"
      : "Certificates";
  return NOTICE_EVENT_NAMES.map((event) =>
    [event, capitalized(NOTICE_EVENTS[event]), subjectOf(event)] as const
  );
}

function Warning({ children }: { children: Content }): Html {
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  );
}

/**
 * Warns that the chosen channel cannot send e-mail: no mail server, or a user without an address. A script renders the
 * warnings again when another channel or user is chosen. At most two statements.
 */
async function mailNotes(call: Call, { channel = "", user = "" }: FormState): Promise<Content> {
  const hasAddress = channel !== "" || user !== "" || await ownAddress(call.ctx) !== "";
  // A text that is not an id is the name of no channel, which is an error at the field.
  const id = channel === "" ? 0 : numberOf(String(channel)) || undefined;
  return (
    <div id="channel-notes" data-in-place="channel user">
      {id === undefined ? null : await mailServerNote(call, id)}
      {hasAddress ? null : (
        <Warning>
          You have no e-mail address. Choose another channel, or ask an administrator to enter your address.
        </Warning>
      )}
    </div>
  );
}

/**
 * Warns that a channel (0: the user's own address) sends e-mail, but no mail server is configured. At most one
 * statement.
 */
async function mailServerNote(call: Call, channel: number): Promise<Content> {
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

/** Returns when the next digest of a subscription is sent. */
function nextDelivery({ ctx }: Call, { enabled, mode, at, time_zone: timeZone }: Subscription): Fact[] {
  if (!enabled || mode === "immediate") return [];
  const schedule = { mode: mode, at: at, timeZone: timeZone };
  return [["Next delivery", <Time at={formatDatetime(nextDigest(schedule, ctx.clock.now()))} />]];
}

/** The view of subscriptions. */
export const subscriptionView: View<Subscription> = {
  resource: subscriptions,
  columns: [
    "user",
    { name: "events", cell: ({ events }) => events.map((event) => event.replaceAll("_", " ")).join(", ") },
    "channel",
    { name: "filter", label: "Certificates", cell: (row) => <StoredFilters row={row} /> },
    "mode",
    "enabled",
  ],
  filters: ["user_id", "channel_id", "mode", "enabled"],
  withMore: (call, rows) => withFiltersInWords(call, rows, selectedList),
  form: {
    sections: [
      { title: "Subscription", fields: ["name", "enabled"] },
      // A channel that cannot send has warnings, which must be in sight.
      { title: "Who receives it", fields: ["channel", "user", "recipients"] },
      { title: "What is reported", fields: ["events", "thresholds"] },
      { title: "About which certificates", fields: ["filter"] },
      { title: "When it is sent", fields: ["mode", "at", "time_zone"] },
      { title: "Escalation", fields: ["escalate_to", "escalate_after_days"], folded: true },
    ],
  },
  fields: {
    filter: {
      picker: { ...certificatePicker, label: "Certificates" },
      help:
        "The part after the ? of the address of a list. Empty: all certificates. Events of other objects are not filtered.",
    },
    channel: { note: mailNotes, blank: "E-mail to the user's own address", help: "How messages are sent." },
    time_zone: {
      note: (call, state) => NextMessage({ call, state }),
      help: "A name such as Europe/Zurich, or UTC.",
    },
    events: { choices: eventOptions, help: "" },
    mode: {
      choices: () => [
        ["immediate", "Immediately"],
        ["daily", "Daily"],
        ["weekly", "Weekly, on Mondays"],
      ],
      help: "Immediately: within a minute. Daily and weekly: one message.",
    },
    thresholds: {
      proposals: thresholdProposals,
      text: thresholdsText,
      help:
        "Before the expiry of a certificate: days, or the share of its lifetime that is left. Only for certificates that reach " +
        "a threshold.",
    },
    recipients: {
      proposals: recipientProposals,
      text: recipientsText,
      help:
        "Only for channels that send e-mail. Owners get a message about their own certificates. Nobody chosen: the user's " +
        "own address.",
    },
    user: {
      blank: "Me",
      help: "Their permissions decide what messages say. Only superusers may choose another user.",
    },
    escalate_to: { blank: "Nobody" },
    escalate_after_days: { help: "Days without an acknowledgement; empty: never." },
  },
  empty:
    "No subscriptions yet. Subscribe to be notified when certificates expire, at once or once a day or week.",
  detail: (call, subscription) => ({
    actions: subscription.channel === null ? null : testButton(call, subscription.channel),
    related: [["Deliveries", `/notification-deliveries/?subscription_id=${subscription.id}`]],
    lead: Promise.all([
      mailServerNote(call, subscription.channel?.id ?? 0),
      storedFilterSection(call, selectedList(subscription)),
    ]),
    facts: nextDelivery(call, subscription),
    without: ["filter"],
  }),
  create: (call) => ({
    above: () => <PresetLinks call={call} resource={subscriptions} presets={SUBSCRIPTION_PRESETS} />,
  }),
};

/** Returns what a message is about, and for which subscription: `Digest for Weekly report`. */
function deliveryTitle({ event, subscription, channel }: NotificationDelivery): string {
  const what = capitalized(event.replaceAll("_", " "));
  const display = (subscription ?? channel)?.display;
  return display === undefined ? what : `${what} ${subscription === null ? "of" : "for"} ${display}`;
}

/** The view of deliveries. */
export const noticeDeliveryView: View<NotificationDelivery> = {
  resource: notificationDeliveries,
  // The log does not show subjects: they contain what the recipient may view.
  title: { needs: ["event", "subscription", "channel"], of: deliveryTitle },
  columns: ["state", "created", "channel", "subscription", "notices", "attempts", "error"],
  filters: ["state", "event", "channel_id", "subscription_id"],
  fields: {
    event: {
      choices: () =>
        [...NOTICE_EVENT_NAMES, "digest", "test"].map((event) =>
          [event, event.replaceAll("_", " ")] as const
        ),
    },
  },
  empty: "No deliveries yet. Messages of subscriptions appear here.",
};
