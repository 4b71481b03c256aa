/** Reads the claims of a provider, which may have any type. */

import type { OidcProvider } from "../../../auth/mod.ts";

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

export type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns a claim by its name, or a nested one by its path: `realm_access.roles`. Names may contain dots
 * themselves (`https://acme.example/roles`). Undefined if it is missing; null counts as missing (OpenID Connect
 * Core, section 5.3.2).
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path] ?? undefined;
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const found = isClaims(inner) ? claimAt(inner, path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a claim as text: a number such as that of an employee as well; undefined for anything else. */
export function textOfClaim(claim: unknown): string | undefined {
  if (typeof claim === "string") return claim;
  return Number.isSafeInteger(claim) ? String(claim) : undefined;
}

/** Returns the claim `email`, unless the provider says anything but that it is verified. */
export function emailOf({ email, email_verified }: Claims): string | undefined {
  const isVerified = email_verified === undefined || email_verified === true;
  return isVerified && typeof email === "string" ? email : undefined;
}

function isClaims(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
