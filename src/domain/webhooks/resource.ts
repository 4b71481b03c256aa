/** Webhooks: who is told of changes, of which, and where. The secrets that he is told with are never read back. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { webhooks as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  datetime,
  defineResource,
  derived,
  type Field,
  id,
  integer,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { tagsField } from "../inventory/mod.ts";
import { WEBHOOK_EVENTS, WEBHOOK_OBJECT_TYPES } from "./events.ts";
import { choicesField, conditionsField, headersField, secretField } from "./fields.ts";
import { prepareWebhooks } from "./prepare.ts";

const OBJECT_TYPE = "extras.webhook";
const BREAKER_STATES = ["closed", "open"] as const;

/**
 * `extras.webhook`. Who may write one can have every event sent to him, whatever objects he may view: it is a right
 * for administrators.
 */
export const webhooks: Resource = defineResource({
  objectType: OBJECT_TYPE,
  path: "extras/webhooks",
  label: "webhook",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 150 }),
    choicesField("object_types", "Types of objects whose events are sent.", WEBHOOK_OBJECT_TYPES),
    choicesField("events", "Events that are sent.", WEBHOOK_EVENTS),
    text("payload_url", {
      description:
        "Where messages are sent: http or https, to a public host or one that the operator allows.",
      required: true,
      max: 2_000,
    }),
    {
      ...choice("http_method", { description: "How they are sent.", choices: ["POST"] }),
      fallback: "POST",
    },
    boolean("enabled", { description: "Whether anything is sent.", fallback: true }),
    secretField(),
    headersField(),
    conditionsField(),
    ...stateFields(),
    tagsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "enabled"],
  searchFields: ["name", "payload_url"],
  order: [{ field: "name", descending: false }],
  unique: [{ columns: ["name"], field: "name", message: "webhook with this name already exists." }],
  prepare: prepareWebhooks,
});

/** How it goes; kept by the deliveries. What a receiver does is no change of the webhook: it is not recorded. */
function stateFields(): Field[] {
  return [
    text("disabled_reason", {
      description: "Why the service switched it off; empty when it did not.",
      readOnly: true,
    }),
    unrecorded(integer("failure_count", { description: "Attempts that failed in a row.", readOnly: true })),
    derived("breaker", {
      description:
        "Whether messages are sent as they come (`closed`), or, after many failures in a row, one at a time (`open`).",
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
      description: "When an open one is tried next; null while it is closed.",
      readOnly: true,
      nullable: true,
    })),
  ];
}

function unrecorded(field: Field): Field {
  const { record: _, ...rest } = field;
  return rest;
}
