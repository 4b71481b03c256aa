/** Subscriptions to notifications. */

import { formatDatetime } from "../../../base/clock.ts";
import {
  channels,
  loadPreview,
  nextDigest,
  NOTICE_EVENT_NAMES,
  NOTICE_EVENTS,
  OWNER,
  type Subscription,
  subscriptions,
} from "../../../domain/notices/mod.ts";
import { ownAddress } from "../../../domain/accounts/preferences/mod.ts";
import { type Call, numberOf } from "../../call.ts";
import { type Content, type Html, type SelectOption, Time, Warning } from "../../kit/components/mod.ts";
import {
  defineView,
  type Fact,
  type FormPreset,
  type FormState,
  may,
  PICK,
  PresetLinks,
  type Proposals,
  StoredFilters,
  storedFilterSection,
  withFiltersInWords,
} from "../../kit/mod.ts";
import { certificatePicker, selectedList } from "../certificates/list_defaults.ts";
import { mailServerNote, testButton } from "./channels.tsx";
import { capitalized } from "../../messages.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { textOf } from "../../forms.ts";

/** Days before the expiry that the form offers. */
const DAYS = [90, 60, 30, 14, 7, 3, 1];

const thresholdProposals: Proposals = {
  load: () => ({
    options: DAYS.map((days) => [`${days}d`, thresholdText(`${days}d`)] as const),
    other: "Other thresholds",
    placeholder: "45 days, 33%",
  }),
  read: (text) => {
    const [, amount, unit] = /^(\d{1,5})\s*(d|days?|%)(?:\s+before)?$/i.exec(text) ?? [];
    return amount === undefined ? text : `${Number(amount)}${unit === "%" ? "%" : "d"}`;
  },
};

/** Recipients, which only channels that send e-mail have. One statement. */
const recipientProposals: Proposals = {
  load: async ({ ctx }) => {
    const address = await ownAddress(ctx);
    const own: SelectOption[] = address === "" ? [] : [[address, `Me (${address})`]];
    return {
      options: [[OWNER, "Owners of the certificates"], ...own],
      other: "Other addresses",
      placeholder: "ops@example.com, security@example.com",
    };
  },
};

function thresholdText(text: string): string {
  if (!text.endsWith("d")) return `${text} of the lifetime left`;
  return `${counted(Number.parseInt(text), "day")} before`;
}

const EXPIRY = ["expiring", "expired"];
const FAILURES = [
  "endpoint_unreachable",
  "endpoint_wrong",
  "endpoint_superseded",
  "endpoint_invalid",
  "chain_broken",
  "certificate_revoked",
];

const SUBSCRIPTION_PRESETS: readonly FormPreset[] = [
  {
    title: "Daily digest of what expires in 30 days",
    about: "One message a day, only if there is something new.",
    values: {
      name: "Expiring within 30 days",
      events: EXPIRY,
      thresholds: ["30d", "14d", "7d", "1d"],
      mode: "daily",
    },
  },
  {
    title: "At once when something fails",
    about: "An endpoint does not answer or serves a wrong certificate, or a chain is no longer valid.",
    values: { name: "Failures", events: FAILURES, mode: "immediate" },
  },
  {
    title: "At once when a certificate that is assigned or served changes",
    about: "It has a successor, fails a policy or is about to expire.",
    values: {
      name: "Assigned or served certificates",
      events: ["renewed", "policy_failed", ...EXPIRY],
      filter: "assigned_or_served=true",
      mode: "immediate",
    },
  },
  {
    title: "Weekly summary",
    about: "What expires or has expired, and what fails a policy, on Mondays.",
    values: { name: "Weekly summary", events: [...EXPIRY, "policy_failed"], mode: "weekly" },
  },
];

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
      {channel !== "" ? null : (
        <small>
          Other recipients than the user need an e-mail channel{may(call, channels, "add")
            ? (
              <>
                : <a href="/notification-channels/new/?kind=email">create one first</a>, if there is none
              </>
            )
            : ", which an administrator creates"}.
        </small>
      )}
      {hasAddress ? null : (
        <Warning>
          You have no e-mail address. Choose another channel, or ask an administrator to enter your address.
        </Warning>
      )}
    </div>
  );
}

