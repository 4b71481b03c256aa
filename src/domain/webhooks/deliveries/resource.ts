/**
 * Webhook deliveries: the messages to webhooks and their outcomes. Read-only; only the sender writes them.
 */

import { z } from "zod";
import { webhook_deliveries as table } from "../../../db/schema/mod.ts";
import {
  type Brief,
  choice,
  datetime,
  defineResource,
  type Field,
  integer,
  json,
  type Out,
  reference,
  type Resource,
  text,
} from "../../../resource/mod.ts";
import { webhooks } from "../mod.ts";

/** The states of a message; `dead` means given up. */
export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;

/**
 * Kinds of failures of an attempt: the receiver refused the message; it got none (the next four); no mail
 * server is configured; the message's user may no longer view its objects; and a defect of the service.
 */
export const FAILURES = [
  "refused",
  "not_allowed",
  "unresolved",
  "timeout",
  "no_answer",
  "not_configured",
  "not_visible",
  "internal",
] as const;

/** The kind of a failure. */
export type Failure = (typeof FAILURES)[number];

const MESSAGE_FIELDS = [
  text("event_id", {
    description: "Id of the message (`webhook-id`), the same for every attempt.",
    readOnly: true,
  }),
  text("event", {
    description: "The event: `created`, `updated`, …; `test` for a test message.",
    readOnly: true,
  }),
  text("object_type", { description: "Type of the object that changed.", readOnly: true }),
  integer("object_id", { description: "Id of the object that changed.", readOnly: true }),
  {
    ...json("body", {
      description: "Body of the message.",
      schema: z.record(z.string(), z.unknown()),
      readOnly: true,
    }),
    long: true,
  },
];

/**
 * `extras.webhookdelivery`. Users who may view a webhook may also view its deliveries. Deliveries are not
 * changes: they have no change records, and are deleted with their webhook without any.
 */
export const webhookDeliveries = defineResource({
  objectType: "extras.webhookdelivery",
  path: "extras/webhook-deliveries",
  label: "webhook delivery",
  labelPlural: "webhook deliveries",
  table,
  fields: [
    webhookField(),
    ...MESSAGE_FIELDS,
    ...outcomeFields({
      responseStatus: "HTTP status of the last response; null if there was none.",
      response: [{
        ...text("response_body", { description: "Beginning of the last response body.", readOnly: true }),
        long: true,
      }],
      nextAttempt:
        "Time of the next attempt; null if it waits for an earlier message about its object, or is delivered or dead.",
    }),
  ],
  brief: ["event", "object_type", "object_id", "state"],
  displayNeeds: ["event", "object_type", "object_id"],
  display: (row) => `${row.event} ${row.object_type} ${row.object_id}`,
  search: { fields: ["error", "event_id"] },
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  within: "webhook",
  untracked: true,
});

export type WebhookDelivery = Out<typeof webhookDeliveries>;

function webhookField(): Field<"webhook", Brief | null> {
  const field = reference("webhook", {
    description: "The webhook; null in a response to a caller who may change it but not view it.",
    target: (): Resource => webhooks,
    keys: ["name"],
    nullable: false,
    readOnly: true,
    onDelete: "drop",
  });
  return { ...field, output: field.output.nullable() };
}

/** A field of {@link outcomeFields}. */
type OutcomeField =
  | Field<"state", (typeof DELIVERY_STATES)[number]>
  | Field<"attempts", number>
  | Field<"response_status", number | null>
  | Field<"duration_ms", number | null>
  | Field<"failure", Failure | null>
  | Field<"error", string>
  | Field<"next_attempt", string | null>;

/**
 * Returns the fields of a message about its outcome, which webhook messages and notices share.
 * @param options.responseStatus Description of `response_status`.
 * @param options.response Further fields of the response.
 * @param options.nextAttempt Description of `next_attempt`.
 */
export function outcomeFields<Of extends Field = never>(
  { responseStatus, response = [], nextAttempt }: {
    responseStatus: string;
    response?: readonly Of[];
    nextAttempt: string;
  },
): (Of | OutcomeField)[] {
  return [
    choice("state", {
      description: "State: `pending`, `delivered`, or `dead` (given up).",
      choices: DELIVERY_STATES,
      readOnly: true,
    }),
    integer("attempts", { description: "Number of attempts.", readOnly: true }),
    integer("response_status", { description: responseStatus, readOnly: true, nullable: true }),
    ...response,
    integer("duration_ms", {
      description: "Duration of the last attempt in milliseconds.",
      readOnly: true,
      nullable: true,
    }),
    choice("failure", {
      description: "Kind of failure of the last attempt; null if it succeeded.",
      choices: FAILURES,
      readOnly: true,
      nullable: true,
    }),
    text("error", { description: "Why the last attempt failed; empty if it succeeded.", readOnly: true }),
    datetime("next_attempt", { description: nextAttempt, readOnly: true, nullable: true }),
  ];
}
