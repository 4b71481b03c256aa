/** Addresses of further information: authorityInfoAccess, subjectInfoAccess, cRLDistributionPoints (RFC 5280 §4.2.2.1, §4.2.2.2, §4.2.1.13). */

import { contextTag, DerError, type DerReader, LimitError, readerOf, TAG } from "./der.ts";
import { oidOf, setBitsOf } from "./der_values.ts";
import { generalNameOf, readGeneralNames } from "./general_names.ts";
import { ACCESS_METHOD_NAMES } from "./oids.ts";
import type { AccessDescription, DistributionPoint, Finding, GeneralName } from "./types.ts";

/** Entries of one extension; real ones have fewer than 10. */
const MAX_ENTRIES = 200;

/** SEQUENCE OF AccessDescription, one at least. */
export function readAccess(
  content: DerReader,
  { what, findings }: { what: string; findings: Finding[] },
): AccessDescription[] {
  const entries: AccessDescription[] = [];
  eachEntry({ content, what }, (reader) => {
    const oid = oidOf(reader.expect(TAG.oid, what), what);
    const location = generalNameOf(reader.next(what), { what, findings });
    entries.push({ method: ACCESS_METHOD_NAMES[oid] ?? oid, location });
  });
  return entries;
}

/** SEQUENCE OF DistributionPoint, one at least. */
export function readDistributionPoints(
  content: DerReader,
  { what, findings }: { what: string; findings: Finding[] },
): DistributionPoint[] {
  const points: DistributionPoint[] = [];
  eachEntry({ content, what }, (reader) => {
    const names: GeneralName[] = [];
    const crlIssuer: GeneralName[] = [];
    const name = reader.optional(contextTag(0, true), what);
    // DistributionPointName is a CHOICE of a list of names and one relative name; the latter has no address to show.
    const choice = name === undefined ? undefined : readerOf(name);
    if (choice?.nextTag === contextTag(0, true)) {
      readGeneralNames(choice.enter(contextTag(0, true), what), { what, findings, names });
    } else choice?.expect(contextTag(1, true), what);
    choice?.finish(what);
    const reasons = reader.optional(contextTag(1, false), what);
    if (reasons !== undefined) setBitsOf(reasons, `${what}: reasons`);
    const issuer = reader.optional(contextTag(2, true), what);
    if (issuer !== undefined) readGeneralNames(readerOf(issuer), { what, findings, names: crlIssuer });
    points.push({ names, crlIssuer });
  });
  return points;
}

function eachEntry(
  { content, what }: { content: DerReader; what: string },
  read: (reader: DerReader) => void,
): void {
  const list = content.enter(TAG.sequence, what);
  if (list.done) throw new DerError(`${what} is empty`);
  for (let count = 0; !list.done; count++) {
    if (count === MAX_ENTRIES) throw new LimitError(`${what} has more than ${MAX_ENTRIES} entries`);
    const reader = list.enter(TAG.sequence, what);
    read(reader);
    reader.finish(what);
  }
}
