/** Keys, certificates and roots that are not trusted, although the signatures below them are valid. */

import { sha256Hex } from "../../base/bytes.ts";
import { formatDate, type Millis } from "../../base/clock.ts";
import { issuerAndSerial, usagesOf } from "../inventory.ts";
import type { Certificate } from "../types.ts";
import type { PoolCertificate } from "./certificate_pool.ts";
import type { PathFailure } from "./types.ts";

/** Why something is not trusted, as the rest of a sentence, and who says so. */
export interface DistrustReason {
  readonly reason: string;
  readonly source: string;
}

/** Immutable, so that all validations can share it. Hashes are lower-case hex. */
export interface Distrust {
  /** Changes with every entry. */
  readonly digest: string;
  /** By SHA-256 of the SubjectPublicKeyInfo. */
  readonly keys: ReadonlyMap<string, DistrustReason>;
  /** By SHA-256 fingerprint, and by `issuerAndSerial`. */
  readonly certificates: ReadonlyMap<string, DistrustReason>;
  /** Roots by SHA-256 of their key; certificates that begin after `last` are not trusted. */
  readonly after: ReadonlyMap<string, DistrustReason & { readonly last: Millis }>;
  /** Public roots by fingerprint that are no anchors of server certificates. */
  readonly notForServers: ReadonlySet<string>;
  /** Recorded anchors by fingerprint that are public roots, although the runtime does not know them. */
  readonly publicRoots: ReadonlySet<string>;
}

/** Returns the failures of a certificate that is not trusted itself, or whose key is not. */
export function ownDistrust(
  certificate: Certificate,
  { keys, certificates }: Distrust,
): Omit<PathFailure, "position">[] {
  const { fingerprintSha256, issuer, serial } = certificate;
  const key = keys.size === 0 ? undefined : keys.get(keyHash(certificate));
  const named = certificates.size === 0 ? undefined : certificates.get(fingerprintSha256) ??
    certificates.get(issuerAndSerial(issuer.text, serial.toHex()));
  return [
    ...key === undefined ? [] : [failure("distrusted", "has a key that is not trusted", key)],
    ...named === undefined ? [] : [failure("distrusted", "is not trusted", named)],
  ];
}

/** Returns the failure of a leaf that began after its root was distrusted. `members` ends in the anchor. */
export function distrustAfter(members: readonly PoolCertificate[], { after }: Distrust): PathFailure[] {
  const [leaf, top] = [members[0], members.at(-1)];
  if (after.size === 0 || leaf === undefined || top === undefined) return [];
  const limit = after.get(keyHash(top.certificate));
  if (limit === undefined || leaf.certificate.validity.notBefore <= limit.last) return [];
  const sentence = `was issued after ${formatDate(limit.last)}, from when its root is not trusted`;
  return [{ ...failure("distrusted_after", sentence, limit), position: 1 }];
}

/** Returns whether a public root is no anchor for this leaf, because root programs do not accept it for servers. */
export function isNotForServers(root: Certificate, leaf: Certificate, { notForServers }: Distrust): boolean {
  return notForServers.has(root.fingerprintSha256) &&
    usagesOf(leaf).some((usage) => usage === "server_auth" || usage === "any");
}

function keyHash({ publicKey: { spki } }: Certificate): string {
  return sha256Hex(spki);
}

function failure(
  code: "distrusted" | "distrusted_after",
  sentence: string,
  { reason, source }: DistrustReason,
): Omit<PathFailure, "position"> {
  return { code, sentence: `${sentence}: ${reason}`, citation: source };
}
