/** Indexes trust anchors by subject name once, so that validations do not search hundreds of roots. */

import type { Distrust } from "./distrust.ts";
import type { Anchor, AnchorKind } from "./types.ts";

/** Indexed anchors. Immutable, so that all validations can share it. */
export interface AnchorIndex {
  /** By `subject.key`. Those that are not in `byFingerprint` may be on a path, but do not end one. */
  readonly bySubject: ReadonlyMap<string, readonly Pick<Anchor, "certificate">[]>;
  /** By SHA-256 fingerprint. */
  readonly byFingerprint: ReadonlyMap<string, AnchorKind>;
  /** Fingerprints of the public roots, including those that are `tracked_ca` in `byFingerprint`. */
  readonly publicRoots: ReadonlySet<string>;
  /** What is not trusted; absent if nothing is excluded. */
  readonly distrust?: Distrust;
}

/**
 * Indexes anchors. Only the first entry of a certificate is used, so list `tracked_ca` before `public_root`.
 */
export function indexAnchors(anchors: Iterable<Anchor>, distrust?: Distrust): AnchorIndex {
  const bySubject = new Map<string, Anchor[]>();
  const byFingerprint = new Map<string, AnchorKind>();
  const publicRoots = new Set<string>();
  for (const anchor of anchors) {
    const { fingerprintSha256, subject } = anchor.certificate;
    if (anchor.kind === "public_root") publicRoots.add(fingerprintSha256);
    if (byFingerprint.has(fingerprintSha256)) continue;
    byFingerprint.set(fingerprintSha256, anchor.kind);
    const same = bySubject.get(subject.key);
    if (same === undefined) bySubject.set(subject.key, [anchor]);
    else same.push(anchor);
  }
  return { bySubject, byFingerprint, publicRoots, ...distrust === undefined ? {} : { distrust } };
}

/** Returns the index of anchors; an existing index is returned as it is. */
export function anchorIndexOf(anchors: readonly Anchor[] | AnchorIndex): AnchorIndex {
  return "bySubject" in anchors ? anchors : indexAnchors(anchors);
}
