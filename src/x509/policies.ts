/** Reads the policy extensions (RFC 5280 §4.2.1.4, §4.2.1.5, §4.2.1.11, §4.2.1.14). Chain validation applies them. */

import {
  contentOf,
  contextTag,
  DerError,
  type DerReader,
  type Element,
  LimitError,
  readerOf,
  TAG,
} from "./der.ts";
import { oidOf, smallIntegerOf } from "./der_values.ts";
import { decodeAscii, decodeString, printable } from "./strings.ts";
import type { ExtensionValues, PolicyInformation } from "./types.ts";

const CPS = "1.3.6.1.5.5.7.2.1";
const USER_NOTICE = "1.3.6.1.5.5.7.2.2";
/** Maximum number of policies or mappings of a certificate; bridge CAs have a few dozen. */
const MAX_POLICIES = 500;
/** Maximum number of qualifiers of a policy. */
const MAX_QUALIFIERS = 20;
/** Maximum size of all qualifiers of a certificate in bytes; RFC 5280 wants at most 200 characters in a notice. */
const MAX_QUALIFIER_BYTES = 8 * 1024;

/** Reads certificatePolicies. A policy must not occur twice. */
export function readPolicies(content: DerReader): PolicyInformation[] {
  const field = "certificatePolicies";
  const policies: PolicyInformation[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  eachEntry(content, { field, max: MAX_POLICIES }, (reader) => {
    const oid = oidOf(reader.expect(TAG.oid, field), field);
    if (seen.has(oid)) throw new DerError(`${field} names ${oid} twice`);
    seen.add(oid);
    const list = reader.done ? undefined : reader.expect(TAG.sequence, field);
    bytes += list === undefined ? 0 : contentOf(list).length;
    if (bytes > MAX_QUALIFIER_BYTES) {
      throw new LimitError(`${field} has more than ${MAX_QUALIFIER_BYTES} bytes of qualifiers`);
    }
    const { qualifiers, unknown } = list === undefined
      ? { qualifiers: [], unknown: undefined }
      : readQualifiers(readerOf(list), field);
    policies.push({ oid, qualifiers, ...(unknown === undefined ? {} : { unknownQualifier: unknown }) });
  });
  return policies;
}

/** Reads policyMappings. */
export function readPolicyMappings(content: DerReader): NonNullable<ExtensionValues["policyMappings"]> {
  const field = "policyMappings";
  const mappings: { issuerDomain: string; subjectDomain: string }[] = [];
  eachEntry(content, { field, max: MAX_POLICIES }, (reader) => {
    const issuerDomain = oidOf(reader.expect(TAG.oid, field), field);
    mappings.push({ issuerDomain, subjectDomain: oidOf(reader.expect(TAG.oid, field), field) });
  });
  return mappings;
}

/** Reads policyConstraints, which must not be empty. */
export function readPolicyConstraints(content: DerReader): NonNullable<ExtensionValues["policyConstraints"]> {
  const field = "policyConstraints";
  const sequence = content.enter(TAG.sequence, field);
  const explicit = sequence.optional(contextTag(0, false), field);
  const mapping = sequence.optional(contextTag(1, false), field);
  sequence.finish(field);
  if (explicit === undefined && mapping === undefined) throw new DerError(`${field} is empty`);
  return {
    ...(explicit === undefined ? {} : { requireExplicitPolicy: smallIntegerOf(explicit, field) }),
    ...(mapping === undefined ? {} : { inhibitPolicyMapping: smallIntegerOf(mapping, field) }),
  };
}

/** Runs `read` on each of at most `max` SEQUENCEs of a list, which must not be empty. */
export function eachEntry(
  content: DerReader,
  { field, max }: { field: string; max: number },
  read: (reader: DerReader) => void,
): void {
  const list = content.enter(TAG.sequence, field);
  if (list.done) throw new DerError(`${field} is empty`);
  for (let count = 0; !list.done; count++) {
    if (count === max) throw new LimitError(`${field} has more than ${max} entries`);
    const reader = list.enter(TAG.sequence, field);
    read(reader);
    reader.finish(field);
  }
}

function readQualifiers(
  list: DerReader,
  field: string,
): { qualifiers: string[]; unknown: string | undefined } {
  const qualifiers: string[] = [];
  let unknown: string | undefined;
  if (list.done) throw new DerError(`${field} has an empty list of qualifiers`);
  while (!list.done) {
    if (qualifiers.length === MAX_QUALIFIERS) throw new LimitError(`${field} has too many qualifiers`);
    const reader = list.enter(TAG.sequence, field);
    const oid = oidOf(reader.expect(TAG.oid, field), field);
    if (oid !== CPS && oid !== USER_NOTICE) unknown ??= oid;
    qualifiers.push(qualifierText(oid, reader.next(field)));
    reader.finish(field);
  }
  return { qualifiers, unknown };
}

function qualifierText(oid: string, value: Element): string {
  if (oid === CPS) return `CPS: ${printable(decodeAscii(contentOf(value)).text)}`;
  if (oid !== USER_NOTICE || value.tag !== TAG.sequence) return oid;
  // UserNotice: an optional reference (a SEQUENCE), then an optional text.
  const reader = readerOf(value);
  reader.optional(TAG.sequence, "notice reference");
  const text = reader.done ? undefined : decodeString(reader.next("notice text"))?.text;
  return text === undefined ? "Notice" : `Notice: ${printable(text)}`;
}
