/** Reads the name constraints of a certificate once for all comparisons. */

import type { GeneralName, NameConstraints } from "../../types.ts";
import { directoryForm } from "./directory.ts";
import { dnsForm } from "./dns.ts";
import { emailForm } from "./email.ts";
import type { NameForm } from "./form.ts";
import { ipForm } from "./ip.ts";
import { uriForm } from "./uri.ts";

type Kind = GeneralName["kind"];
// deno-lint-ignore no-explicit-any -- each entry's own types stay together inside it
type AnyForm = NameForm<any, any>;

/** Name forms that can be compared. Names of other forms are refused if their form is constrained. */
export const NAME_FORMS: ReadonlyMap<Kind, AnyForm> = new Map<Kind, AnyForm>([
  ["dns", dnsForm],
  ["email", emailForm],
  ["uri", uriForm],
  ["ip", ipForm],
  ["directory", directoryForm],
]);

/** Constraints on one name form, ready to compare. */
export interface Subtrees {
  readonly form: AnyForm;
  readonly permitted: unknown[];
  readonly excluded: unknown[];
}

/** All constraints of one certificate. */
export interface Constraints {
  readonly byKind: ReadonlyMap<Kind, Subtrees>;
  /** Forms that are constrained but cannot be compared: the kind, with the type of an otherName. */
  readonly opaque: ReadonlySet<string>;
  /** A constraint that is not a valid name of its form, so that no name is permitted. */
  readonly malformed?: GeneralName;
}

/** Returns the key of a name in {@link Constraints.opaque}. */
export function opaqueKey({ kind, oid }: GeneralName): string {
  return kind === "other" ? `other ${oid ?? ""}` : kind;
}

/** Reads the constraints of a certificate. */
export function readConstraints({ permitted, excluded }: NameConstraints): Constraints {
  const byKind = new Map<Kind, Subtrees>();
  const opaque = new Set<string>();
  for (const list of ["permitted", "excluded"] as const) {
    for (const { base } of list === "permitted" ? permitted : excluded) {
      const form = NAME_FORMS.get(base.kind);
      if (form === undefined) {
        opaque.add(opaqueKey(base));
        continue;
      }
      const constraint = form.readConstraint(base);
      if (constraint === undefined) return { byKind, opaque, malformed: base };
      const subtrees = byKind.get(base.kind) ?? { form, permitted: [], excluded: [] };
      subtrees[list].push(constraint);
      byKind.set(base.kind, subtrees);
    }
  }
  return { byKind, opaque };
}
