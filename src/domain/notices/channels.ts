/** Notification channels: how people are notified. Their secrets are never returned. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { notification_channels as table } from "../../db/schema/mod.ts";
import { isDictionary } from "../../filters/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  defineResource,
  documented,
  type Field,
  id,
  json,
  type Out,
  parseNested,
  quote,
  text,
  timestamps,
} from "../../resource/mod.ts";
import {
  CHANNEL_KIND_NAMES,
  type ChannelKindName,
  type ChannelSettings,
  shownSettings,
} from "./channel_kinds.ts";
import { prepareChannels } from "./prepare_channels.ts";
import type { Row } from "../../db/mod.ts";

/** `certmgr.notificationchannel`. */
export const channels = defineResource({
  objectType: "certmgr.notificationchannel",
  path: "plugins/certmgr/notification-channels",
  label: "notification channel",
  refusesUnknown: true,
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    choice("kind", { description: "How messages are sent.", choices: CHANNEL_KIND_NAMES }),
    settingsField(),
    secretField(),
    boolean("enabled", { description: "Whether messages are sent.", fallback: true }),
    ...timestamps(),
  ].map((field) => field.name === "kind" ? { ...field, required: true } : field),
  brief: ["name", "kind", "enabled"],
  searchFields: ["name"],
  order: [{ field: "name", descending: false }],
  unique: [{
    columns: ["name"],
    field: "name",
    message: "notification channel with this name already exists.",
  }],
  prepare: prepareChannels,
});

export type Channel = Out<typeof channels>;

/**
 * Defines the settings, which depend on the kind. Of a secret URL only the origin is shown. Writing this form
 * back keeps the stored URL.
 */
function settingsField(): Field<"settings", ChannelSettings> {
  const checked = z.custom<ChannelSettings>(isDictionary, {
    error: ({ input }) => `Expected an object of settings, not ${quote(input)}.`,
  });
  const read = (row: Row): unknown =>
    shownSettings(row.kind as ChannelKindName, parseNested<ChannelSettings>(row.settings) ?? {});
  return {
    ...json("settings", {
      description:
        "Settings by kind. `email`: `from`. `slack`, `teams`, `google_chat`: `url`. `mattermost`: `url`, `channel`. " +
        "`pagerduty`: `url`, `severity`. `opsgenie`: `url`, `priority`. `ntfy`: `url`, `topic`, `priority`. " +
        "`webhook`: `url`, `template`. The URLs of chats are returned as `https://hooks.example/…`; writing " +
        "this form back keeps the stored URL.",
      schema: documented(checked, { type: "object" }),
      fallback: {},
    }),
    output: z.record(z.string(), z.string()),
    conceals: true,
    needs: ["kind"],
    selectRecord: (
      { alias },
    ) => [["settings", columnOf(alias, "settings")], ["kind", columnOf(alias, "kind")], [
      "has_secret",
      sql`${columnOf(alias, "secret")} <> ''`,
    ]],
    read,
    record: read,
  };
}

function secretField(): Field<"secret", string> {
  return {
    ...text("secret", {
      description:
        "Never read back; an empty text keeps the stored one. `pagerduty`: the routing key. `opsgenie`: the API key. " +
        "`ntfy`: an access token. `webhook`: signs messages (Standard Webhooks).",
      writeOnly: true,
      filter: false,
      max: 500,
      pattern: { regex: /^[\x21-\x7e]+$/, expected: "ASCII letters, digits and punctuation, without spaces" },
    }),
    // Messages never quote the value, because it is a secret.
    input: documented(
      z.string({ error: "Expected text." }).max(500, "Ensure this field has no more than 500 characters.")
        .regex(/^[\x21-\x7e]*$/, "Expected ASCII letters, digits and punctuation, without spaces."),
      { type: "string", maxLength: 500, pattern: "^[!-~]*$" },
    ),
  };
}
