/** Webhooks: URLs that are notified of changes. Their secrets are never returned. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { webhooks as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  choicesField,
  columnOf,
  datetime,
  defineResource,
  derived,
  id,
  integer,
  type Out,
  text,
  timestamps,
  unrecorded,
} from "../../resource/mod.ts";
import { tagsField } from "../inventory/mod.ts";
import { WEBHOOK_EVENTS, WEBHOOK_OBJECT_TYPES } from "./events.ts";
import { bodyTemplateField, conditionsField, headersField, secretField } from "./fields.ts";
import { prepareWebhooks } from "./prepare.ts";

const OBJECT_TYPE = "extras.webhook";
const BREAKER_STATES = ["closed", "open"] as const;

/**
 * Returns the state that the sender maintains. It depends on the receiver's responses, so the change log does
 * not record it.
 */
const STATE_FIELDS = [
  text("disabled_reason", {
    description: "Why the service disabled it; empty if it did not.",
    readOnly: true,
  }),
  unrecorded(integer("failure_count", { description: "Number of consecutive failures.", readOnly: true })),
  derived("breaker", {
    description:
      "`closed`: messages are sent without delay; `open`: after many consecutive failures, one at a time.",
    output: z.enum(BREAKER_STATES),
    needs: ["probe_at"],
    read: (row) => row.probe_at === null ? "closed" : "open",
    filters: {
      breaker: {
        kind: "predicate",
        type: "choice",
        choices: BREAKER_STATES,
        condition: (value, { alias }) => {
          const probe = columnOf(alias, "probe_at");
          return value === "open" ? sql`${probe} IS NOT NULL` : sql`${probe} IS NULL`;
        },
      },
    },
  }),
  unrecorded(datetime("probe_at", {
    description: "Time of the next attempt while the breaker is open; null while it is closed.",
    readOnly: true,
    nullable: true,
  })),
];

/**
 * `extras.webhook`. A user who may write webhooks can have every event sent to them, whatever objects they
 * may view, so the permission is meant for administrators.
 */
export const webhooks = defineResource({
  objectType: OBJECT_TYPE,
  path: "extras/webhooks",
  label: "webhook",
  refusesUnknown: true,
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 150 }),
    choicesField("object_types", {
      table,
      description: "Types of objects whose events are sent.",
      choices: WEBHOOK_OBJECT_TYPES,
    }),
    choicesField("events", { table, description: "Events that are sent.", choices: WEBHOOK_EVENTS }),
    text("payload_url", {
      description:
        "Where messages are sent: http or https, to a public host or one that the operator allows.",
      required: true,
      max: 2_000,
    }),
    { ...choice("http_method", { description: "HTTP method.", choices: ["POST"] }), fallback: "POST" },
    boolean("enabled", { description: "Whether messages are sent.", fallback: true }),
    secretField(),
    headersField(),
    conditionsField(),
    bodyTemplateField(),
    ...STATE_FIELDS,
    tagsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "enabled"],
  searchFields: ["name", "payload_url"],
  order: [{ field: "name", descending: false }],
  unique: [{ columns: ["name"], field: "name", message: "webhook with this name already exists." }],
  prepare: prepareWebhooks,
});

export type Webhook = Out<typeof webhooks>;
