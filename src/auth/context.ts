/**
 * The context of a request: the actor and the dependencies that every operation needs in addition to its
 * input; and the settings of sign-ins.
 */

import type { Clock, Millis } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import type { FieldMap } from "../filters/mod.ts";
import type { AllowedHosts, Send } from "../http/mod.ts";
import type { Probe } from "../probe/mod.ts";
import type { Anchor, Distrust } from "../x509/chain/mod.ts";

/** Id of the provider that environment variables configure. */
export const ENVIRONMENT_PROVIDER = "oidc";

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

/** A stored object permission that applies to an actor. */
export interface Grant {
  readonly objectTypes: readonly string[];
  /** `view`, `add`, `change`, `delete`, `import`, `renew`, `bulk_operations`, `manage_compliance`. */
  readonly actions: readonly string[];
  /** null, an object (AND) or a list of objects (OR). Validated when it was saved. */
  readonly constraints: unknown;
}

/** A signed-in user, or the service itself (jobs, command line). */
export interface Actor {
  /** null for the service itself. */
  readonly userId: number | null;
  readonly username: string;
  readonly isSuperuser: boolean;
  /** Whether the account has a second factor (a passkey or an authenticator app). */
  readonly hasSecondFactor?: boolean;
  /** False for a read-only token. */
  readonly mayWrite: boolean;
  readonly grants: readonly Grant[];
  readonly tokenId?: number;
  /** Limits of that token, which tokens that it creates or changes must not exceed. */
  readonly tokenLimits?: TokenLimits;
}

/** Limits of a token in addition to the permissions of its user. */
export interface TokenLimits {
  /** null for a token that never expires. */
  readonly expires: Millis | null;
  /** Addresses and networks; any if empty. */
  readonly allowedIps: readonly string[];
}

/** The service itself: the first start, scheduled jobs, and commands that open the database. */
export const SERVICE_ACTOR: Actor = {
  userId: null,
  username: "system",
  isSuperuser: true,
  mayWrite: true,
  grants: [],
};

/** A rule for publicly trusted certificates, from a date of issue on. */
export interface ValidityRule {
  readonly name: string;
  /** The usage of the certificates to which it applies. */
  readonly applies_to: "server_auth" | "code_signing" | "email_protection";
  /** Organizations of the issuers to which it applies; all if there are none. */
  readonly organizations?: readonly string[] | undefined;
  /** `2027-03-15`. */
  readonly from: string;
  /** null where it is no duration. */
  readonly max_days: number | null;
  readonly effect: string;
  readonly source: string;
}

export interface Settings {
  readonly defaultPageSize: number;
  readonly maxPageSize: number;
  readonly bulkImportMaxBatchSize: number;
  /** Maximum number of rows on the bulk import page. */
  readonly importMaxRows: number;
  /** Maximum size of a document on the bulk import page, in bytes. */
  readonly importFileMaxBytes: number;
  readonly maxExportSize: number;
  /** Maximum number of API tokens, and of calendar feeds, per user. */
  readonly maxTokensPerUser: number;
  readonly maxFeedsPerUser: number;
  /** Days after which entries of the change log are deleted; 0 for never. */
  readonly changelogRetentionDays: number;
  /** Time of the daily evaluation in milliseconds since midnight (UTC); null for never. */
  readonly evaluationTime: Millis | null;
  /** Days before the expiry from which a certificate is `critical`, and `warning`. */
  readonly criticalDays: number;
  readonly warningDays: number;
  /**
   * Thresholds (`30d`, `33%`) of expiry notices for certificates that have none themselves or from their
   * tenant.
   */
  readonly expiryNotices: readonly string[];
  /** Whether a chain is `incomplete` instead of `valid` if the issuer of its last certificate is unknown. */
  readonly chainRequireRoot: boolean;
  /**
   * Returns the trusted public roots, or none if they are disabled. A function, because parsing them takes
   * time.
   */
  readonly publicRoots: () => readonly Anchor[] | Promise<readonly Anchor[]>;
  /** Returns what chain validation does not trust. The same object until the data changes. */
  readonly distrust: () => Distrust | Promise<Distrust>;
  readonly rules: readonly ValidityRule[];
  /** Hosts to which webhooks may send although they are not public. */
  readonly allowedTargets: AllowedHosts;
  /** Whether a mail server is configured. Without one, no e-mail is sent. */
  readonly mailConfigured: boolean;
  readonly probing: ProbingSettings;
  readonly revocation: RevocationSettings;
  /** Whether authorities are asked when certificates should be renewed. */
  readonly renewalInfo: "on" | "off";
  readonly signIn: SignInSettings;
}

export interface ProbingSettings {
  /** Networks that may be probed although they are not public. Only these may be scanned. */
  readonly allowedNetworks: readonly string[];
  /** Maximum number of endpoints that a process probes at the same time. */
  readonly concurrency: number;
  /** Whether an unknown certificate that is served is created as active, as pending, or not at all. */
  readonly discover: "create" | "pending" | "off";
  /** Days after which observations that were replaced by newer ones are deleted; 0 for never. */
  readonly retentionDays: number;
}

export interface RevocationSettings {
  /** Which certificates are checked without a request. */
  readonly mode: "in_use" | "off";
  /** Networks of lists and responders that are not public. */
  readonly allowedNetworks: readonly string[];
}

export interface Context {
  readonly actor: Actor;
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: Logger;
  /** Correlates the change records and log lines of a request. */
  readonly requestId: string;
  /** Origin of absolute URLs, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the field map of an object type. Throws if it is unknown. */
  readonly mapOf: (objectType: string) => FieldMap;
  /** Reads the certificates of servers; absent if the platform has no sockets (the edge). */
  readonly probe?: Probe;
  /** Sends requests to OpenID Connect providers, and to the hosts that certificates name; absent for commands. */
  readonly send?: Send;
  /** The client of the request, for the audit log; absent for jobs and commands. */
  readonly client?: { readonly address: string | null; readonly userAgent: string };
}
