/** View of webhooks. Their secret is shown once, after creation. */

import type { FieldMap } from "../../filters/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import {
  snapshotMap,
  WEBHOOK_EVENTS,
  WEBHOOK_OBJECT_TYPES,
  webhooks,
  webhookSubjects,
} from "../../domain/webhooks/mod.ts";
import { isGranted } from "../../auth/mod.ts";
import { webhookDeliveries } from "../../domain/webhooks/deliveries/mod.ts";
import type { Call } from "../call.ts";
import { Badge, Form, type Html, Icon, Table, Time, truncate } from "../components/mod.ts";
import {
  type ApiObject,
  type FormState,
  mayActOn,
  OneTimeSecret,
  readRows,
  type View,
} from "../objects/mod.ts";
import { capitalized } from "../messages.ts";
import { objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { typeOptions } from "../type_label.ts";

export const webhookView: View = {
  resource: webhooks,
  columns: ["enabled", "events", "object_types", "payload_url", "breaker"],
  filters: ["enabled", "events", "object_types", "breaker"],
  fieldsets: [
    { title: "Receiver", fields: ["name", "payload_url", "secret", "enabled"] },
    { title: "What is sent", fields: ["events", "object_types", "conditions"] },
    { title: "Message", fields: ["additional_headers", "body_template", "tags"], folded: true },
  ],
  form: [
    "name",
    "enabled",
    "object_types",
    "events",
    "payload_url",
    "secret",
    "additional_headers",
    "conditions",
    "body_template",
    "tags",
  ],
  options: {
    events: () => WEBHOOK_EVENTS.map((event) => [event, capitalized(event.replaceAll("_", " "))] as const),
    object_types: () => typeOptions(WEBHOOK_OBJECT_TYPES),
  },
  help: {
    payload_url: "The receiver's address. The operator decides which private hosts are allowed.",
    events: "",
    object_types: "",
    secret: "Signs each message. Leave empty to have one made; it is shown once.",
    additional_headers: "Sent with each message. Stored values are not shown again.",
    conditions: 'Only for objects that match, as {"status": "active"}. Leave empty for all objects.',
    body_template: "Leave empty for the usual message. See the documentation of webhooks for templates.",
  },
  pickers: { conditions: { map: conditionFields, notation: "json" } },
  texts: {
    breaker: (state) => state === "closed" ? "normal" : "delayed after failures",
  },
  unshown: ["http_method", "failure_count", "probe_at", "disabled_reason"],
  empty:
    "No webhooks yet. A webhook notifies another service of changes and of certificates that expire soon.",
  related: ({ id }) => [["Deliveries", `/webhook-deliveries/?webhook_id=${id}`]],
  actions: testButton,
  sections: async (call, webhook) => (
    <>
      <Trouble webhook={webhook} />
      {await latestMessages(call, webhook)}
    </>
  ),
  created: (call, webhook) =>
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
};

/** Returns the fields of the first chosen type of object; conditions must suit all chosen types. */
function conditionFields({ ctx }: Call, { object_types: types = [] }: FormState): FieldMap | undefined {
  const chosen = types.length === 0 ? [certificates.objectType] : [types].flat();
  const subject = webhookSubjects().find(({ objectType }) => objectType === chosen[0]);
  return subject === undefined ? undefined : snapshotMap(ctx, subject);
}

async function testButton(call: Call, webhook: ApiObject): Promise<Html | null> {
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

/** Messages that the page of a webhook shows. */
const LATEST = 5;

/** Renders the latest messages and their results; a script loads them again while one is being sent. */
async function latestMessages(call: Call, { id }: ApiObject): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", webhookDeliveries.objectType)) return null;
  const { rows } = await readRows(call, webhookDeliveries, {
    params: { webhook_id: id, limit: LATEST },
    fields: ["id", "created", "event", "state", "response_status", "duration_ms", "error"],
  });
  if (rows.length === 0) return null;
  const sending = rows.some(({ state, error }) => state === "pending" && error === "");
  return (
    <section
      id="messages"
      aria-labelledby="latest-messages"
      aria-live="polite"
      data-refresh={sending ? "" : undefined}
    >
      <h2 id="latest-messages">Latest messages</h2>
      <Table
        caption="Latest messages"
        rows={rows}
        columns={[
          {
            label: "Time",
            cell: (row) => (
              <a href={objectPath(webhookDeliveries, row.id)}>
                <Time at={String(row.created)} />
              </a>
            ),
          },
          { label: "Event", cell: ({ event }) => String(event).replaceAll("_", " ") },
          { label: "State", cell: ({ state }) => <Badge value={String(state)} /> },
          {
            label: "Result",
            cell: ({ response_status: status, duration_ms: duration, error }) =>
              error !== ""
                ? <bdi>{truncate(String(error), ERROR_CHARS)}</bdi>
                : status === null
                ? ""
                : `${status} after ${duration} ms`,
          },
        ]}
      />
    </section>
  );
}

/** Characters of an error in the list of messages. */
const ERROR_CHARS = 200;

/** Returns why the webhook gets no messages, or late ones. */
function Trouble({ webhook }: { webhook: ApiObject }): Html | null {
  if (webhook.disabled_reason !== "") {
    return (
      <p class="flash error">
        <Icon name="warning" />
        <span>
          This webhook was disabled automatically: {String(webhook.disabled_reason)}{" "}
          Fix the receiver, then edit the webhook and enable it.
        </span>
      </p>
    );
  }
  if (webhook.breaker !== "open") return null;
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>
        Many messages in a row have failed ({String(webhook.failure_count)}). One at a time is tried; the next
        {" "}
        <Time at={webhook.probe_at as string} />.
      </span>
    </p>
  );
}
