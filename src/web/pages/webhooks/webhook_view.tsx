/** View of webhooks. Their secret is shown once, after creation. */

import type { FieldMap } from "../../../filters/mod.ts";
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
import { testWebhook, webhookDeliveries } from "../../../domain/webhooks/deliveries/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, Form, type Html, Icon } from "../../kit/components/mod.ts";
import {
  conditionsText,
  type FormState,
  lastMessageColumn,
  latestMessages,
  mayActOn,
  OneTimeSecret,
  PresetLinks,
  type View,
  withLastMessages,
} from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { MessagePreview } from "./message_preview.tsx";
import { WEBHOOK_PRESETS } from "./presets.ts";
import { webhookState } from "./webhook_state.tsx";
import { typeOptions } from "../../type_label.ts";

export const webhookView: View<Webhook> = {
  resource: webhooks,
  columns: [
    {
      name: "enabled",
      cell: ({ enabled }) => enabled === true ? "yes" : Badge({ value: "disabled", tone: "off" }),
      under: ({ enabled }) => enabled === true ? "" : Badge({ value: "disabled", tone: "off" }),
    },
    "events",
    "object_types",
    lastMessageColumn(webhookDeliveries),
    "payload_url",
    "breaker",
  ],
  withMore: (call, rows, shown) =>
    withLastMessages(call, rows, { deliveries: webhookDeliveries, sender: "webhook", shown }),
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
      "body_template",
      "tags",
    ],
    sections: [
      { title: "Webhook", fields: ["name", "payload_url", "secret", "enabled"] },
      {
        title: "When a message is sent",
        about: "For each of these events, of an object of these types that matches the conditions.",
        fields: ["events", "object_types", "conditions"],
      },
      { title: "Headers of the request", fields: ["additional_headers"], folded: true },
      {
        title: "Body and preview",
        about: "Without a template, the body is the message below.",
        fields: ["body_template"],
        folded: true,
      },
      { title: "Tags", fields: ["tags"], folded: true },
    ],
  },
  fields: {
    object_types: { groups: 2, choices: () => typeOptions(WEBHOOK_OBJECT_TYPES), help: "" },
    events: {
      choices: () => WEBHOOK_EVENTS.map((event) => [event, EVENTS[event]] as const),
      help: "",
      text: (events) => (events as WebhookEvent[]).map((event) => EVENT_WORDS[event]).join(", "),
    },
    payload_url: { help: "The receiver's address. The operator decides which private hosts are allowed." },
    secret: {
      help: "Signs each message. Empty: one is generated, and shown once.",
      note: () => <button type="button" class="secondary small" data-generate="f-secret">Generate</button>,
    },
    additional_headers: { help: "Sent with each message. Stored values are not shown again." },
    conditions: {
      help: 'JSON: {"status": "active", "tenant": "acme"} means active and of the tenant acme.',
      picker: {
        map: conditionFields,
        notation: "json",
        list: (state) => resourceOf(firstType(state)),
        dependsOn: ["object_types"],
      },
      text: conditionsText,
    },
    body_template: {
      help:
        'A Mustache template that renders JSON: {"text": "{{data.common_name}} was {{event}}"}. The documentation ' +
        "of webhooks explains it.",
      note: (_call, state) => <MessagePreview state={state} />,
    },
    breaker: { text: (state) => state === "closed" ? "normal" : "delayed after failures" },
  },
  trial: {
    label: "send test",
    run: async ({ ctx }, id) => {
      await testWebhook({ ctx, id });
      return "Test message queued.";
    },
  },
  empty:
    "No webhooks yet. A webhook notifies another service of changes and of certificates that expire soon.",
  detail: (call, webhook, permitted) => ({
    actions: testButton(call, webhook),
    related: [["Deliveries", `/webhook-deliveries/?webhook_id=${webhook.id}`]],
    lead: webhookState(call, webhook, permitted),
    without: ["http_method", "failure_count", "probe_at", "disabled_reason"],
    sections: latestMessages(call, webhookDeliveries, { webhook_id: webhook.id }),
  }),
  create: (call) => ({
    above: () => <PresetLinks call={call} resource={webhooks} presets={WEBHOOK_PRESETS} />,
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
};

/** Events in lists. */
const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  created: "added",
  updated: "changed",
  deleted: "deleted",
  certificate_expiring: "expires soon",
};

/** Events in the form. */
const EVENTS: Readonly<Record<WebhookEvent, string>> = {
  created: "An object is added",
  updated: "An object is changed",
  deleted: "An object is deleted",
  certificate_expiring: "A certificate expires soon",
};

function firstType({ object_types: types = [] }: FormState): string {
  return [types].flat()[0] ?? certificates.objectType;
}

/** Returns the fields of the first chosen object type; conditions must be valid for all chosen types. */
function conditionFields({ ctx }: Call, state: FormState): FieldMap | undefined {
  const type = firstType(state);
  const subject = webhookSubjects().find(({ objectType }) => objectType === type);
  return subject === undefined ? undefined : snapshotMap(ctx, subject);
}

async function testButton(call: Call, webhook: Webhook): Promise<Html | null> {
  if (webhook.enabled !== true) return null;
  if (!await mayActOn(call, webhooks, { action: "change", id: webhook.id })) return null;
  return (
    <Form call={call} action={`${objectPath(webhooks, webhook.id)}test/`} class="inline">
      <button type="submit" class="secondary">
        <Icon name="delivery" />Send test
      </button>
    </Form>
  );
}
