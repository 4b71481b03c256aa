/** Subscriptions: who is notified of what, how and when. */

import { encoded, finding, issue } from "../../base/findings.ts";
import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import {
  EXPECTED_THRESHOLD,
  listFault,
  parseThreshold,
  THRESHOLD_PATTERN,
} from "../../base/expiry_threshold.ts";
import { MAX_EXPIRY_NOTICES, MAX_NOTICE_DAYS } from "../../base/limits.ts";
import { subscriptions as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  choicesField,
  defineResource,
  documented,
  elementFilter,
  expectedError,
  type Field,
  integer,
  json,
  type Out,
  reference,
  type Resource,
  text,
  unexpected,
} from "../../resource/mod.ts";
import { users } from "../accounts/users/resource.ts";
import { certificateFilterField } from "../certificates/calendar/resource.ts";
import { isMailAddress } from "../../base/mail_address.ts";
import { channels } from "./channels.ts";
import { NOTICE_EVENT_NAMES, NOTICE_EVENTS } from "./event_names.ts";
import { MAX_RECIPIENTS, prepareSubscriptions } from "./prepare_subscriptions.ts";
import { MODES } from "./load_subscriptions.ts";
import { isTimeZone } from "../../base/time_zones.ts";

/** The recipient that stands for the owners of the certificates in a message. */
export const OWNER = "owner";
const DEFAULT_THRESHOLDS = ["30d", "14d", "7d", "1d"];

/** `certmgr.subscription`. */
export const subscriptions = defineResource({
  objectType: "certmgr.subscription",
  path: "plugins/certmgr/subscriptions",
  label: "subscription",
  order: [{ field: "id", descending: false }],
  written: { knownOnly: true, oneByOne: true },
  table,
  fields: [
    text("name", { description: "Name; unique for its user.", required: true, max: 100 }),
    reference("user", {
      description:
        "The user whose permissions apply when messages are sent; default: the caller. Only superusers may name another user.",
      target: (): Resource => users,
      keys: ["username"],
      nullable: false,
      onDelete: "cascade",
    }),
    reference("channel", {
      description: "How messages are sent; null: by e-mail to the user's own address.",
      target: (): Resource => channels,
      keys: ["name"],
      onDelete: "cascade",
      requiresView: true,
    }),
    recipientsField(),
    choicesField("events", {
      table,
      description: `Events that are reported: ${eventTexts()}.`,
      choices: NOTICE_EVENT_NAMES,
    }),
    certificateFilterField({
      description:
        "Which certificates it covers: a query string with filters of their list, such as `tenant=acme&tag=web`, without " +
        "regular expressions. Empty: all certificates. Events of other objects are not filtered.",
      fallback: "",
    }),
    thresholdsField(),
    choice("mode", {
      description: "`immediate`: within a minute. `daily` and `weekly` (on Mondays): as one message.",
      choices: MODES,
      fallback: "daily",
    }),
    {
      ...text("at", {
        description: "Time of day at which digests are sent.",
        blank: false,
        pattern: { regex: /^(?:[01]\d|2[0-3]):[0-5]\d$/, expected: "a time such as 08:00" },
      }),
      fallback: "08:00",
    },
    timeZoneField(),
    boolean("enabled", { description: "Whether messages are sent.", fallback: true }),
    reference("escalate_to", {
      description: "Subscription that is notified when nobody acknowledges an expiring certificate.",
      target: (): Resource => subscriptions,
      keys: [],
      onDelete: "clear",
    }),
    integer("escalate_after_days", {
      description: "Days after which `escalate_to` is notified; null: never.",
      min: 1,
      max: MAX_NOTICE_DAYS,
      nullable: true,
    }),
  ],
  brief: ["name", "mode", "enabled"],
  search: { fields: ["name"] },
  unique: [{
    columns: ["user_id", "name"],
    field: "name",
    finding: finding("subscription_exists"),
  }],
  hooks: { prepare: prepareSubscriptions },
});

export type Subscription = Out<typeof subscriptions>;

function eventTexts(): string {
  return Object.entries(NOTICE_EVENTS).map(([name, meaning]) => `\`${name}\` (${meaning})`).join(", ");
}

function recipientsField(): Field<"recipients", string[]> {
  const element = z.string(expectedError("an e-mail address")).max(254)
    .refine((given) => given === OWNER || isMailAddress(given), {
      error: ({ input }) => encoded(unexpected(`an e-mail address or "${OWNER}"`, input)),
    });
  const schema = boundedList(element, { max: MAX_RECIPIENTS, ...expectedError("a list") })
    .transform((given) => [...new Set(given)]);
  const orOwner = z.preprocess((given) => given === OWNER ? [OWNER] : given, schema);
  return {
    ...json("recipients", {
      description:
        `E-mail addresses, or \`"${OWNER}"\`: the owners of the certificates. Empty: the user's own address. Only for ` +
        "channels that send e-mail.",
      schema: documented(orOwner, {
        type: "array",
        maxItems: MAX_RECIPIENTS,
        items: {
          anyOf: [{ type: "string", const: OWNER }, { type: "string", format: "email", maxLength: 254 }],
        },
      }),
      fallback: [],
    }),
    output: z.array(z.string()),
    filters: { recipients: elementFilter(table, "recipients") },
  };
}

function thresholdsField(): Field<"thresholds", string[] | null> {
  const element = z.string(expectedError(`${EXPECTED_THRESHOLD}`))
    .refine((given) => parseThreshold(given) !== undefined, {
      error: ({ input }) => encoded(unexpected(EXPECTED_THRESHOLD, input)),
    });
  const schema = boundedList(element, { max: MAX_EXPIRY_NOTICES, ...expectedError("a list") })
    .superRefine((given, context) => {
      const fault = listFault(given);
      if (fault !== undefined) {
        context.addIssue({ code: "custom", message: issue("unexpected", { expected: fault }) });
      }
    });
  return {
    ...json("thresholds", {
      description: "When an expiry is reported: days before (`30d`) and parts of the lifetime left (`33%`).",
      schema: documented(schema, {
        type: "array",
        maxItems: MAX_EXPIRY_NOTICES,
        uniqueItems: true,
        items: { type: "string", pattern: THRESHOLD_PATTERN },
      }),
      fallback: DEFAULT_THRESHOLDS,
    }),
    output: z.array(z.string()),
  };
}

function timeZoneField(): Field<"time_zone", string> {
  const field = text("time_zone", {
    description: "Time zone of `at`: a name of the IANA database.",
    max: 64,
  });
  const input = (field.input as z.ZodType<string>).refine(isTimeZone, {
    error: ({ input }) => encoded(unexpected("a time zone such as Europe/Berlin or UTC", input)),
  });
  return { ...field, input, fallback: "UTC" };
}
