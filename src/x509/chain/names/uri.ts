/** uniformResourceIdentifier: only the host is compared; a constraint is one host or all hosts below a domain. */

import { latin1 } from "../../strings.ts";
import type { NameForm } from "./form.ts";
import { type Domain, domainOf, isAddressLiteral, isBelow, isHost } from "./syntax.ts";

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/;

/** Hosts in lower case. A URI without a host name cannot be compared and is refused when URIs are constrained. */
export const uriForm: NameForm<string, Domain> = {
  label: "URI",
  readName({ der }): string | undefined {
    const authority = AUTHORITY.exec(latin1(der).toLowerCase())?.[1];
    if (authority === undefined) return undefined;
    const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
    return isHost(host) && !isAddressLiteral(host) ? host : undefined;
  },
  readConstraint: ({ der }) => domainOf(latin1(der)),
  within: isHostWithin,
};

/** For e-mail addresses and URIs: the host itself, or with a leading period all hosts strictly below. */
export function isHostWithin(host: string, domain: Domain): boolean {
  return host === domain.text || (!domain.isHost && isBelow(host, domain));
}
