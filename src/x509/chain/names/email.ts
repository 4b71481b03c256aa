/** rfc822Name: a constraint is one mailbox, all mailboxes of one host, or those of all hosts below a domain. */

import { EMAIL_ADDRESS } from "../../names.ts";
import type { GeneralName } from "../../types.ts";
import type { NameForm } from "./form.ts";
import { type Domain, domainOf, type Mailbox, mailboxOf } from "./syntax.ts";
import { isHostWithin } from "./uri.ts";

/** otherName SmtpUTF8Mailbox (RFC 9598 §3). */
export const SMTP_UTF8_MAILBOX = "1.3.6.1.5.5.7.8.9";

/** A mailbox named in a certificate. */
interface EmailName extends Mailbox {
  /** Whether it is from emailAddress in the subject, which is not case-sensitive (RFC 5280 §4.1.2.6). */
  readonly anyCase: boolean;
}

/** Local parts are compared exactly, hosts ignoring case (RFC 5280 §7.5). */
export const emailForm: NameForm<EmailName, Mailbox | Domain> = {
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
