/** The caller's anchors by subject name, so that hundreds of roots cost nothing per validation. */

import type { Anchor, AnchorKind } from "./types.ts";

/** Anchors that are ready for use. Immutable; made once and shared by all validations. */
export interface AnchorIndex {
  /** By `subject.key`. */
  readonly bySubject: ReadonlyMap<string, readonly Anchor[]>;
  /** By SHA-256 fingerprint. */
  readonly byFingerprint: ReadonlyMap<string, AnchorKind>;
}

/** Indexes anchors. The first entry of a certificate counts, so name the closer kind (`tracked_ca`) first. */
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

/** The index of anchors that may already be one. */
export function anchorIndexOf(anchors: readonly Anchor[] | AnchorIndex): AnchorIndex {
  return "bySubject" in anchors ? anchors : indexAnchors(anchors);
}
