/**
 * Builds paths (RFC 4158): depth first from the leaf, with backtracking. Rules only get stricter as a path
 * grows, so a path is abandoned when it violates a rule that is not tolerated. A chain that fails is searched again with
 * more tolerance, so that the result reports the path that is closest to a valid one.
 */

import type { FailureCode } from "../findings.ts";
import { claimsSelfSigned, isOtherKey, type PoolCertificate } from "./certificate_pool.ts";
import type { ValidationContext } from "./context.ts";
import type { AnchorKind, PathFailure } from "./types.ts";

/** Failures that a search accepts on a path. */
interface Tolerance {
  /** Certificates outside their validity period. */
  readonly time: boolean;
  /** Any other rule except signatures. */
  readonly rules: boolean;
  /** Signatures that are invalid or cannot be checked. */
  readonly signatures: boolean;
}

export const NO_TOLERANCE: Tolerance = { time: false, rules: false, signatures: false };
export const TIME: Tolerance = { ...NO_TOLERANCE, time: true };
export const RULES: Tolerance = { ...NO_TOLERANCE, rules: true };
export const TIME_AND_RULES: Tolerance = { ...TIME, rules: true };
export const ANYTHING: Tolerance = { ...TIME_AND_RULES, signatures: true };

/** Returns whether all failures concern validity periods. */
export function isOnlyOutOfDate(failures: readonly PathFailure[]): boolean {
  return failures.every(({ code }) => tolerates(TIME, code));
}

/** Returns whether a failure is tolerated. A reached limit never is, because it hides other failures. */
function tolerates(tolerance: Tolerance, code: FailureCode): boolean {
  switch (code) {
    case "limit":
      return false;
    case "expired":
    case "not_yet_valid":
      return tolerance.time;
    case "bad_signature":
    case "unsupported_algorithm":
      return tolerance.signatures;
    default:
      return tolerance.rules;
  }
}

/** A path, leaf first, and its failures. */
export interface Path {
  readonly members: readonly PoolCertificate[];
  readonly failures: readonly PathFailure[];
  /** The kind of anchor at the end of the path; absent if the issuer of the last certificate is missing. */
  readonly anchor?: AnchorKind;
}

/** Paths that one search found. */
export interface SearchResult {
  /** The first path to an anchor. */
  readonly complete?: Path;
  /** The first path of two or more certificates whose last issuer is missing. */
  readonly open?: Path;
  /** The longest path that cannot be continued, including open paths. */
  readonly deadEnd?: Path;
  /** The first path that cannot be continued and has failures other than validity periods. */
  readonly faulty?: Path;
}

const SIGNATURE_CITATION = "RFC 5280 §6.1.3 (a)(1)";

/** Searches for a path to an anchor that has only tolerated failures. */
export async function search(context: ValidationContext, tolerance: Tolerance): Promise<SearchResult> {
  const found = new Search(context, tolerance);
  const complete = await found.run();
  return complete === undefined ? found.deadEnds : { ...found.deadEnds, complete };
}

class Search {
  readonly #context: ValidationContext;
  readonly #tolerance: Tolerance;
  #deadEnds: Omit<SearchResult, "complete"> = {};

  constructor(context: ValidationContext, tolerance: Tolerance) {
    this.#context = context;
    this.#tolerance = tolerance;
  }

  get deadEnds(): SearchResult {
    return this.#deadEnds;
  }

