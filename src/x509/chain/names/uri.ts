/**
 * uniformResourceIdentifier: only hosts are compared. A constraint is one host, or all hosts below a domain.
 */

import type { NameForm } from "./form.ts";
import { type Domain, domainOf, isAddressLiteral, isBelow, isHost } from "./syntax.ts";

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
export const uriForm: NameForm<string, Domain> = {
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
