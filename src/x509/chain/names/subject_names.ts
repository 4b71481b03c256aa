/** The names of a certificate to which constraints apply (RFC 5280 §4.2.1.10). */

import { Buffer } from "node:buffer";
import { contentOf, DerReader, readerOf, TAG } from "../../der.ts";
import { decodeUtf8, printable } from "../../strings.ts";
import type { Certificate, GeneralName } from "../../types.ts";
import { NAME_FORMS } from "./constraints.ts";
import { SMTP_UTF8_MAILBOX } from "./email.ts";

/** A name, ready to compare. */
export interface SubjectName {
  readonly name: GeneralName;
  /** The value that its form compares; undefined if it is malformed or cannot be compared. */
  readonly parsed: unknown;
}

/** Returns the names of a certificate, each parsed once. */
export function readSubjectNames(certificate: Certificate): SubjectName[] {
  return constrainedNames(certificate).map((name) => ({
    name,
    parsed: NAME_FORMS.get(name.kind)?.readName(name),
  }));
}

/**
 * Returns the alternative names (a SmtpUTF8Mailbox also as an e-mail address, RFC 9598 §6), the subject
 * unless it is empty, and its emailAddress attributes if no alternative name is an rfc822Name.
 */
function constrainedNames(certificate: Certificate): GeneralName[] {
  const { subject, subjectAltNames } = certificate;
  const names = subjectAltNames.flatMap((name) =>
    name.oid === SMTP_UTF8_MAILBOX && name.kind === "other" ? [name, utf8Mailbox(name)] : [name]
  );
  if (subject.rdns.length > 0) {
    names.push({ kind: "directory", value: subject.text, content: "", directoryName: subject });
  }
  if (subjectAltNames.some(({ kind }) => kind === "email")) return names;
  for (const { oid, value, content } of subject.rdns.flat()) {
    if (content !== undefined) names.push({ kind: "email", value, content, oid });
  }
  return names;
}

/**
 * Returns the mailbox of a SmtpUTF8Mailbox. Only a UTF8String can be compared; the bytes of anything else are
 * left out.
 */
function utf8Mailbox({ content }: GeneralName): GeneralName {
  const reader = new DerReader(Buffer.from(content, "latin1"));
  reader.next("otherName: type");
  const value = readerOf(reader.next("otherName: value")).next("SmtpUTF8Mailbox");
  const text = value.tag === TAG.utf8String ? decodeUtf8(contentOf(value)) ?? "" : "";
  return { kind: "email", value: printable(text), content: text, oid: SMTP_UTF8_MAILBOX };
}
