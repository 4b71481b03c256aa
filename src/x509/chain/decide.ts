/** Chooses the path to report and its status: the first status whose condition is met. */

import type { ValidationContext } from "./context.ts";
import {
  ANYTHING,
  isOnlyOutOfDate,
  NO_TOLERANCE,
  type Path,
  RULES,
  search,
  type SearchResult,
  TIME,
  TIME_AND_RULES,
} from "./search.ts";
import type { ChainStatus, PathFailure } from "./types.ts";

/** A status and the path that it applies to. */
export interface Decision {
  readonly status: ChainStatus;
  readonly path: Path;
}

export interface DecisionOptions {
  /** Whether the request contains any certificates other than the leaf. */
  readonly chainGiven: boolean;
  readonly requireRoot: boolean;
}

/** Determines the status of a readable leaf. */
export async function decideStatus(context: ValidationContext, options: DecisionOptions): Promise<Decision> {
  const { leaf } = context.pool;
  if (await context.signatures.isSelfSigned(leaf)) {
    const path: Path = { ...alone(context), anchor: leaf.anchor ?? "bundle" };
    return { status: statusOf(path.failures) ?? "self_signed", path };
  }
  const decision = await decideIssued(context, options);
  // If a search ran out of budget, it is unknown whether an issuer is missing.
  const searchedAll = context.budget.exhausted.size === 0;
  if (options.chainGiven || !searchedAll || !hasNoIssuer(decision.path)) return decision;
  const { members, failures } = decision.path;
  return { status: "no_chain", path: members.length === 1 ? { members, failures } : alone(context) };
}

/** Determines the status of a leaf that is not self-signed. */
async function decideIssued(context: ValidationContext, { requireRoot }: DecisionOptions): Promise<Decision> {
  const clean = await search(context, NO_TOLERANCE);
  if (clean.complete !== undefined) return { status: "valid", path: clean.complete };
  const late = await search(context, TIME);
  const broken = await search(context, RULES);
  // A path to an anchor that violates a rule takes precedence over one whose root is missing: otherwise,
  // leaving out a root would make an invalid chain valid. The same applies if the bundle has a root to which no path
  // leads, or if a search ran out of budget, because such a path may be in the part that was not searched.
  const { open } = requireRoot || broken.complete !== undefined ? {} : clean;
  if (
    open !== undefined && !await hasOtherRoot(context, late.complete) && context.budget.exhausted.size === 0
  ) {
    return { status: "valid", path: open };
  }
  const results = [
    clean,
    late,
    broken,
    await search(context, TIME_AND_RULES),
    await search(context, ANYTHING),
  ];
  return failed(first(results, "complete")) ?? incomplete(clean.open) ?? failed(late.open) ??
    failed(first(results, "faulty")) ?? incomplete(first(results, "deadEnd")) ??
    { status: "incomplete", path: alone(context) };
}

/** Returns whether the bundle has a root other than that of a path. */
async function hasOtherRoot(
  { pool, signatures }: ValidationContext,
  path: Path | undefined,
): Promise<boolean> {
  for (const member of pool.bundle) {
    if (!path?.members.includes(member) && await signatures.isRoot(member)) return true;
  }
  return false;
}

/** Returns the path of this kind from the search with the least tolerance that found one. */
function first(results: readonly SearchResult[], kind: keyof SearchResult): Path | undefined {
  return results.find((result) => result[kind] !== undefined)?.[kind];
}

/** Returns the path that consists of the leaf only. */
function alone(context: ValidationContext): Path {
  const { leaf } = context.pool;
  return { members: [leaf], failures: context.ownFailures(leaf, 1) };
}

function failed(path: Path | undefined): Decision | undefined {
  const status = path === undefined ? undefined : statusOf(path.failures);
  return status === undefined ? undefined : { status, path: path! };
}

function incomplete(path: Path | undefined): Decision | undefined {
  return path === undefined ? undefined : { status: "incomplete", path };
}

/** Returns the status for failures; undefined if there are none. */
function statusOf(failures: readonly PathFailure[]): ChainStatus | undefined {
  if (failures.length === 0) return undefined;
  if (!isOnlyOutOfDate(failures)) return "invalid_signature";
  return failures.some(({ code }) => code === "expired") ? "expired" : "not_yet_valid";
}

/** Returns whether no issuer of the leaf was found. */
function hasNoIssuer({ members, failures }: Path): boolean {
  return (members.length === 1 && !failures.some(({ code }) => code === "unsupported_algorithm")) ||
    failures.some(({ code, position }) => code === "bad_signature" && position === 1);
}
