/** The context of a request: the actor and the dependencies that every operation takes in addition to its input. */

import type { Clock, Millis } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import type { FieldMap } from "../filters/mod.ts";
import type { AllowedHosts, Send } from "../http/mod.ts";
import type { Probe } from "../probe/mod.ts";
import type { SignInSettings } from "./sign_in_settings.ts";
import type { Anchor } from "../x509/chain/mod.ts";

/** A stored object permission that applies to an actor. */
export interface Grant {
  readonly objectTypes: readonly string[];
  /** `view`, `add`, `change`, `delete`, `import`, `renew`, `bulk_operations`, `manage_compliance`. */
  readonly actions: readonly string[];
  /** null, an object (AND) or a list of objects (OR); validated when it was saved. */
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
  /** The token that the request presented, if any. */
  readonly tokenId?: number;
  /** Limits of that token. Tokens that it creates or changes may not exceed them. */
  readonly tokenLimits?: TokenLimits;
}

/** Limits of a token in addition to the permissions of its user. */
export interface TokenLimits {
  /** null: never expires. */
  readonly expires: Millis | null;
  /** Addresses and networks; empty: any. */
  readonly allowedIps: readonly string[];
}

/** The service itself: first start, scheduled jobs, commands that open the database. */
export const SERVICE_ACTOR: Actor = {
  userId: null,
  username: "system",
  isSuperuser: true,
  mayWrite: true,
  grants: [],
};

/** The settings that operations depend on. */
export interface Settings {
  readonly defaultPageSize: number;
  readonly maxPageSize: number;
  readonly bulkImportMaxBatchSize: number;
  /** Maximum rows of a table on the bulk import page. */
  readonly importMaxRows: number;
  /** Maximum size of a document on the bulk import page, in bytes. */
  readonly importFileMaxBytes: number;
  readonly maxExportSize: number;
  /** Maximum number of API tokens, and of calendar feeds, per user. */
  readonly maxTokensPerUser: number;
  readonly maxFeedsPerUser: number;
  /** Days after which entries of the change log are deleted; 0: never. */
  readonly changelogRetentionDays: number;
  /** Days to expiry up to which a certificate is `critical`, and `warning`. */
  readonly criticalDays: number;
  readonly warningDays: number;
  /** Thresholds (`30d`, `33%`) at which expiries are announced where neither certificate nor tenant has its own. */
  readonly expiryNotices: readonly string[];
  /** Whether a chain whose topmost certificate has an unknown issuer is `incomplete` instead of `valid`. */
  readonly chainRequireRoot: boolean;
  /** Returns the trusted public roots, none where they are disabled. A function, because parsing them takes time. */
  readonly publicRoots: () => readonly Anchor[] | Promise<readonly Anchor[]>;
  /** Hosts that webhooks may send to although they are not public. */
  readonly allowedTargets: AllowedHosts;
  readonly probing: ProbingSettings;
  /** How people may sign in. */
  readonly signIn: SignInSettings;
}

/** The settings of endpoints. */
export interface ProbingSettings {
  /** Networks that may be probed although they are not public, and the only ones that may be scanned. */
  readonly allowedNetworks: readonly string[];
  /** Endpoints that a process probes at the same time. */
  readonly concurrency: number;
  /** Whether a served certificate that is unknown is created as active, as pending, or not at all. */
  readonly discover: "create" | "pending" | "off";
  /** Days after which observations that were replaced by newer ones are deleted; 0: never. */
  readonly retentionDays: number;
}

/** What an operation needs to run. */
export interface Context {
  readonly actor: Actor;
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: Logger;
  /** Correlates the change records and log lines of one request. */
  readonly requestId: string;
  /** Origin of absolute URLs, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the field map of an object type. Throws for an unknown one. */
  readonly mapOf: (objectType: string) => FieldMap;
  /** Asks servers for their certificates; absent where the platform has no sockets (the edge). */
  readonly probe?: Probe;
  /** Sends requests to OpenID Connect providers; absent for jobs and commands. */
  readonly send?: Send;
  /** The client of the request, for the audit log; absent for jobs and commands. */
  readonly client?: { readonly address: string | null; readonly userAgent: string };
}
