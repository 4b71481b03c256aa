/** Deliveries: the messages to webhooks and what became of them. Written by their sending, by nothing else. */

import { z } from "zod";
import { webhook_deliveries as table } from "../../../db/schema/mod.ts";
import {
  choice,
  datetime,
  defineResource,
  type Field,
  id,
  integer,
  json,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { webhooks } from "../mod.ts";

/** Where a message is on its way. */
export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;

/**
 * `extras.webhookdelivery`. A message is part of its webhook: it is there only for those who may view that too. What is
 * sent is no edit, so there are no change records, and messages go with their webhook without any.
 */
export const webhookDeliveries: Resource = defineResource({
  objectType: "extras.webhookdelivery",
  path: "extras/webhook-deliveries",
  label: "webhook delivery",
  labelPlural: "webhook deliveries",
  table,
  fields: [
    id(),
    webhookField(),
    ...messageFields(),
    ...courseFields(),
    ...timestamps(),
  ],
  brief: ["event", "object_type", "object_id", "state"],
  displayNeeds: ["event", "object_type", "object_id"],
  display: (row) => `${row.event} ${row.object_type} ${row.object_id}`,
  searchFields: ["error", "event_id"],
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  within: "webhook",
  untracked: true,
});

function webhookField(): Field {
  const field = reference("webhook", {
    description: "The webhook that is told; null in the reply to one who may change it, but not view it.",
    target: () => webhooks,
    keys: ["name"],
    nullable: false,
    readOnly: true,
    onDelete: "drop",
  });
  return { ...field, output: field.output.nullable() };
}

/** What is said. */
function messageFields(): Field[] {
  return [
    text("event_id", {
      description: "The message's id (`webhook-id`), by which a receiver knows one that comes again.",
      readOnly: true,
    }),
    text("event", {
      description: "What happened: `created`, `updated`, …; `test` for a trial.",
      readOnly: true,
    }),
    text("object_type", { description: "Kind of the object that it is about.", readOnly: true }),
    integer("object_id", { description: "Id of that object.", readOnly: true }),
    {
      ...json("body", {
        description: "The message.",
        schema: z.record(z.string(), z.unknown()),
        readOnly: true,
      }),
      long: true,
    },
  ];
}

/** What became of it. */
function courseFields(): Field[] {
  return [
    choice("state", {
      description: "Where it is: on its way, arrived, or given up.",
      choices: DELIVERY_STATES,
      readOnly: true,
    }),
    integer("attempts", { description: "How often it was sent.", readOnly: true }),
    integer("response_status", {
      description: "Status of the last answer; null when there was none.",
      readOnly: true,
      nullable: true,
    }),
    {
      ...text("response_body", { description: "Beginning of the last answer.", readOnly: true }),
      long: true,
    },
    integer("duration_ms", {
      description: "Milliseconds that the last attempt took.",
      readOnly: true,
      nullable: true,
    }),
    text("error", { description: "Why the last attempt failed; empty when it did not.", readOnly: true }),
    datetime("next_attempt", {
      description:
        "When it is sent again; null when it waits for an earlier message about its object, and when it is done with.",
      readOnly: true,
      nullable: true,
    }),
  ];
}
