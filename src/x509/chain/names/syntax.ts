/** Syntax of host names and mailboxes, strict because security decisions depend on it. */

/** Maximum length of a host name (RFC 1035 §2.3.4). */
const MAX_HOST_CHARS = 253;
/** Labels of letters, digits, hyphens and (they occur in practice) underscores; none is empty. */
const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
const PATTERN = /^[a-z0-9_*-]+(?:\.[a-z0-9_-]+)*$/;
const ADDRESS_LITERAL = /^\[[0-9a-f:.]+\]$|^\d+\.\d+\.\d+\.\d+$/;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/i;
const QUOTED_LOCAL_PART = /^"(?:[^"\\]|\\.)*"$/;
/** Characters of an unquoted local part, including those of RFC 6531 §3.3. */
const UTF8_LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.\u0080-\u{10ffff}-]+$/iu;

/** Returns whether the text is a lower-case host name without wildcards. */
export function isHost(text: string): boolean {
  return text.length <= MAX_HOST_CHARS && HOST.test(text);
}

/** Returns whether the text is a lower-case host name whose first label may contain a wildcard. */
export function isHostPattern(text: string): boolean {
  return text.length <= MAX_HOST_CHARS && PATTERN.test(text);
}

/** Returns whether the text is an IP address in place of a host name. */
export function isAddressLiteral(text: string): boolean {
  return ADDRESS_LITERAL.test(text);
}

/** A mailbox (RFC 5321 §4.1.2). */
export interface Mailbox {
  /** Without quotes and escapes: `"a\b"@x` is the mailbox `ab@x` (RFC 5321 §4.1.2). */
  readonly local: string;
  /** Lower case. */
  readonly host: string;
}

/** Parses a mailbox; undefined if the text is not one. */
export function mailboxOf(text: string, { utf8 = false } = {}): Mailbox | undefined {
  const at = text.lastIndexOf("@");
  if (at < 1) return undefined;
  const local = text.slice(0, at);
  const host = text.slice(at + 1).toLowerCase();
  if (!isHost(host) && !isAddressLiteral(host)) return undefined;
  if ((utf8 ? UTF8_LOCAL_PART : LOCAL_PART).test(local)) return { local, host };
  if (!QUOTED_LOCAL_PART.test(local)) return undefined;
  return { local: local.slice(1, -1).replace(/\\(.)/g, "$1"), host };
}

/** A constraint on host names. */
export interface Domain {
  /** Lower case, as written. */
  readonly text: string;
  /** With a leading period, even if it is written without one; empty if it matches all hosts. */
  readonly dotted: string;
  /** Whether it is a single host: not empty, without a leading period. */
  readonly isHost: boolean;
}

/**
 * Parses a constraint on host names: a host, a domain with a leading period, or nothing for all hosts.
 * Returns undefined for anything else. A trailing period is malformed, as in Go and webpki; OpenSSL compares
 * it as text, which no host matches. A single period is malformed, too, because Go takes it as all hosts and
 * OpenSSL as none, so that neither reading is safe.
 */
export function domainOf(constraint: string): Domain | undefined {
  const text = constraint.toLowerCase();
  if (text === "") return { text, dotted: "", isHost: false };
  if (text.startsWith(".")) return isHost(text.slice(1)) ? { text, dotted: text, isHost: false } : undefined;
  return isHost(text) ? { text, dotted: `.${text}`, isHost: true } : undefined;
}

/** Returns whether a host has at least one more label than the domain. */
export function isBelow(host: string, { dotted }: Domain): boolean {
  return host.length > dotted.length && host.endsWith(dotted);
}
