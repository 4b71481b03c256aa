/** Reads the name constraints of a certificate once for all comparisons, each form in its own way (RFC 5280 §4.2.1.10). */

import { Buffer } from "node:buffer";
import { EMAIL_ADDRESS } from "../../names.ts";
import type { DistinguishedName, GeneralName, NameConstraints } from "../../types.ts";
import {
  type Domain,
  domainOf,
  isAddressLiteral,
  isBelow,
  isHost,
  isHostPattern,
  type Mailbox,
  mailboxOf,
} from "./syntax.ts";

/** otherName SmtpUTF8Mailbox (RFC 9598 §3). */
export const SMTP_UTF8_MAILBOX = "1.3.6.1.5.5.7.8.9";

/** A mailbox named in a certificate. */
interface EmailName extends Mailbox {
  /** Whether it is from emailAddress in the subject, which is not case-sensitive (RFC 5280 §4.1.2.6). */
  readonly anyCase: boolean;
}

/** Local parts are compared exactly, hosts ignoring case (RFC 5280 §7.5). */
const emailForm: NameForm<EmailName, Mailbox | Domain> = {
  label: "e-mail address",
  readName({ content, oid }: GeneralName): EmailName | undefined {
    const mailbox = mailboxOf(content, { utf8: oid === SMTP_UTF8_MAILBOX });
    return mailbox === undefined ? undefined : { ...mailbox, anyCase: oid === EMAIL_ADDRESS };
  },
  readConstraint({ content }): Mailbox | Domain | undefined {
    return content.includes("@") ? mailboxOf(content) : domainOf(content);
  },
  within: (name, constraint) =>
    "local" in constraint
      ? isSameLocalPart(name, constraint) && name.host === constraint.host
      : isHostWithin(name.host, constraint),
};

function isSameLocalPart({ local, anyCase }: EmailName, constraint: Mailbox): boolean {
  return local === constraint.local ||
    (anyCase && local.toLowerCase() === constraint.local.toLowerCase());
}

/**
 * Visible ASCII without the characters that RFC 3986 §2 allows nowhere, because parsers disagree about their
 * meaning.
 */
