/** View of webhooks. Their secret is shown once, after creation. */

import { resourceOf } from "../../../domain/registry.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import {
  snapshotMap,
  type Webhook,
  WEBHOOK_EVENTS,
  WEBHOOK_OBJECT_TYPES,
  type WebhookEvent,
  webhooks,
  webhookSubjects,
} from "../../../domain/webhooks/mod.ts";
import { messageBody } from "../../../domain/webhooks/deliveries/payload.ts";
import { webhookDeliveries } from "../../../domain/webhooks/deliveries/resource.ts";
import type { Call } from "../../call.ts";
import { Badge, Copyable, type Html, Time, Warning } from "../../kit/components/mod.ts";
import {
  conditionsText,
  defineView,
  type FormState,
  latestMessages,
  objectButton,
  OneTimeSecret,
  type PermittedActions,
  PICK,
  PostButton,
} from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { typeOptions } from "../../type_label.ts";
import { parseDatetime } from "../../../base/clock.ts";

export const webhookView = defineView<Webhook>({
  resource: webhooks,
  columns: [
    {
      name: "enabled",
      cell: ({ enabled }) => enabled === true ? "yes" : Badge({ value: "disabled", tone: "off" }),
      layout: ["folds", "problems"],
    },
    "events",
    "object_types",
    "payload_url",
    "breaker",
  ],
  filters: ["enabled", "events", "object_types", "breaker"],
  form: {
    fields: [
      "name",
      "payload_url",
      "secret",
      "enabled",
      "events",
      "object_types",
      "conditions",
      "additional_headers",
      "tags",
    ],
    sections: [
      { title: "Webhook", fields: ["name", "payload_url", "secret", "enabled"] },
      {
        title: "When a message is sent",
        about: "For each of these events, of an object of these types that matches the conditions.",
        fields: ["events", "object_types", "conditions"],
      },
      { title: "Headers and preview", fields: ["additional_headers"], folded: true },
      { title: "Tags", fields: ["tags"], folded: true },
    ],
  },
  fields: {
    object_types: { choices: () => typeOptions(WEBHOOK_OBJECT_TYPES), help: "" },
    events: {
      choices: () => WEBHOOK_EVENTS.map((event) => [event, EVENTS[event]] as const),
      help: "",
      text: (events) => [events].flat().map((event) => String(event).replaceAll(/[._]/g, " ")).join(", "),
    },
    payload_url: { help: "The receiver's address. The operator decides which private hosts are allowed." },
    secret: {
      help: "Signs each message. Empty: one is generated, and shown once.",
      note: () => <button type="button" class="secondary small" data-generate="f-secret">Generate</button>,
    },
    additional_headers: {
      help: "Sent with each message. Stored values are not shown again.",
      note: (_call, state) => <MessagePreview state={state} />,
    },
    conditions: {
      help: 'JSON: {"status": "active", "tenant": "acme"} means active and of the tenant acme.',
      picker: {
        // The fields of the first chosen type; conditions must be valid for all chosen types.
        map: ({ ctx }, state) => {
          const subject = webhookSubjects().find(({ objectType }) => objectType === firstType(state));
          return subject && snapshotMap(ctx, subject);
        },
        notation: "json",
        list: (state) => resourceOf(firstType(state)),
        dependsOn: ["object_types"],
      },
      text: conditionsText,
    },
    breaker: { text: (state) => state === "closed" ? "normal" : "delayed after failures" },
  },
  empty:
    "No webhooks yet. A webhook notifies another service of changes and of certificates that expire soon.",
  detail: (call, webhook, permitted) => ({
    actions: webhook.enabled
      ? objectButton(call, webhooks, { ...TEST, id: webhook.id, label: "Send test" })
      : null,
    related: [["Deliveries", `/webhook-deliveries/?webhook_id=${webhook.id}`]],
    lead: webhookState(call, webhook, permitted),
    without: ["http_method", "failure_count", "probe_at", "disabled_reason"],
    sections: latestMessages(call, webhookDeliveries, { webhook_id: webhook.id }),
  }),
  create: (call) => ({
    created: (webhook) =>
      typeof webhook.secret !== "string" ? undefined : page(
        call,
        { title: "New webhook", above: [["Webhooks", "/webhooks/"]] },
        <OneTimeSecret
          text={webhook.secret}
          label="Secret"
          use="Messages are signed with this secret. The receiver needs it to verify them."
          to={objectPath(webhooks, webhook.id)}
        />,
      ),
  }),
});

