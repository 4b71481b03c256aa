/**
 * dNSName: a name is within a constraint if it is the constraint with zero or more labels added on the left.
 */

import type { NameForm } from "./form.ts";
import { type Domain, domainOf, isBelow, isHostPattern } from "./syntax.ts";

/** A lower-case name. */
interface DnsName {
  readonly text: string;
  /** If the first label contains a wildcard, the part after that label with its leading period, or empty. */
  readonly afterWildcard?: string;
}

/** A constraint with a leading period requires at least one more label. An empty one matches all names. */
export const dnsForm: NameForm<DnsName, Domain> = {
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
