/** The settings of sign-ins. */

/** Id of the provider that environment variables configure. */
export const ENVIRONMENT_PROVIDER = "oidc";

/** An OpenID Connect provider. */
export interface OidcProvider {
  /** Name in URLs: letters, digits and hyphens. */
  readonly id: string;
  /** Label of the button. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Name of the claim, or its path. */
  readonly groupsClaim: string;
  /** Values of that claim, and the groups to which they are mapped. */
  readonly groups: readonly (readonly [claim: string, group: string])[];
  /** Values of that claim that make a user a superuser. */
  readonly superuserGroups: readonly string[];
  /** Whether the first sign-in creates the user. */
  readonly createUsers: boolean;
  /** Audience of the access tokens that the API accepts; absent for none. */
  readonly apiAudience?: string;
}

/** Which local accounts need a second factor. */
export const SECOND_FACTOR_RULES = ["none", "superusers", "all"] as const;
export type SecondFactorRule = typeof SECOND_FACTOR_RULES[number];

/** Settings of the sign-in. */
export interface SignInSettings {
  readonly providers: readonly OidcProvider[];
  /** Whether usernames and passwords are accepted on the sign-in page. */
  readonly local: boolean;
  /** Header with the username from a trusted proxy, in lower case; absent if there is none. */
  readonly trustedUserHeader?: string;
  /** Which local accounts need a second factor; none if absent. */
  readonly requireSecondFactor?: SecondFactorRule;
}

/** Returns whether a user must add a second factor before anything else. */
export function mustAddSecondFactor(
  { requireSecondFactor = "none" }: SignInSettings,
  { isSuperuser, hasSecondFactor = false }: { isSuperuser: boolean; hasSecondFactor?: boolean },
): boolean {
  return !hasSecondFactor &&
    (requireSecondFactor === "all" || requireSecondFactor === "superusers" && isSuperuser);
}

/** Only usernames and passwords. */
export const LOCAL_ONLY: SignInSettings = { providers: [], local: true };
