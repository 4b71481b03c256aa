/** Which path a verdict is about, and what the verdict is: the table of statuses, first that applies. */

import type { Context } from "./context.ts";
import { type Path, search, type SearchResult } from "./search.ts";
import { ANYTHING, isOnlyLate, NOTHING, RULES, TIME, TIME_AND_RULES } from "./tolerance.ts";
import type { ChainStatus, Failure } from "./types.ts";

/** A status and the path that it is about. */
export interface Decision {
  readonly status: ChainStatus;
  readonly path: Path;
}

/** How the chain was handed in. */
export interface DecisionOptions {
  /** Whether any certificates came with the leaf. */
  readonly chainGiven: boolean;
  readonly requireRoot: boolean;
}

/** Judges a leaf that could be read. */
export async function decide(context: Context, options: DecisionOptions): Promise<Decision> {
  const { leaf } = context.pool;
  if (await context.signatures.isSelfSigned(leaf)) {
    const path: Path = { ...alone(context), anchor: leaf.anchor ?? "bundle" };
    return { status: statusOf(path.failures) ?? "self_signed", path };
  }
  const decision = await decideIssued(context, options);
  if (options.chainGiven || !hasNoIssuer(decision.path)) return decision;
  const { members, failures } = decision.path;
  return { status: "no_chain", path: members.length === 1 ? { members, failures } : alone(context) };
}

/** Judges a leaf that somebody else issued. */
async function decideIssued(context: Context, { requireRoot }: DecisionOptions): Promise<Decision> {
  const clean = await search(context, NOTHING);
  if (clean.complete !== undefined) return { status: "valid", path: clean.complete };
  const late = await search(context, TIME);
  const broken = await search(context, RULES);
  // A path to an anchor that breaks a rule outweighs one whose root is not here: leaving a root out must not help.
  // So does a search that was cut short, because such a path may be in the rest.
  const outweighed = broken.complete !== undefined || context.budget.exhausted.size > 0;
  if (clean.open !== undefined && !requireRoot && !outweighed) return { status: "valid", path: clean.open };
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

/** The least tolerant search's path of a kind. */
function first(results: readonly SearchResult[], kind: keyof SearchResult): Path | undefined {
  return results.find((result) => result[kind] !== undefined)?.[kind];
}

/** The leaf by itself. */
function alone(context: Context): Path {
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

/** The status that failures amount to; undefined when there are none. */
function statusOf(failures: readonly Failure[]): ChainStatus | undefined {
  if (failures.length === 0) return undefined;
  if (!isOnlyLate(failures)) return "invalid_signature";
  return failures.some(({ code }) => code === "expired") ? "expired" : "not_yet_valid";
}

/** Whether nobody is known to have issued the leaf of a path. */
function hasNoIssuer({ members, failures }: Path): boolean {
  return (members.length === 1 && !failures.some(({ code }) => code === "unsupported_algorithm")) ||
    failures.some(({ code, position }) => code === "bad_signature" && position === 1);
}
