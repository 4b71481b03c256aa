/** What a token with limits cannot make, because the limits would not apply to it. */

import { AppError } from "../base/errors.ts";
import type { Context } from "./context.ts";

/**
 * Object types that give access or send data as long as an object exists, from any address. Tokens do as well,
 * but they have limits themselves, which are inherited.
 */
const UNLIMITED_TYPES: ReadonlySet<string> = new Set([
  "users.user",
  "users.group",
  "users.objectpermission",
  "certmgr.calendarfeed",
  "certmgr.subscription",
  "certmgr.notificationchannel",
  "extras.webhook",
]);

/**
 * Refuses a token that expires or has `allowed_ips`, and an access token of a provider, to create or change what
 * would outlast it or be reached from elsewhere. Errors: forbidden.
 */
export function refuseLimitedToken({ actor }: Context, action: string, objectType: string): void {
  if (action === "view" || action === "delete" || !UNLIMITED_TYPES.has(objectType)) return;
  const { expires, allowedIps } = actor.tokenLimits ?? { expires: null, allowedIps: [] };
  if (expires === null && allowedIps.length === 0) return;
  throw new AppError(
    "forbidden",
    `A token that expires or has allowed_ips may not create or change ${objectType}, to which these limits would ` +
      "not apply. Use a token without limits, or the pages.",
  );
}
