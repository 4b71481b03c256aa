/** rfc822Name: a constraint is one mailbox, all mailboxes of one host, or those of all hosts below a domain. */

import { decodeUtf8, latin1 } from "../../strings.ts";
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

/** OID that marks a name read from emailAddress in the subject. */
export const EMAIL_ADDRESS = "1.2.840.113549.1.9.1";

/** Local parts are compared exactly, hosts ignoring case (RFC 5280 §7.5). */
export const emailForm: NameForm<EmailName, Mailbox | Domain> = {
  label: "e-mail address",
  readName({ der, oid }: GeneralName): EmailName | undefined {
    const utf8 = oid === SMTP_UTF8_MAILBOX;
    const text = utf8 ? decodeUtf8(der) : latin1(der);
    const mailbox = text === undefined ? undefined : mailboxOf(text, { utf8 });
    return mailbox === undefined ? undefined : { ...mailbox, anyCase: oid === EMAIL_ADDRESS };
  },
  readConstraint({ der }): Mailbox | Domain | undefined {
    const text = latin1(der);
    return text.includes("@") ? mailboxOf(text) : domainOf(text);
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
