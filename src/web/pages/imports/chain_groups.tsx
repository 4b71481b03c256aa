/**
 * Groups the certificates of a text into chains: those that issue no others, with the issuers above them; and the choice
 * whether new issuers are stored as separate certificates, or only in the chains of others.
 */

import type { InspectedCertificate } from "../../../domain/certificates/import/mod.ts";
import { type Html, truncate } from "../../kit/components/mod.ts";
import { STORE } from "./renewable.tsx";

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

/** Names of the fields for the issuers that can be stored in chains only, and for those that are not. */
const [ISSUER, SEPARATE] = ["issuer", "separate"] as const;

/** Returns the fingerprints of the issuers that the user does not add as separate certificates. */
export function chainOnlyOf(form: FormData): string[] {
  const separate = form.getAll(SEPARATE);
  return form.getAll(ISSUER).filter((one): one is string =>
    typeof one === "string" && !separate.includes(one)
  );
}

/** Returns whether the user chooses which new issuers are added as separate certificates. */
export function hasSeparateIssuers(all: readonly InspectedCertificate[]): boolean {
  return chainGroups(all).some(({ issuers }) => issuers.some(({ status }) => status === "create"));
}

/** Renders the choice whether new issuers are also added as separate certificates. */
export function SeparateIssuers(
  { group, rows, given }: { group: ChainGroup; rows: readonly InspectedCertificate[]; given: FormData },
): Html | null {
  const fresh = group.issuers.filter((one) => rows.includes(one) && one.status === "create");
  if (fresh.length === 0) return null;
  const left = chainOnlyOf(given);
  return (
    <fieldset class="issuers">
      <legend>Also add as separate certificates</legend>
      {fresh.map(({ fingerprint_sha256: print, common_name: name }) => (
        <>
          <input type="hidden" form={STORE} name={ISSUER} value={print} />
          <label>
            <input
              type="checkbox"
              form={STORE}
              name={SEPARATE}
              value={print}
              checked={!left.includes(print)}
            />
            <bdi>{truncate(name)}</bdi>
          </label>
        </>
      ))}
      <small class="faint">
        {fresh.length === 1 ? "It is" : "They are"} stored in the chain of {group.heads.length === 1
          ? <bdi>{truncate(group.heads[0]?.common_name ?? "")}</bdi>
          : "the certificates above"} in any case.
      </small>
    </fieldset>
  );
}
