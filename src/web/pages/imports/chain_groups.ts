/** Groups the certificates of a text into chains: those that issue no others, with the issuers above them. */

import type { InspectedCertificate } from "../../../domain/certificates/import/mod.ts";

/** Certificates with the same issuers, and these issuers, nearest first. */
export interface ChainGroup {
  readonly heads: readonly InspectedCertificate[];
  readonly issuers: readonly InspectedCertificate[];
}

/** Returns groups with each certificate in at least one of them; an issuer of several groups is in each. */
export function chainGroups(all: readonly InspectedCertificate[]): ChainGroup[] {
  const byPlace = new Map(all.map((one) => [one.place, one]));
  const issuing = new Set(all.map(({ issued_by: issuer }) => issuer));
  const heads = all.filter(({ place }) => !issuing.has(place));
  const reached = new Set(heads.flatMap((head) => [head, ...issuersAbove(head, byPlace)]));
  // Certificates that issue each other in a cycle have no leaf.
  const circular = all.filter((one) => !reached.has(one));
  const groups = Map.groupBy([...heads, ...circular], (head) => {
    const issuers = circular.includes(head) ? [] : issuersAbove(head, byPlace);
    return issuers.length > 0 ? issuers.map(({ place }) => place).join() : `${head.place}`;
  });
  return [...groups.values()].map((own) => {
    const [first] = own as [InspectedCertificate];
    return { heads: own, issuers: circular.includes(first) ? [] : issuersAbove(first, byPlace) };
  });
}

function issuersAbove(
  head: InspectedCertificate,
  byPlace: ReadonlyMap<number, InspectedCertificate>,
): InspectedCertificate[] {
  const found = new Set<InspectedCertificate>();
  let next = head.issued_by === null ? undefined : byPlace.get(head.issued_by);
  while (next !== undefined && next !== head && !found.has(next)) {
    found.add(next);
    next = next.issued_by === null ? undefined : byPlace.get(next.issued_by);
  }
  return [...found];
}
