/** Reads `{pem_content, private_key_location?, tenant?, tags?}`, the form in which PEM comes; in slices. */

import { addError, type FieldErrors } from "../../../base/errors.ts";
import { MAX_MEMBERS } from "../../../base/limits.ts";
import { quote, refusingPrivateKeys, REQUIRED } from "../../../resource/mod.ts";
import { type Certificate, readingCertificates } from "../../../x509/mod.ts";
import { unreadable } from "../mod.ts";
import { bySubject, issuersOf, type Member, memberOf, membersOf } from "./members.ts";
import type { ImportRow } from "./rows.ts";

/** Fields that are the caller's own, beside what the certificate says. */
const OWN_FIELDS = ["private_key_location", "tenant", "tags"] as const;
/** Certificates that are named in one message. */
const MAX_NAMED = 5;

/** An item: the first certificate of its text, with all others as its chain. */
export function* readPemItem(given: unknown, place: number): Generator<void, ImportRow> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const errors = { pem_content: [`Expected an object with pem_content, not ${quote(given)}.`] };
    return { place, body: {}, errors };
  }
  const { own, found, errors } = yield* readParts(given as Record<string, unknown>);
  yield;
  const member = found === undefined ? undefined : leafWithChain(found, errors);
  return member === undefined ? { place, body: own, errors } : rowOf(member, { own, place, errors });
}

/** The same with every certificate of the text as an item of its own; one item with the errors if there are any. */
export function* readPemItems(given: Record<string, unknown>): Generator<void, ImportRow[]> {
  const { own, found, errors } = yield* readParts(given);
  if (found === undefined) return [{ place: 0, body: own, errors }];
  return (yield* membersOf(found)).map((member, place) => rowOf(member, { own, place, errors }));
}

function rowOf(
  { certificate, fields }: Member,
  { own, place, errors }: { own: Parts["own"]; place: number; errors: FieldErrors },
): ImportRow {
  return { place, body: { ...own, ...fields }, errors, certificate };
}

interface Parts {
  readonly own: Readonly<Record<string, unknown>>;
  /** Absent where the text cannot be read. */
  readonly found?: readonly Certificate[];
  readonly errors: FieldErrors;
}

function* readParts(given: Record<string, unknown>): Generator<void, Parts> {
  const errors: FieldErrors = {};
  yield* refusingPrivateKeys(given, errors);
  const own = Object.fromEntries(
    OWN_FIELDS.filter((name) => given[name] !== undefined && errors[name] === undefined)
      .map((name) => [name, given[name]]),
  );
  const text = given.pem_content;
  if (errors.pem_content !== undefined) return { own, errors };
  if (typeof text !== "string") {
    addError(errors, "pem_content", text === undefined ? REQUIRED : `Expected PEM text, not ${quote(text)}.`);
    return { own, errors };
  }
  const { members, findings } = yield* readingCertificates(text);
  if (findings.length > 0) {
    errors.pem_content = [...new Set(findings.map(unreadable))];
    return { own, errors };
  }
  return { own, errors, found: members.map(({ certificate }) => certificate) };
}

/** The first certificate, with all others as its chain; one that is no part of it is refused. */
function leafWithChain(found: readonly Certificate[], errors: FieldErrors): Member | undefined {
  const [leaf, ...others] = found as [Certificate, ...Certificate[]];
  const issuers = issuersOf(leaf, bySubject(others), MAX_MEMBERS);
  const known = new Set([leaf, ...issuers].map(({ fingerprintSha256 }) => fingerprintSha256));
  const strangers = found.flatMap(({ fingerprintSha256, subject }, index) =>
    known.has(fingerprintSha256) ? [] : [`${index + 1} (${quote(subject.text)})`]
  );
  if (strangers.length === 0) return memberOf(leaf, issuers);
  addError(
    errors,
    "pem_content",
    `Certificate ${strangers.slice(0, MAX_NAMED).join(", ")} is no part of the first certificate's chain. ` +
      `Put the certificate first and its chain after it, or import each one as a record of its own ("split": true).`,
  );
  return undefined;
}
