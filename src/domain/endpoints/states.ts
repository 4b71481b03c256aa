/** The protocols and states of endpoints. */

/** TLS from the beginning, or after the protocol's STARTTLS. */
export const PROTOCOLS = [
  "tls",
  "smtp",
  "imap",
  "pop3",
  "ldap",
  "postgres",
  "mysql",
  "xmpp",
  "xmpp-server",
  "ftp",
] as const;
export type Protocol = typeof PROTOCOLS[number];

/** What a probe can find, worst first. An endpoint's `state` is the first that applies. */
export const FOUND_STATES = [
  "unreachable",
  "tls_error",
  "expired",
  "not_yet_valid",
  "name_mismatch",
  "untrusted",
  "incomplete_chain",
  "wrong_certificate",
  "superseded",
  "expiring",
  "ok",
] as const;
export type FoundState = typeof FOUND_STATES[number];

/** Whether a server has proven that it has the key of the certificate that it presents. */
export const POSSESSIONS = ["proven", "unproven"] as const;
export type Possession = typeof POSSESSIONS[number];

/** States of an endpoint; `pending` means not probed yet. */
export const ENDPOINT_STATES = ["pending", ...FOUND_STATES] as const;
export type EndpointState = typeof ENDPOINT_STATES[number];

/** States in which the last probe may have read no certificate: the one that is stored may be from an earlier probe. */
export const WITHOUT_CERTIFICATE: ReadonlySet<unknown> = new Set<FoundState>(["unreachable", "tls_error"]);

/** States in which what follows from a served certificate is done: it is assigned, and counts as deployed. */
export const RIGHT_STATES: ReadonlySet<unknown> = new Set<FoundState>(["ok", "expiring"]);

/** Returns the rank of a state in lists with the worst first; `pending` comes last. */
export function severityOf(state: EndpointState): number {
  return state === "pending" ? FOUND_STATES.length : FOUND_STATES.indexOf(state);
}

/** The beginning of the message of an endpoint whose certificate has expired itself, not one of its chain. */
export const EXPIRED_ON = "The certificate expired on";

/** The beginning of the message of an endpoint whose certificate expires soon. */
export const EXPIRES_ON = "The certificate expires on";

/** The beginning of the message of an untrusted endpoint that serves a self-signed certificate. */
export const SELF_SIGNED = "The certificate is self-signed";

/** The beginning of the message of an untrusted endpoint whose chain ends in an unknown root. */
export const UNKNOWN_ROOT = "The chain ends in";

/** The beginning of the message of an endpoint whose chain ends below an unknown issuer that is not sent. */
export const UNKNOWN_ISSUER = "The chain ends below";

/** The beginning of the message of an endpoint whose agent stopped reporting. */
export const SILENT_AGENT = "The agent has not reported since";

/** Returns the message of an endpoint that still serves a certificate that was replaced. */
export function supersededMessage(commonName: string): string {
  return `The server still serves a certificate for ${commonName} that was replaced.`;
}
