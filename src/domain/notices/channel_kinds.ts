/** The kinds of channels and their settings. */

import { issue } from "../../base/findings.ts";
import { z } from "zod";
import { objectBody } from "../../operation/mod.ts";
import { expectedError, textSchema } from "../../resource/mod.ts";
import { isMailAddress } from "../../base/mail_address.ts";

/** Maximum length of a URL, in characters. */
const MAX_URL_CHARS = 2_000;

/** The settings of a channel, as they are stored. */
export type ChannelSettings = Readonly<Record<string, string | undefined>>;

interface ChannelKind {
  readonly settings: z.ZodType<ChannelSettings>;
  /** Where messages are sent if the settings have no `url`. */
  readonly url?: string;
  /** Whether the URL itself is a secret: anyone who has it can post. */
  readonly secretUrl?: true;
  /** The meaning of `secret`; absent if the kind has none. */
  readonly secret?: { readonly meaning: string; readonly required: boolean };
}

const url = textSchema({ max: MAX_URL_CHARS, blank: false });
const hook = url.meta({
  description: "Address of the incoming webhook. It is a secret, and is not shown again.",
});
const service = url.meta({ description: "Address of the service; empty: the public one." });
const short = textSchema({ max: 200, blank: false });
const address = short.refine(isMailAddress, { error: issue("unexpected", { expected: "an e-mail address" }) })
  .meta({ description: "Sender; empty: the service's." });

function word<const Words extends readonly [string, ...string[]]>(words: Words): z.ZodType<Words[number]> {
  return z.enum(words, expectedError(`one of ${words.join(", ")}`));
}

const POSTED: ChannelKind = { settings: objectBody({ url: hook }), secretUrl: true };

/** All kinds by name. */
const CHANNEL_KINDS = {
  email: { settings: objectBody({ from: address.optional() }) },
  slack: POSTED,
  teams: POSTED,
  mattermost: {
    settings: objectBody({
      url: hook,
      channel: short.meta({ description: "Channel; empty: that of the incoming webhook." }).optional(),
    }),
    secretUrl: true,
  },
  google_chat: POSTED,
  pagerduty: {
    settings: objectBody({
      url: service.optional(),
      severity: word(["critical", "error", "warning", "info"]).optional(),
    }),
    url: "https://events.pagerduty.com/v2/enqueue",
    secret: { meaning: "the routing key of the integration", required: true },
  },
  opsgenie: {
    settings: objectBody({
      url: service.optional(),
      priority: word(["P1", "P2", "P3", "P4", "P5"]).optional(),
    }),
    url: "https://api.opsgenie.com/v2/alerts",
    secret: { meaning: "the API key of the integration", required: true },
  },
  ntfy: {
    settings: objectBody({
      url: service.optional(),
      topic: short.refine((given) => /^[A-Za-z0-9_-]{1,64}$/.test(given), {
        error: issue("unexpected", { expected: "1 to 64 letters, digits, _ and -" }),
      }).meta({ description: "1 to 64 letters, digits, _ and -." }),
      priority: word(["1", "2", "3", "4", "5"]).optional(),
    }),
    url: "https://ntfy.sh/",
    secret: { meaning: "the access token", required: false },
  },
  webhook: {
    settings: objectBody({ url }),
    secret: { meaning: "the secret that signs messages (Standard Webhooks)", required: false },
  },
} as const satisfies Record<string, ChannelKind>;

export type ChannelKindName = keyof typeof CHANNEL_KINDS;

export const CHANNEL_KIND_NAMES = Object.keys(CHANNEL_KINDS) as readonly ChannelKindName[];

/** Returns a kind by its name. */
export function channelKind(name: ChannelKindName): ChannelKind {
  return CHANNEL_KINDS[name];
}

/** Returns where a channel's messages are sent; undefined for e-mail. */
export function channelUrl(name: ChannelKindName, settings: ChannelSettings): string | undefined {
  return settings.url ?? channelKind(name).url;
}

/** Returns a secret URL as it is shown: only its origin. */
export function concealedUrl(given: string): string {
  return `${URL.parse(given)?.origin ?? ""}/…`;
}

/** Returns settings as they are shown, without secrets. */
export function shownSettings(name: ChannelKindName, settings: ChannelSettings): ChannelSettings {
  if (channelKind(name).secretUrl === undefined || settings.url === undefined) return settings;
  return { ...settings, url: concealedUrl(settings.url) };
}
