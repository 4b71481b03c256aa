/** Reads the claims of a provider, which may have any type. */

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

export function isClaims(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
