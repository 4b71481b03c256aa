/** Who may have issued a certificate, the likeliest first; the order does not depend on that of the pool. */

import type { Context } from "./context.ts";
import type { Member } from "./roster.ts";

/**
 * The members whose subject is the issuer of the path's top. No certificate stands on a path twice, and no name with
 * the same key either: such a path would be the same without the part in between.
 */
export function candidates(path: readonly Member[], context: Context): Member[] {
  const top = path[path.length - 1]!;
  return context.roster.bearersOfIssuer(top)
    .filter((bearer) => !path.some((member) => isSameEntity(member, bearer)))
    .map((bearer) => ({ bearer, rank: rank(bearer, { top, context }) }))
    .sort((a, b) => a.rank - b.rank || compare(a.bearer, b.bearer))
    .map(({ bearer }) => bearer);
}

/** Whether the issuer's key identifier is known not to be the one that the child names (RFC 5280 §4.2.1.1). */
export function isOtherKey(child: Member, issuer: Member): boolean {
  return keyIdMatch(child, issuer) === "other";
}

/** Whether a self-issued certificate presents itself as signed by its own key. */
export function claimsSelfSigned(member: Member): boolean {
  return member.selfIssued && !isOtherKey(member, member);
}

function isSameEntity(a: Member, b: Member): boolean {
  return a.id === b.id || (a.subjectId === b.subjectId && a.keyId === b.keyId);
}

/** Key identifiers first, then being in date, then being an end of the path. */
function rank(bearer: Member, { top, context }: { top: Member; context: Context }): number {
  const byKey = { same: 0, unknown: 4, other: 8 }[keyIdMatch(top, bearer)];
  const byDate = context.isInDate(bearer) ? 0 : 2;
  const byEnd = bearer.anchor !== undefined || bearer.selfIssued ? 0 : 1;
  return byKey + byDate + byEnd;
}

function keyIdMatch(child: Member, issuer: Member): "same" | "other" | "unknown" {
  const wanted = child.certificate.authorityKeyId;
  const given = issuer.certificate.subjectKeyId;
  if (wanted === undefined || given === undefined) return "unknown";
  return wanted.length === given.length && wanted.every((byte, index) => byte === given[index])
    ? "same"
    : "other";
}

function compare(a: Member, b: Member): number {
  return a.certificate.fingerprintSha256 < b.certificate.fingerprintSha256 ? -1 : 1;
}
