/** The state of a write, and errors about its drafts. */

import type { Identity, Out } from "../model/objects.ts";
import type { Context } from "../../auth/mod.ts";
import { addOnce, type Finding } from "../../base/findings.ts";
import type { ObjectRow, Transaction } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { Draft } from "../model/field.ts";

/** The state of a write. */
export interface WriteCall<Of extends Identity = Out, Stored extends ObjectRow = ObjectRow> {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly resource: Resource<Of, Stored>;
  /** Condition that the result must match: the restriction of the action. */
  readonly allowed: Condition;
}

/** Returns a draft that changes a loaded row. */
export function changeDraft<Stored extends ObjectRow>(
  before: Stored,
  given: Partial<Omit<Draft, "id" | "before">>,
): Draft<Stored> {
  return { id: before.id, before, input: {}, row: {}, errors: [], reveal: {}, ...given };
}

/** Adds an error to a draft, unless it already has the same one. */
export function refuse(draft: Draft, field: string, one: Finding): void {
  addOnce(draft.errors, field, one);
}
