/** Validates channels by their kind. */

import { count } from "drizzle-orm";
import { addError } from "../../base/errors.ts";
import { type RowOf, select } from "../../db/mod.ts";
import { notification_channels } from "../../db/schema/mod.ts";
import { type AllowedHosts, checkTarget } from "../../http/mod.ts";
import { fieldErrors, parseBody } from "../../operation/mod.ts";
import { type Draft, effectiveJson, refuse, type Values, type WriteStep } from "../../resource/mod.ts";
import { MAX_CHANNELS } from "./limits.ts";
import {
  channelKind,
  type ChannelKindName,
  type ChannelSettings,
  channelUrl,
  concealedUrl,
} from "./channel_kinds.ts";

type ChannelRow = RowOf<typeof notification_channels> & { readonly kind: ChannelKindName };
type ChannelInput = Values & { kind?: ChannelKindName; settings?: ChannelSettings; secret?: string };
type ChannelDraft = Draft<ChannelRow, ChannelInput>;

/** Validates the drafts. One statement if a channel is created. */
export async function prepareChannels(
  { ctx, tx, drafts }: WriteStep<ChannelRow, ChannelInput>,
): Promise<void> {
  for (const draft of drafts) {
    if (draft.errors.kind !== undefined || draft.errors.settings !== undefined) continue;
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
    refuse(draft, "__all__", `At most ${MAX_CHANNELS} channels are allowed. Delete one first.`);
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
    for (const [name, messages] of Object.entries(fieldErrors(parsed.findings))) {
      for (const message of messages) addError(errors, "settings", `${name}: ${message}`);
    }
    return;
  }
  if (!isConcealed && (isOriginOnly(given.url) || keepsSecretUrl(draft))) {
    refuse(
      draft,
      "settings",
      "url: Enter the whole URL. It is a secret, and is kept only with its kind and origin.",
    );
    return;
  }
  const url = channelUrl(kind, given);
  const fault = url === undefined ? undefined : checkTarget(url, allowed);
  if (fault !== undefined) refuse(draft, "settings", `url: ${fault}`);
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
    refuse(draft, "secret", `Channels of the kind ${kind} have no secret.`);
    return;
  }
  if (given) return;
  const moved = before === undefined || before.kind !== kind ||
    originOf(draft, kind) !== storedOrigin(draft, kind);
  if (!moved) return;
  if (secret?.required) refuse(draft, "secret", `Expected ${secret.meaning}.`);
  else if (before?.has_secret === 1) {
    if (secret !== undefined) {
      refuse(
        draft,
        "secret",
        "The stored secret is not sent to another origin. Enter it again with the new URL.",
      );
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