const URI_CHARS = /^[!#-;=?-\[\]_a-z~]+$/;
/** User information and host of an authority (RFC 3986 §3.2). */
const AUTHORITY =
  /^[a-z][a-z0-9+.-]*:\/\/(?:(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*@)?([a-z0-9._-]*)(?::\d*)?(?=[/?#]|$)/;

/**
 * Hosts in lower case. A URI without a host name cannot be compared, and is refused if URIs are constrained.
 */
const uriForm: NameForm<string, Domain> = {
  label: "URI",
  readName({ content }): string | undefined {
    const text = content.toLowerCase();
    const host = URI_CHARS.test(text) ? AUTHORITY.exec(text)?.[1] : undefined;
    return host !== undefined && isHost(host) && !isAddressLiteral(host) ? host : undefined;
  },
  readConstraint: ({ content }) => domainOf(content),
  within: isHostWithin,
};

/**
 * Returns whether a host of an e-mail address or URI is within a constraint: the host itself, or after a
 * leading period all hosts below it.
 */
export function isHostWithin(host: string, domain: Domain): boolean {
  return host === domain.text || (!domain.isHost && isBelow(host, domain));
}

/**
 * One form of name. Names and constraints are parsed once and compared many times. If one cannot be parsed,
 * the result is undefined: such a name is refused if its form is constrained, and such a constraint permits
 * no name.
 */
export interface NameForm<Name, Constraint> {
  /** The form's name in messages. */
  readonly label: string;
  readName(name: GeneralName): Name | undefined;
  readConstraint(base: GeneralName): Constraint | undefined;
  /** Returns whether every host or mailbox that the name can mean is within the subtree. */
  within(name: Name, constraint: Constraint): boolean;
  /**
   * Returns whether some host or mailbox that the name can mean is within the subtree. Defined only for forms
   * for which that differs from `within`.
   */
  mayOverlap?(name: Name, constraint: Constraint): boolean;
}

interface Range {
  readonly address: Uint8Array;
  readonly mask: Uint8Array;
}

/** Addresses in network order: 4 or 16 bytes for a name, twice as many for a constraint. */
const ipForm: NameForm<Uint8Array, Range> = {
  label: "IP address",
  readName: ({ content: { length }, content }) =>
    length === 4 || length === 16 ? Buffer.from(content, "latin1") : undefined,
  readConstraint({ content }): Range | undefined {
    if (content.length !== 8 && content.length !== 32) return undefined;
    const bytes = Buffer.from(content, "latin1");
    return { address: bytes.subarray(0, bytes.length / 2), mask: bytes.subarray(bytes.length / 2) };
  },
  within: (name, { address, mask }) =>
    name.length === address.length &&
    name.every((byte, index) => ((byte ^ address[index]!) & mask[index]!) === 0),
};

/** A lower-case name. */
interface DnsName {
  readonly text: string;
  /** If the first label contains a wildcard, the part after that label with its leading period, or empty. */
  readonly afterWildcard?: string;
}

/** A constraint with a leading period requires at least one more label. An empty one matches all names. */
const dnsForm: NameForm<DnsName, Domain> = {
  label: "DNS name",
  readName({ content }): DnsName | undefined {
    const text = content.toLowerCase();
    if (!isHostPattern(text)) return undefined;
    return text.includes("*") ? { text, afterWildcard: afterFirstLabel(text) } : { text };
  },
  readConstraint: ({ content }) => domainOf(content),
  within: ({ text }, domain) => text === domain.text || isBelow(text, domain),
  mayOverlap(name, domain): boolean {
    return dnsForm.within(name, domain) ||
      (name.afterWildcard !== undefined && isInstance(domain.text, name.afterWildcard));
  },
};

/** Returns whether a host is one label followed by `rest`: a wildcard covers exactly one label. */
function isInstance(host: string, rest: string): boolean {
  return host.length > rest.length && host.endsWith(rest) &&
    !host.slice(0, host.length - rest.length).includes(".");
}

function afterFirstLabel(text: string): string {
  const period = text.indexOf(".");
  return period === -1 ? "" : text.slice(period);
}

/** Names are compared by the keys of their relative distinguished names (RFC 5280 §7.1). */
const directoryForm: NameForm<DistinguishedName, DistinguishedName> = {
  label: "directory name",
  readName: ({ directoryName }) => directoryName,
  readConstraint: ({ directoryName }) => directoryName,
  within: (name, constraint) =>
    constraint.rdnKeys.length <= name.rdnKeys.length &&
    constraint.rdnKeys.every((key, index) => key === name.rdnKeys[index]),
};

type Kind = GeneralName["kind"];
// deno-lint-ignore no-explicit-any -- each entry's own types stay together inside it
type AnyForm = NameForm<any, any>;

/** Name forms that can be compared. Names of other forms are refused if their form is constrained. */
export const NAME_FORMS: ReadonlyMap<Kind, AnyForm> = new Map<Kind, AnyForm>([
  ["dns", dnsForm],
  ["email", emailForm],
  ["uri", uriForm],
  ["ip", ipForm],
  ["directory", directoryForm],
]);

/** Constraints on one name form, ready to compare. */
export interface Subtrees {
  readonly form: AnyForm;
  readonly permitted: unknown[];
  readonly excluded: unknown[];
}

/** All constraints of one certificate. */
export interface Constraints {
  readonly byKind: ReadonlyMap<Kind, Subtrees>;
  /** Forms that are constrained but cannot be compared: the kind, with the type of an otherName. */
  readonly opaque: ReadonlySet<string>;
  /** A constraint that is not a valid name of its form, so that no name is permitted. */
  readonly malformed?: GeneralName;
}

/** Returns the key of a name in {@link Constraints.opaque}. */
export function opaqueKey({ kind, oid }: GeneralName): string {
  return kind === "other" ? `other ${oid ?? ""}` : kind;
}

/** Reads the constraints of a certificate. */
export function readConstraints({ permitted, excluded }: NameConstraints): Constraints {
  const byKind = new Map<Kind, Subtrees>();
  const opaque = new Set<string>();
  for (const list of ["permitted", "excluded"] as const) {
    for (const base of list === "permitted" ? permitted : excluded) {
      const form = NAME_FORMS.get(base.kind);
      if (form === undefined) {
        opaque.add(opaqueKey(base));
        continue;
      }
      const constraint = form.readConstraint(base);
      if (constraint === undefined) return { byKind, opaque, malformed: base };
      const subtrees = byKind.get(base.kind) ?? { form, permitted: [], excluded: [] };
      subtrees[list].push(constraint);
      byKind.set(base.kind, subtrees);
    }
  }
  return { byKind, opaque };
}