  /** Returns the first complete path. */
  async run(): Promise<Path | undefined> {
    const { leaf } = this.#context.pool;
    const failures = this.#context.ownFailures(leaf, 1);
    if (!this.#toleratesAll(failures)) return undefined;
    return await this.#visit({ members: [leaf], failures });
  }

  async #visit(path: Path): Promise<Path | undefined> {
    const { members } = path;
    const top = members[members.length - 1]!;
    if (!this.#context.budget.spend("nodes")) return undefined;
    if (members.length > 1) {
      const anchor = await this.#anchorOf(top);
      if (anchor !== undefined) return this.#anchored({ ...path, anchor });
    }
    const extended = await this.#extend(path);
    if (typeof extended === "object") return extended;
    if (extended) return undefined;
    const end = await this.#falseAnchor(path);
    if (end === undefined) this.#noteDeadEnd(path);
    return end;
  }

  /** Tries every issuer. Returns the complete path, or whether any issuer could be appended. */
  async #extend(path: Path): Promise<Path | boolean> {
    let tried = false;
    const issuers = this.#context.candidates(path.members);
    if (issuers.length > 0 && path.members.length === this.#context.budget.limits.path) {
      return this.#context.budget.exhaust("path");
    }
    for (const issuer of issuers) {
      await this.#context.pause();
      const added = await this.#evaluateIssuer(path.members, issuer);
      if (added === undefined) continue;
      tried = true;
      const found = await this.#visit({
        members: [...path.members, issuer],
        failures: added.length === 0 ? path.failures : [...path.failures, ...added],
      });
      if (found !== undefined) return found;
    }
    return tried;
  }

  /**
   * Returns the failures that an issuer adds to a path; undefined if they are not tolerated or it is not the
   * issuer.
   */
  async #evaluateIssuer(
    below: readonly PoolCertificate[],
    issuer: PoolCertificate,
  ): Promise<PathFailure[] | undefined> {
    const failures = this.#context.issuerFailures(issuer, below);
    if (!this.#toleratesAll(failures)) return undefined;
    const child = below[below.length - 1]!;
    const signature = await this.#signatureFailures(child, { issuer, position: below.length });
    return signature === undefined ? undefined : [...failures, ...signature];
  }

  /**
   * Checks the signature. A possible issuer with another key identifier whose key did not sign the child is
   * ignored.
   */
  async #signatureFailures(
    child: PoolCertificate,
    { issuer, position }: { issuer: PoolCertificate; position: number },
  ): Promise<PathFailure[] | undefined> {
    const result = await this.#context.signatures.check(child, issuer);
    if (result.kind === "good") return [];
    if (result.kind === "limit" || !this.#tolerance.signatures) return undefined;
    if (isOtherKey(child, issuer)) return undefined;
    const code = result.kind === "bad" ? "bad_signature" : "unsupported_algorithm";
    const sentence = `has a signature that cannot be accepted: ${result.reason}`;
    return [{ code, position, sentence, citation: SIGNATURE_CITATION }];
  }

  /** Returns the kind of anchor if a certificate ends a path: an anchor of the caller, or a root. */
  async #anchorOf(top: PoolCertificate): Promise<AnchorKind | undefined> {
    return this.#context.anchorKind(top) ??
      (this.#cameWithLeaf(top) && await this.#context.signatures.isRoot(top) ? "bundle" : undefined);
  }

  #cameWithLeaf(member: PoolCertificate): boolean {
    const { leaf, bundle } = this.#context.pool;
    return member === leaf || bundle.includes(member);
  }

  /** Ends a path at a root whose self-signature is invalid, if signature failures are tolerated. */
  async #falseAnchor(path: Path): Promise<Path | undefined> {
    const { members, failures } = path;
    const top = members[members.length - 1]!;
    if (!this.#tolerance.signatures || !claimsSelfSigned(top) || !this.#cameWithLeaf(top)) return undefined;
    const added = await this.#signatureFailures(top, { issuer: top, position: members.length });
    return added === undefined ? undefined : { members, failures: [...failures, ...added], anchor: "bundle" };
  }

  /** Adds the failures of a path that its anchor and policy processing cause; undefined if they are not tolerated. */
  #anchored(path: Path): Path | undefined {
    const added = this.#context.anchorFailures(path.members);
    if (!this.#toleratesAll(added)) return undefined;
    return this.#withPolicies(
      added.length === 0 ? path : { ...path, failures: [...path.failures, ...added] },
    );
  }

  /** Adds the failures of policy processing to a path that ends; undefined if they are not tolerated. */
  #withPolicies(path: Path): Path | undefined {
    const { members, failures, anchor } = path;
    const added = this.#context.policies.outcome(members, { anchored: anchor !== undefined }).failures;
    if (added.length === 0) return path;
    return this.#toleratesAll(added) ? { ...path, failures: [...failures, ...added] } : undefined;
  }

  #noteDeadEnd(end: Path): void {
    const isOpen = this.#isOpen(end);
    const path = isOpen ? this.#withPolicies(end) : end;
    if (path === undefined) return;
    const { open, deadEnd, faulty } = this.#deadEnds;
    this.#deadEnds = {
      ...this.#deadEnds,
      ...(open === undefined && isOpen ? { open: path } : {}),
      ...(deadEnd === undefined || path.members.length > deadEnd.members.length ? { deadEnd: path } : {}),
      ...(faulty === undefined && !isOnlyOutOfDate(path.failures) ? { faulty: path } : {}),
    };
  }

  /** Returns whether the last certificate names an issuer, and no other certificate has that name. */
  #isOpen({ members }: Path): boolean {
    const top = members[members.length - 1]!;
    const { pool } = this.#context;
    if (members.length < 2 || top.issuerId === 0 || claimsSelfSigned(top)) return false;
    return top.issuerId !== pool.leaf.subjectId &&
      pool.issuerCandidates(top).every((candidate) => candidate === top);
  }

  #toleratesAll(failures: readonly PathFailure[]): boolean {
    return failures.every(({ code }) => tolerates(this.#tolerance, code));
  }
}