/** Events in the form. */
const EVENTS: Readonly<Record<WebhookEvent, string>> = {
  created: "An object is added",
  updated: "An object is changed",
  deleted: "An object is deleted",
  certificate_expiring: "A certificate expires soon",
  "certificate.revoked": "The authority revokes a certificate",
  "certificate.revocation_unavailable": "No answer about a revocation for three days",
  "certificate.renewal_window_moved": "The authority asks for an earlier renewal",
  "incident.opened": "An incident is opened",
  "incident.deadline": "The deadline of an incident passes",
  "incident.closed": "An incident is closed",
};

const TEST = { may: "change", path: "test/", icon: "delivery", class: "secondary" } as const;

function firstType({ object_types: types = [] }: FormState): string {
  return [types].flat()[0] ?? certificates.objectType;
}

/** Time of the example. */
const TIME = "2026-11-20T09:30:00Z";
/** A certificate in the example; messages have all its fields. */
const CERTIFICATE = {
  id: 17,
  common_name: "www.example.com",
  status: "active",
  valid_to: "2027-02-18T23:59:59Z",
  tenant: "acme",
};

/** Renders the message about the first event of the form. */
function MessagePreview({ state }: { state: FormState }): Html {
  const event = [state.events ?? []].flat()[0] ?? "created";
  const message = JSON.parse(messageBody({
    objectType: "certmgr.certificate",
    event,
    time: parseDatetime(TIME) ?? 0,
    username: "admin",
    requestId: "1f0b6c1e-5b0e-4a58-9d0a-2f6f1f4b7c11",
    prechange: event === "created" || event === "certificate_expiring" ? null : CERTIFICATE,
    postchange: event === "deleted" ? null : CERTIFICATE,
    details: event === "certificate_expiring" ? { threshold: 30, days_remaining: 30 } : null,
  }, "msg_2y6zbq0c5n8v1k4f7h3j9w"));
  return (
    <div class="field preview" id="message-preview" data-in-place="events">
      <p class="label">Preview of a message</p>
      <p class="faint">
        Sent by POST with the headers webhook-id, webhook-timestamp and webhook-signature. Snapshots have all
        fields of the object.
      </p>
      <Copyable text={JSON.stringify(message, null, 2)} label="Preview of a message" />
      <button type="submit" name={PICK} value="preview" formnovalidate class="secondary small">
        Update preview
      </button>
    </div>
  );
}

/** Renders why a webhook sends no messages, or late ones; nothing for one whose messages are delivered. */
function webhookState(
  call: Call,
  { id, enabled, disabled_reason: reason, breaker, failure_count: failures, probe_at: at }: Webhook,
  { change }: PermittedActions,
): Html | null {
  if (enabled) {
    return breaker !== "open" || at === null ? null : (
      <Warning>
        Many messages in a row have failed ({failures}). One at a time is tried; the next <Time at={at} />.
      </Warning>
    );
  }
  return (
    <div class={reason === "" ? "summary warn" : "summary bad"}>
      <p class="next">
        <strong>{reason === "" ? "Disabled:" : "Disabled automatically:"}</strong> {reason === ""
          ? "no messages are sent, not even later, about changes until it is enabled."
          : `${reason} Fix the receiver, then enable the webhook.`}
      </p>
      {change
        ? (
          <div class="buttons">
            <PostButton call={call} action={`${objectPath(webhooks, id)}enable/`} label="Enable" />
          </div>
        )
        : null}
    </div>
  );
}
