/** uniformResourceIdentifier: only the host counts; a constraint is one host or all hosts below a domain. */

import { latin1 } from "../../strings.ts";
import type { NameForm } from "./form.ts";
import { isAddressLiteral, isBelow, isHost } from "./syntax.ts";

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/;

/** Hosts in lower case. A URI without a host name in it cannot be judged and is refused where URIs are constrained. */
export const uriForm: NameForm<string, string> = {
  label: "URI",
  readName({ der }): string | undefined {
    const authority = AUTHORITY.exec(latin1(der).toLowerCase())?.[1];
    if (authority === undefined) return undefined;
    const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
    return isHost(host) && !isAddressLiteral(host) ? host : undefined;
  },
  readConstraint({ der }): string | undefined {
    const text = latin1(der).toLowerCase();
    return text === "" || isHost(text.startsWith(".") ? text.slice(1) : text) ? text : undefined;
  },
  within(name, constraint): boolean {
    if (constraint === "" || name === constraint) return true;
    return constraint.startsWith(".") && isBelow(name, constraint);
  },
};
