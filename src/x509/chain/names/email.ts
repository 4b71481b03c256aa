/** rfc822Name: a constraint is one mailbox, all mailboxes of one host, or those of all hosts below a domain. */

import { latin1 } from "../../strings.ts";
import type { NameForm } from "./form.ts";
import { type Domain, domainOf, type Mailbox, mailboxOf } from "./syntax.ts";
import { isHostWithin } from "./uri.ts";

/** Local parts are compared exactly, hosts without regard to case (RFC 5280 §7.5). */
export const emailForm: NameForm<Mailbox, Mailbox | Domain> = {
  label: "e-mail address",
  readName: ({ der }) => mailboxOf(latin1(der)),
  readConstraint({ der }): Mailbox | Domain | undefined {
    const text = latin1(der);
    return text.includes("@") ? mailboxOf(text) : domainOf(text);
  },
  within: (name, constraint) =>
    "local" in constraint
      ? name.local === constraint.local && name.host === constraint.host
      : isHostWithin(name.host, constraint),
};
