/** Notification channels: how people are notified. Their secrets are never returned. */

import { addOnce, concerns, encoded, finding, issue } from "../../base/findings.ts";
import { count, sql } from "drizzle-orm";
import { z } from "zod";
import { type Row, type RowOf, select } from "../../db/mod.ts";
import { notification_channels, notification_channels as table } from "../../db/schema/mod.ts";
import { isDictionary } from "../../filters/mod.ts";
import { type AllowedHosts, checkTarget } from "../../http/mod.ts";
import { parseBody } from "../../operation/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  defineResource,
  documented,
  type Draft,
  effectiveJson,
  type Field,
  json,
  type Out,
  parseNested,
  refuse,
  text,
  unexpected,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import {
  CHANNEL_KIND_NAMES,
  channelKind,
  type ChannelKindName,
  type ChannelSettings,
  channelUrl,
  concealedUrl,
  shownSettings,
} from "./channel_kinds.ts";

/** Maximum number of channels, because each may have its own connections. */
const MAX_CHANNELS = 200;

/** `certmgr.notificationchannel`. */
export const channels = defineResource({
  objectType: "certmgr.notificationchannel",
  path: "plugins/certmgr/notification-channels",
  label: "notification channel",
  written: { knownOnly: true },
  table,
  fields: [
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    choice("kind", { description: "How messages are sent.", choices: CHANNEL_KIND_NAMES }),
    settingsField(),
    secretField(),
    boolean("enabled", { description: "Whether messages are sent.", fallback: true }),
  ].map((field) => field.name === "kind" ? { ...field, required: true } : field),
  brief: ["name", "kind", "enabled"],
  search: { fields: ["name"] },
  unique: ["name"],
  hooks: { prepare: prepareChannels },
});

export type Channel = Out<typeof channels>;

/**
 * Defines the settings, which depend on the kind. Of a secret URL only the origin is shown. Writing this form
 * back keeps the stored URL.
 */
function settingsField(): Field<"settings", ChannelSettings> {
  const checked = z.custom<ChannelSettings>(isDictionary, {
    error: ({ input }) => encoded(unexpected("an object of settings", input)),
  });
  const read = (row: Row): unknown =>
    shownSettings(row.kind as ChannelKindName, parseNested<ChannelSettings>(row.settings) ?? {});
  return {
    ...json("settings", {
      description:
        "Settings by kind. `email`: `from`. `slack`, `teams`, `google_chat`: `url`. `mattermost`: `url`, `channel`. " +
        "`pagerduty`: `url`, `severity`. `opsgenie`: `url`, `priority`. `ntfy`: `url`, `topic`, `priority`. " +
        "`webhook`: `url`. The URLs of chats are returned as `https://hooks.example/…`; writing " +
        "this form back keeps the stored URL.",
      schema: documented(checked, { type: "object" }),
      fallback: {},
    }),
    output: z.record(z.string(), z.string()),
    needs: ["kind"],
    read,
    record: {
      read,
      select: ({ alias }) => [
        ["settings", columnOf(alias, "settings")],
        ["kind", columnOf(alias, "kind")],
        ["has_secret", sql`${columnOf(alias, "secret")} <> ''`],
      ],
      conceals: true,
    },
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
      z.string({ error: issue("unexpected", { expected: "text" }) }).max(500, issue("too_long", { max: 500 }))
        .regex(/^[\x21-\x7e]*$/, "Expected ASCII letters, digits and punctuation, without spaces."),
      { type: "string", maxLength: 500, pattern: "^[!-~]*$" },
    ),
  };
}

type ChannelRow = RowOf<typeof notification_channels> & { readonly kind: ChannelKindName };
type ChannelInput = Values & { kind?: ChannelKindName; settings?: ChannelSettings; secret?: string };
type ChannelDraft = Draft<ChannelRow, ChannelInput>;

