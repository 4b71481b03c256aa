/** rfc822Name: a constraint is one mailbox, all mailboxes of one host, or those of all hosts below a domain. */

import { latin1 } from "../../strings.ts";
import type { NameForm } from "./form.ts";
import { isBelow, isHost, type Mailbox, mailboxOf } from "./syntax.ts";

/** A mailbox; or a host; or a domain with its leading period; or everything (the empty text). */
type EmailConstraint = Mailbox | string;

/** Local parts are compared exactly, hosts without regard to case (RFC 5280 §7.5). */
export const emailForm: NameForm<Mailbox, EmailConstraint> = {
  label: "e-mail address",
  readName: ({ der }) => mailboxOf(latin1(der)),
  readConstraint({ der }): EmailConstraint | undefined {
    const text = latin1(der);
    if (text.includes("@")) return mailboxOf(text);
    const host = text.toLowerCase();
    return host === "" || isHost(host.startsWith(".") ? host.slice(1) : host) ? host : undefined;
  },
  within(name, constraint): boolean {
    if (typeof constraint !== "string") {
      return name.local === constraint.local && name.host === constraint.host;
    }
    if (constraint === "" || name.host === constraint) return true;
    return constraint.startsWith(".") && isBelow(name.host, constraint);
  },
};
