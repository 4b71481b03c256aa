/** Indexes trust anchors by subject name once, so that validations do not search hundreds of roots. */

import type { Anchor, AnchorKind } from "./types.ts";

/** Indexed anchors. Immutable, so that all validations can share it. */
export interface AnchorIndex {
  /** By `subject.key`. Those that are not in `byFingerprint` may be on a path, but do not end one. */
  readonly bySubject: ReadonlyMap<string, readonly Pick<Anchor, "certificate">[]>;
  /** By SHA-256 fingerprint. */
  readonly byFingerprint: ReadonlyMap<string, AnchorKind>;
}

/**
 * Indexes anchors. Only the first entry of a certificate is used, so list `tracked_ca` before `public_root`.
 */
export function indexAnchors(anchors: Iterable<Anchor>): AnchorIndex {
  const bySubject = new Map<string, Anchor[]>();
  const byFingerprint = new Map<string, AnchorKind>();
  for (const anchor of anchors) {
    const { fingerprintSha256, subject } = anchor.certificate;
    if (byFingerprint.has(fingerprintSha256)) continue;
    byFingerprint.set(fingerprintSha256, anchor.kind);
    const same = bySubject.get(subject.key);
    if (same === undefined) bySubject.set(subject.key, [anchor]);
    else same.push(anchor);
  }
  return { bySubject, byFingerprint };
}

/** Returns the index of anchors; an existing index is returned as it is. */
export function anchorIndexOf(anchors: readonly Anchor[] | AnchorIndex): AnchorIndex {
  return "bySubject" in anchors ? anchors : indexAnchors(anchors);
}
