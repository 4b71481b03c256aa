/** The names of a certificate that constraints apply to (RFC 5280 §4.2.1.10). */

import { contentOf, DerReader } from "../../der.ts";
import type { Certificate, GeneralName } from "../../types.ts";
import { NAME_FORMS } from "./constraints.ts";

const EMAIL_ADDRESS = "1.2.840.113549.1.9.1";

/** A name, ready to compare. */
export interface SubjectName {
  readonly name: GeneralName;
  /** The value that its form compares; undefined when it is malformed or its form cannot be compared. */
  readonly parsed: unknown;
}

/** Returns the names of a certificate, each read once. */
export function readSubjectNames(certificate: Certificate): SubjectName[] {
  return constrainedNames(certificate).map((name) => ({
    name,
    parsed: NAME_FORMS.get(name.kind)?.readName(name),
  }));
}

/**
 * The alternative names, the subject unless it is empty, and its emailAddress attributes when no alternative name is
 * an e-mail address.
 */
function constrainedNames(certificate: Certificate): GeneralName[] {
  const { subject, subjectAltNames } = certificate;
  const names = [...subjectAltNames];
  if (subject.rdns.length > 0) {
    names.push({ kind: "directory", value: subject.text, der: subject.der, directoryName: subject });
  }
  if (subjectAltNames.some(({ kind }) => kind === "email")) return names;
  for (const { oid, value, der } of subject.rdns.flat()) {
    if (oid !== EMAIL_ADDRESS) continue;
    names.push({ kind: "email", value, der: contentOf(new DerReader(der).next("emailAddress")) });
  }
  return names;
}
