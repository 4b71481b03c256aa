/** Checks the names of a certificate against the constraints of another (RFC 5280 §6.1.3 (b), (c)), each pair once. */

import { Buffer } from "node:buffer";
import { quoteJson } from "../../../base/quote.ts";
import { contentOf, DerReader, readerOf, TAG } from "../../der.ts";
import { decodeUtf8, printable } from "../../strings.ts";
import type { Certificate, GeneralName } from "../../types.ts";
import type { PoolCertificate } from "../certificate_pool.ts";
import type { Budget } from "../limits.ts";
import {
  type Constraints,
  NAME_FORMS,
  opaqueKey,
  readConstraints,
  SMTP_UTF8_MAILBOX,
  type Subtrees,
} from "./constraints.ts";

/** Compares names and caches the results. */
export class NameCache {
  readonly #budget: Budget;
  readonly #constraints = new Map<number, Constraints | undefined>();
  readonly #names = new Map<number, readonly SubjectName[]>();
  readonly #refusals = new Map<string, NameRefusal | undefined>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Returns the constraints of a certificate; undefined if it has none. */
  constraintsOf({ id, certificate: { nameConstraints } }: PoolCertificate): Constraints | undefined {
    if (nameConstraints === undefined) return undefined;
    return remembered(this.#constraints, id, () => readConstraints(nameConstraints));
  }

  /**
   * Returns why the constraints of `issuer` refuse a name of `subject`; undefined if they permit all names.
   */
  refusal(issuer: PoolCertificate, subject: PoolCertificate): NameRefusal | undefined {
    const constraints = this.constraintsOf(issuer);
    if (constraints === undefined) return undefined;
    return remembered(this.#refusals, `${issuer.id} ${subject.id}`, () => {
      const names = remembered(this.#names, subject.id, () => readSubjectNames(subject.certificate));
      const spend = (comparisons: number): boolean => this.#budget.spend("nameComparisons", comparisons);
      return refusedName(names, { constraints, spend });
    });
  }
}

/** Returns the value of a key, which is computed at the first call. */
function remembered<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!map.has(key)) map.set(key, make());
  return map.get(key) as Value;
}

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

/** Spends comparisons; returns false if there are none left. */
type Spend = (comparisons: number) => boolean;

/** The refused name with the reason, or `limit` if no comparisons are left. */
export type NameRefusal = { readonly kind: "refused"; readonly sentence: string } | {
  readonly kind: "limit";
};

/** Returns the first name that the constraints refuse; undefined if they permit all names. */
export function refusedName(
  names: readonly SubjectName[],
  { constraints, spend }: { constraints: Constraints; spend: Spend },
): NameRefusal | undefined {
  for (const { name, parsed } of names) {
    if (constraints.opaque.has(opaqueKey(name))) {
      return refused(name, "is of a form that is constrained but cannot be compared here");
    }
    const subtrees = constraints.byKind.get(name.kind);
    if (subtrees === undefined) continue;
    if (!spend(subtrees.permitted.length + subtrees.excluded.length)) return { kind: "limit" };
    const reason = refusal(parsed, subtrees);
    if (reason !== undefined) return refused(name, reason);
  }
  return undefined;
}

/** Checks excluded subtrees first: they take precedence over permitted ones. */
function refusal(parsed: unknown, { form, permitted, excluded }: Subtrees): string | undefined {
  if (parsed === undefined) return `cannot be compared with the constraints on ${form.label}s`;
  const overlaps = form.mayOverlap ?? form.within;
  if (excluded.some((constraint) => overlaps(parsed, constraint))) return "is excluded";
  if (permitted.length > 0 && !permitted.some((constraint) => form.within(parsed, constraint))) {
    return "is not permitted";
  }
  return undefined;
}

function refused({ value }: GeneralName, reason: string): NameRefusal {
  return { kind: "refused", sentence: `${quoteJson(value)} ${reason}` };
}
