/** Who asks, and with what: the one argument that every verb takes beside its input. */

import type { Clock, Millis } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import type { FieldMap } from "../filters/mod.ts";
import type { AllowedHosts } from "../http/mod.ts";
import type { Anchor } from "../x509/chain/mod.ts";

/** One object permission that applies to an actor, as stored. */
export interface Grant {
  readonly objectTypes: readonly string[];
  /** `view`, `add`, `change`, `delete`, `import`, `renew`, `bulk_operations`, `manage_compliance`. */
  readonly actions: readonly string[];
  /** null, a dictionary (AND) or a list of dictionaries (OR); validated when it was saved. */
  readonly constraints: unknown;
}

/** A signed-in user, or the service itself (jobs, command line). */
export interface Actor {
  /** null for the service itself. */
  readonly userId: number | null;
  readonly username: string;
  readonly isSuperuser: boolean;
  /** False for a read-only token. */
  readonly mayWrite: boolean;
  readonly grants: readonly Grant[];
  /** The token that was presented, if one was. */
  readonly tokenId?: number;
  /** What that token is limited to; no token that it creates or changes may reach further. */
  readonly tokenLimits?: TokenLimits;
}

/** Limits of a token beyond the rights of its user. */
export interface TokenLimits {
  /** null: it does not expire. */
  readonly expires: Millis | null;
  /** Addresses and networks; empty: from anywhere. */
  readonly allowedIps: readonly string[];
}

/** The service acting on its own: first start, scheduled jobs, the command line on the database. */
export const SERVICE_ACTOR: Actor = {
  userId: null,
  username: "system",
  isSuperuser: true,
  mayWrite: true,
  grants: [],
};

/** The settings that verbs depend on. */
export interface Settings {
  readonly defaultPageSize: number;
  readonly maxPageSize: number;
  readonly bulkImportMaxBatchSize: number;
  /** Bytes of a document on the page for bulk imports. */
  readonly importFileMaxBytes: number;
  readonly maxExportSize: number;
  /** API tokens, and calendar feeds, that one user may have. */
  readonly maxTokensPerUser: number;
  readonly maxFeedsPerUser: number;
  /** Days after which entries of the change log are deleted; 0: never. */
  readonly changelogRetentionDays: number;
  /** Days to expiry up to which a certificate is `critical`, and `warning`. */
  readonly criticalDays: number;
  readonly warningDays: number;
  /** Thresholds (`30d`, `33%`) at which expiries are announced where neither certificate nor tenant has its own. */
  readonly expiryNotices: readonly string[];
  /** A chain whose top names an issuer that is not there is `incomplete` instead of `valid`. */
  readonly chainRequireRoot: boolean;
  /** The public roots that are trusted; none where they are switched off. Asked for when first needed. */
  readonly publicRoots: () => readonly Anchor[];
  /** Hosts that may be sent to though they are not public. */
  readonly allowedTargets: AllowedHosts;
}

/** What a verb needs to do its work. */
export interface Context {
  readonly actor: Actor;
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: Logger;
  /** Ties the change rows of one request together, and the log line to them. */
  readonly requestId: string;
  /** Origin of absolute URLs, without a trailing slash. */
  readonly baseUrl: string;
  /** The field map of an object type; every resource is in it. */
  readonly mapOf: (objectType: string) => FieldMap;
}
