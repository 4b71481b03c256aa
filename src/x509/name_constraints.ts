/** Reads nameConstraints (RFC 5280 §4.2.1.10). Chain validation applies them. */

import { contextTag, DerError, type DerReader, LimitError, readerOf, TAG } from "./der.ts";
import { smallIntegerOf } from "./der_values.ts";
import { generalNameOf } from "./general_names.ts";
import type { Finding, GeneralName, GeneralSubtree, NameConstraints } from "./types.ts";

/** Maximum number of subtrees of a certificate. The largest public intermediates have a few hundred. */
const MAX_SUBTREES = 2_000;

/** Reads NameConstraints. Empty lists and a value without any list are malformed (§4.2.1.10). */
export function readNameConstraints(content: DerReader, findings: Finding[]): NameConstraints {
  const field = "nameConstraints";
  const sequence = content.enter(TAG.sequence, field);
  if (sequence.done) throw new DerError(`${field} has neither permitted nor excluded subtrees`);
  const permitted = readSubtrees(sequence, { number: 0, findings });
  const excluded = readSubtrees(sequence, { number: 1, findings });
  sequence.finish(field);
  return { permitted, excluded };
}

function readSubtrees(
  sequence: DerReader,
  { number, findings }: { number: 0 | 1; findings: Finding[] },
): GeneralSubtree[] {
  const field = number === 0 ? "permittedSubtrees" : "excludedSubtrees";
  const list = sequence.optional(contextTag(number, true), field);
  if (list === undefined) return [];
  const reader = readerOf(list);
  if (reader.done) throw new DerError(`${field} is empty`);
  const subtrees: GeneralSubtree[] = [];
  while (!reader.done) {
    if (subtrees.length === MAX_SUBTREES) {
      throw new LimitError(`${field} has more than ${MAX_SUBTREES} entries`);
    }
    subtrees.push(readSubtree(reader.enter(TAG.sequence, field), { field, findings }));
  }
  return subtrees;
}

function readSubtree(
  reader: DerReader,
  { field, findings }: { field: string; findings: Finding[] },
): GeneralSubtree {
  const base = generalNameOf(reader.next(field), { field, findings, ranges: true });
  requireMask(base, field);
  const least = reader.optional(contextTag(0, false), `${field}: minimum`);
  const minimum = least === undefined ? 0 : smallIntegerOf(least, `${field}: minimum`);
  if (minimum !== 0 || !reader.done) {
    throw new DerError(`${field} has a minimum or maximum distance, which RFC 5280 forbids`);
  }
  return { base, minimum };
}

/** Throws unless the mask of an address is a prefix: RFC 5280 requires "the style of RFC 4632". */
function requireMask({ kind, value }: GeneralName, field: string): void {
  if (kind !== "ip" || /\/\d+$/.test(value)) return;
  throw new DerError(`${field}: the mask of ${value} is not a prefix`);
}