/** Returns the heading for an event in the form. */
function subjectOf(event: string): string {
  return /^(endpoint|unknown|agent)/.test(event)
    ? "Endpoints"
    : /^(request|webhook|job)/.test(event)
    ? "Requests and service"
    : "Certificates";
}

/** Returns when the next digest of a subscription is sent. */
function nextDelivery({ ctx }: Call, { enabled, mode, at, time_zone: timeZone }: Subscription): Fact[] {
  if (!enabled || mode === "immediate") return [];
  const next = nextDigest({ mode, at, timeZone }, ctx.clock.now());
  return [["Next delivery", <Time at={formatDatetime(next)} />]];
}

/** The view of subscriptions. */
export const subscriptionView = defineView<Subscription>({
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
      // A few statements for the message, after its button was used.
      note: async (call, state) => (
        <div class="field preview" id="next-message" data-in-place="">
          <button type="submit" name={PICK} value={PREVIEW} formnovalidate class="secondary small">
            Preview the next message
          </button>
          {textOf(call.form, PICK) === PREVIEW ? await message(call, state) : null}
        </div>
      ),
      help: "A name such as Europe/Zurich, or UTC.",
    },
    events: {
      choices: () =>
        NOTICE_EVENT_NAMES.map((event) => [event, capitalized(NOTICE_EVENTS[event]), subjectOf(event)]),
      help: "",
    },
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
      // "30 days before, 33% of the lifetime left".
      text: (value) => [value].flat().map((one) => thresholdText(String(one))).join(", "),
      help:
        "Before the expiry of a certificate: days, or the share of its lifetime that is left. Only for certificates that reach " +
        "a threshold.",
    },
    recipients: {
      proposals: recipientProposals,
      text: (value) =>
        [value].flat().map((one) => one === OWNER ? "owners of the certificates" : one).join(", "),
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
    actions: subscription.channel === null
      ? null
      : testButton(call, subscription.channel, subscription.recipients),
    related: [["Deliveries", `/notification-deliveries/?subscription_id=${subscription.id}`]],
    lead: Promise.all([
      mailServerNote(call, subscription.channel?.id ?? 0),
      storedFilterSection(call, selectedList(subscription)),
    ]),
    facts: nextDelivery(call, subscription),
    without: ["filter"],
  }),
  create: () => ({
    above: () => <PresetLinks resource={subscriptions} presets={SUBSCRIPTION_PRESETS} />,
  }),
});

/** Value of the button that shows the preview. */
const PREVIEW = "preview";

async function message({ ctx }: Call, state: FormState): Promise<Html> {
  const preview = await (await loadPreview()).previewSubscription(
    ctx,
    {
      events: [state.events ?? []].flat(),
      thresholds: [state.thresholds ?? []].flat(),
      filter: String(state.filter ?? ""),
      mode: state.mode,
      at: state.at,
      time_zone: state.time_zone,
    },
  );
  if (preview === undefined) {
    return <p role="status">Choose events, and correct the values above, to see a message.</p>;
  }
  const at = <Time at={formatDatetime(preview.at)} />;
  if (preview.subject === "") {
    return <p role="status">Nothing to report at {at} yet: no message would be sent.</p>;
  }
  return (
    <div class="box" role="status">
      <p class="faint">At {at}, with your permissions, and without what has happened before:</p>
      <p>
        <strong>
          <bdi>{preview.subject}</bdi>
        </strong>
      </p>
      <ul>
        {preview.notices.map((title) => (
          <li>
            <bdi>{title}</bdi>
          </li>
        ))}
        {preview.more > 0 ? <li>and {numberText(preview.more)} more</li> : null}
      </ul>
    </div>
  );
}
