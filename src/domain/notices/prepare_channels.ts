/** Validates channels by their kind. */

import { count } from "drizzle-orm";
import { addError } from "../../base/errors.ts";
import { select } from "../../db/mod.ts";
import { notification_channels } from "../../db/schema/mod.ts";
import { type AllowedHosts, checkTarget } from "../../http/mod.ts";
import { fieldErrors, parseBody } from "../../operation/mod.ts";
import { type Draft, effectiveJson, refuse, type WriteStep } from "../../resource/mod.ts";
import { MAX_CHANNELS } from "./limits.ts";
import {
  channelKind,
  type ChannelKindName,
  type ChannelSettings,
  channelUrl,
  concealedUrl,
} from "./channel_kinds.ts";

/** Validates the drafts. One statement if a channel is created. */
export async function prepareChannels({ ctx, tx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) {
    if (draft.errors.kind !== undefined || draft.errors.settings !== undefined) continue;
    // The field `kind` reports that it is missing.
    if (kindOf(draft) === undefined) continue;
    validateSettings(draft, ctx.settings.allowedTargets);
    keepSecret(draft);
  }
  const created = drafts.filter(({ before }) => before === undefined);
  if (created.length === 0) return;
  const [row] = await tx.all(select({ n: count() }).from(notification_channels));
  for (const draft of created.slice(Math.max(MAX_CHANNELS - (row?.n ?? 0), 0))) {
    refuse(draft, "__all__", `At most ${MAX_CHANNELS} channels are allowed. Delete one first.`);
  }
}

function kindOf({ input, before }: Draft): ChannelKindName | undefined {
  return (input.kind ?? before?.kind) as ChannelKindName | undefined;
}

function storedSettings({ before }: Draft): ChannelSettings {
  return before === undefined ? {} : JSON.parse(String(before.settings));
}

function validateSettings(draft: Draft, allowed: AllowedHosts): void {
  const { input, before, errors } = draft;
  if (!("settings" in input) && !("kind" in input)) return;
  const kind = kindOf(draft) as ChannelKindName;
  const given = { ...effectiveJson(draft, "settings") as ChannelSettings };
  const stored = storedSettings(draft);
  const isConcealed = given.url !== undefined && stored.url !== undefined && before?.kind === kind &&
    given.url === concealedUrl(stored.url);
  if (isConcealed) given.url = stored.url as string;
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
function keepsSecretUrl({ input, before }: Draft): boolean {
  return before !== undefined && input.kind !== undefined && input.kind !== before.kind &&
    !("settings" in input) &&
    channelKind(before.kind as ChannelKindName).secretUrl === true;
}

/**
 * Binds a stored secret to its kind and origin. A user who may change a channel cannot read the secret, and
 * must not be able to have it sent to another server.
 */
function keepSecret(draft: Draft): void {
  const { input, before } = draft;
  const kind = kindOf(draft) as ChannelKindName;
  const { secret } = channelKind(kind);
  if (input.secret === "" && before !== undefined) delete input.secret;
  const given = typeof input.secret === "string" && input.secret !== "";
  if (given && secret === undefined) {
    refuse(draft, "secret", `Channels of the kind ${kind} have no secret.`);
    return;
  }
  if (given) return;
  const moved = before === undefined || before.kind !== kind || originOf(draft, kind) !== storedOrigin(draft);
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

function originOf(draft: Draft, kind: ChannelKindName): string | undefined {
  const url = channelUrl(kind, effectiveJson(draft, "settings") as ChannelSettings ?? {});
  return url === undefined ? undefined : URL.parse(url)?.origin;
}

function storedOrigin(draft: Draft): string | undefined {
  const url = channelUrl(draft.before?.kind as ChannelKindName, storedSettings(draft));
  return url === undefined ? undefined : URL.parse(url)?.origin;
}