/** Validates the drafts. One statement if a channel is created. */
async function prepareChannels(
  { ctx, tx, drafts }: WriteStep<ChannelRow, ChannelInput>,
): Promise<void> {
  for (const draft of drafts) {
    if (concerns(draft.errors, "kind") || concerns(draft.errors, "settings")) continue;
    const kind = draft.input.kind ?? draft.before?.kind;
    // The field `kind` reports that it is missing.
    if (kind === undefined) continue;
    validateSettings(draft, kind, ctx.settings.allowedTargets);
    keepSecret(draft, kind);
  }
  const created = drafts.filter(({ before }) => before === undefined);
  if (created.length === 0) return;
  const [row] = await tx.all(select({ n: count() }).from(notification_channels));
  for (const draft of created.slice(Math.max(MAX_CHANNELS - (row?.n ?? 0), 0))) {
    refuse(draft, "__all__", finding("too_many_channels", { max: MAX_CHANNELS }));
  }
}

function storedSettings({ before }: ChannelDraft): ChannelSettings {
  return before === undefined ? {} : JSON.parse(String(before.settings));
}

function validateSettings(draft: ChannelDraft, kind: ChannelKindName, allowed: AllowedHosts): void {
  const { input, before, errors } = draft;
  if (!("settings" in input) && !("kind" in input)) return;
  const given = { ...effectiveJson(draft, "settings") };
  const stored = storedSettings(draft);
  const isConcealed = given.url !== undefined && stored.url !== undefined && before?.kind === kind &&
    given.url === concealedUrl(stored.url);
  if (isConcealed && stored.url !== undefined) given.url = stored.url;
  const parsed = parseBody(channelKind(kind).settings, given);
  if ("findings" in parsed) {
    for (const one of parsed.findings) addOnce(errors, "settings", one);
    return;
  }
  if (!isConcealed && (isOriginOnly(given.url) || keepsSecretUrl(draft))) {
    refuse(draft, "settings", { ...finding("whole_url"), path: ["url"] });
    return;
  }
  const url = channelUrl(kind, given);
  const fault = url === undefined ? undefined : checkTarget(url, allowed);
  if (fault !== undefined) refuse(draft, "settings", { ...fault, path: ["url"] });
  input.settings = parsed.value;
}

/** Returns whether a URL has the form in which secret URLs are shown. */
function isOriginOnly(url: string | undefined): boolean {
  return url !== undefined && url === concealedUrl(url);
}

/**
 * Returns whether a secret URL would be taken over by another kind. The other kind may show it, and the URL is that of
 * another service.
 */
function keepsSecretUrl({ input, before }: ChannelDraft): boolean {
  return before !== undefined && input.kind !== undefined && input.kind !== before.kind &&
    !("settings" in input) &&
    channelKind(before.kind).secretUrl === true;
}

/**
 * Binds a stored secret to its kind and origin. A user who may change a channel cannot read the secret, and
 * must not be able to have it sent to another server.
 */
function keepSecret(draft: ChannelDraft, kind: ChannelKindName): void {
  const { input, before } = draft;
  const { secret } = channelKind(kind);
  if (input.secret === "" && before !== undefined) delete input.secret;
  const given = typeof input.secret === "string" && input.secret !== "";
  if (given && secret === undefined) {
    refuse(draft, "secret", finding("secret_unused", { kind }));
    return;
  }
  if (given) return;
  const moved = before === undefined || before.kind !== kind ||
    originOf(draft, kind) !== storedOrigin(draft, kind);
  if (!moved) return;
  if (secret?.required) refuse(draft, "secret", finding("unexpected", { expected: secret.meaning }));
  else if (before?.has_secret === 1) {
    if (secret !== undefined) {
      refuse(draft, "secret", finding("secret_bound"));
    } else draft.row.secret = "";
  }
}

function originOf(draft: ChannelDraft, kind: ChannelKindName): string | undefined {
  const url = channelUrl(kind, effectiveJson(draft, "settings") ?? {});
  return url === undefined ? undefined : URL.parse(url)?.origin;
}

function storedOrigin(draft: ChannelDraft, kind: ChannelKindName): string | undefined {
  const url = channelUrl(kind, storedSettings(draft));
  return url === undefined ? undefined : URL.parse(url)?.origin;
}
