/** Checks the names of a certificate against the constraints of another (RFC 5280 §6.1.3 (b), (c)). */

import { quoteJson } from "../../../base/quote.ts";
import type { GeneralName } from "../../types.ts";
import { type Constraints, opaqueKey, type Subtrees } from "./constraints.ts";
import type { SubjectName } from "./subject_names.ts";

/** Spends comparisons; returns false if there are none left. */
type Spend = (comparisons: number) => boolean;

/** The refused name with the reason, or `limit` if no comparisons are left. */
export type NameRefusal = { readonly kind: "refused"; readonly sentence: string } | {
  readonly kind: "limit";
};

/** Returns the first name that the constraints refuse; undefined if they permit all names. */
export function refusedName(
  names: readonly SubjectName[],
  { constraints, spend }: { constraints: Constraints; spend: Spend },
): NameRefusal | undefined {
  for (const { name, parsed } of names) {
    if (constraints.opaque.has(opaqueKey(name))) {
      return refused(name, "is of a form that is constrained but cannot be compared here");
    }
    const subtrees = constraints.byKind.get(name.kind);
    if (subtrees === undefined) continue;
    if (!spend(subtrees.permitted.length + subtrees.excluded.length)) return { kind: "limit" };
    const reason = refusal(parsed, subtrees);
    if (reason !== undefined) return refused(name, reason);
  }
  return undefined;
}

/** Checks excluded subtrees first: they take precedence over permitted ones. */
function refusal(parsed: unknown, { form, permitted, excluded }: Subtrees): string | undefined {
  if (parsed === undefined) return `cannot be compared with the constraints on ${form.label}s`;
  const overlaps = form.mayOverlap ?? form.within;
  if (excluded.some((constraint) => overlaps(parsed, constraint))) return "is excluded";
  if (permitted.length > 0 && !permitted.some((constraint) => form.within(parsed, constraint))) {
    return "is not permitted";
  }
  return undefined;
}

function refused({ value }: GeneralName, reason: string): NameRefusal {
  return { kind: "refused", sentence: `${quoteJson(value)} ${reason}` };
}
