/** Maps a user's groups at a provider to groups and rights here. */

import type { OidcProvider } from "../../../auth/mod.ts";
import { claimAt, type Claims, textOfClaim } from "./claims.ts";

/** Maximum number of values of the groups claim. */
const MAX_CLAIM_VALUES = 10_000;

/** The rights that follow from the claims. */
export interface MappedGroups {
  /** Names of groups here. */
  readonly groups: readonly string[];
  readonly isSuperuser: boolean;
  /** Whether the user may sign in at all. */
  readonly hasAccess: boolean;
}

/** Returns whether anything depends on the groups of a provider's users. */
export function usesGroups({ groups, superuserGroups }: OidcProvider): boolean {
  return groups.length > 0 || superuserGroups.length > 0;
}

/**
 * Maps the claim with the groups, which is a list or a single text. Returns undefined if the claim does not tell
 * them: it is missing, as when a user has too many groups, or not readable as a whole. That is not a user without groups.
 */
export function mapGroups(provider: OidcProvider, claims: Claims): MappedGroups | undefined {
  const claim = claimAt(claims, provider.groupsClaim);
  if (claim === undefined || claim === "") return undefined;
  const values = (Array.isArray(claim) ? claim : [claim]).map(textOfClaim);
  if (values.length > MAX_CLAIM_VALUES || values.includes(undefined)) return undefined;
  const claimed = new Set(values);
  const groups = provider.groups.filter(([name]) => claimed.has(name)).map(([, group]) => group);
  const isSuperuser = provider.superuserGroups.some((name) => claimed.has(name));
  return { groups, isSuperuser, hasAccess: provider.groups.length === 0 || groups.length > 0 || isSuperuser };
}
