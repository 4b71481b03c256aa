/** How people may sign in. */

/** An OpenID Connect provider. */
export interface OidcProvider {
  /** Name in addresses: letters, digits and -. */
  readonly id: string;
  /** Label of the button. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly groupsClaim: string;
  /** Values of that claim and the groups that they map to. */
  readonly groups: readonly (readonly [claim: string, group: string])[];
  /** Values of that claim that make a user a superuser. */
  readonly superuserGroups: readonly string[];
  /** Whether the first sign-in creates the user. */
  readonly createUsers: boolean;
  /** Audience of the access tokens that the API accepts; absent: none. */
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
  /** Header in which a trusted proxy names the user, in lower case; absent: none. */
  readonly trustedUserHeader?: string;
  /** Which local accounts need a second factor; absent: none. */
  readonly requireSecondFactor?: SecondFactorRule;
}

/** Whether a user must add a second factor before anything else. */
export function mustAddSecondFactor(
  { requireSecondFactor = "none" }: SignInSettings,
  { isSuperuser, hasSecondFactor = false }: { isSuperuser: boolean; hasSecondFactor?: boolean },
): boolean {
  return !hasSecondFactor &&
    (requireSecondFactor === "all" || requireSecondFactor === "superusers" && isSuperuser);
}

/** Username and password only. */
export const LOCAL_ONLY: SignInSettings = { providers: [], local: true };
