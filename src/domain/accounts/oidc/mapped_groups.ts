/** Maps a user's groups at a provider to groups and rights here. */

import type { OidcProvider } from "../../../auth/mod.ts";

/** Maximum number of values of the groups claim that are read. */
const MAX_CLAIM_VALUES = 1_000;

/** The rights that follow from the claims. */
export interface MappedGroups {
  /** Names of groups here. */
  readonly groups: readonly string[];
  readonly isSuperuser: boolean;
  /** Whether the user may sign in at all. */
  readonly hasAccess: boolean;
}

/** Maps the claim with the groups, which is a list or a text. */
export function mapGroups(provider: OidcProvider, claims: Readonly<Record<string, unknown>>): MappedGroups {
  const claim = claims[provider.groupsClaim];
  const values = Array.isArray(claim) ? claim.slice(0, MAX_CLAIM_VALUES) : [claim];
  const claimed = new Set(values.filter((value) => typeof value === "string"));
  const groups = provider.groups.filter(([name]) => claimed.has(name)).map(([, group]) => group);
  const isSuperuser = provider.superuserGroups.some((name) => claimed.has(name));
  return { groups, isSuperuser, hasAccess: provider.groups.length === 0 || groups.length > 0 || isSuperuser };
}
