/** Which path a verdict is about, and what the verdict is: the table of statuses, first that applies. */

import type { Context } from "./context.ts";
import { type Path, search, type SearchResult } from "./search.ts";
import { ANYTHING, NOTHING, RULES, TIME, TIME_AND_RULES } from "./tolerance.ts";
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
  const { leaf } = context.roster;
  if (await context.signatures.isSelfSigned(leaf)) {
    const path: Path = {
      members: [leaf],
      failures: context.ownFailures(leaf, 1),
      anchor: leaf.anchor ?? "bundle",
    };
    return { status: statusOf(path.failures) ?? "self_signed", path };
  }
  const decision = await decideIssued(context, options);
  return !options.chainGiven && hasNoIssuer(decision.path)
    ? { status: "no_chain", path: { members: [leaf], failures: context.ownFailures(leaf, 1) } }
    : decision;
}

/** Judges a leaf that somebody else issued. */
async function decideIssued(context: Context, options: DecisionOptions): Promise<Decision> {
  const clean = await search(context, NOTHING);
  if (clean.complete !== undefined) return { status: "valid", path: clean.complete };
  const late = await search(context, TIME);
  const broken = await search(context, RULES);
  const open = clean.open;
  // A path to an anchor that breaks a rule outweighs one whose root is not here: leaving a root out must not help.
  // So does a search that was cut short, because such a path may be in the rest.
  const outweighed = broken.complete !== undefined || context.budget.exhausted.size > 0;
  if (open !== undefined && !options.requireRoot && !outweighed) return { status: "valid", path: open };
  const worse = [late, broken];
  for (const tolerance of [TIME_AND_RULES, ANYTHING]) worse.push(await search(context, tolerance));
  return failed(worse.find(({ complete }) => complete !== undefined)?.complete) ??
    incomplete(open) ?? failed(late.open) ?? failed(firstFaulty(worse.slice(1))) ??
    incomplete(longest([clean, ...worse])) ??
    incomplete({ members: [context.roster.leaf], failures: context.ownFailures(context.roster.leaf, 1) })!;
}

function failed(path: Path | undefined): Decision | undefined {
  const status = path === undefined ? undefined : statusOf(path.failures);
  return status === undefined ? undefined : { status, path: path! };
}

function incomplete(path: Path | undefined): Decision | undefined {
  return path === undefined ? undefined : { status: "incomplete", path };
}

function firstFaulty(results: readonly SearchResult[]): Path | undefined {
  return results.find(({ faulty }) => faulty !== undefined && !isOnlyLate(faulty.failures))?.faulty;
}

function longest(results: readonly SearchResult[]): Path | undefined {
  const ends = results.flatMap(({ deadEnd }) => deadEnd ?? []);
  return ends.sort((a, b) => b.members.length - a.members.length)[0];
}

/** The status that failures amount to; undefined when there are none. */
function statusOf(failures: readonly Failure[]): ChainStatus | undefined {
  if (failures.length === 0) return undefined;
  if (!isOnlyLate(failures)) return "invalid_signature";
  return failures.some(({ code }) => code === "expired") ? "expired" : "not_yet_valid";
}

function isOnlyLate(failures: readonly Failure[]): boolean {
  return failures.every(({ code }) => code === "expired" || code === "not_yet_valid");
}

/** Whether nobody is known to have issued the leaf of a path. */
function hasNoIssuer({ members, failures }: Path): boolean {
  return (members.length === 1 && !failures.some(({ code }) => code === "unsupported_algorithm")) ||
    failures.some(({ code, position }) => code === "bad_signature" && position === 1);
}
