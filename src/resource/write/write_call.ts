/** The state of a write, and errors about its drafts. */

import type { AnyObject } from "../model/objects.ts";
import type { Context } from "../../auth/mod.ts";
import { addError } from "../../base/errors.ts";
import type { ObjectRow, Transaction } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import type { Draft, Resource } from "../model/definition.ts";

/** The state of a write. */
export interface WriteCall<Of extends AnyObject = AnyObject, Stored extends ObjectRow = ObjectRow> {
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
  return { id: before.id, before, input: {}, row: {}, errors: {}, reveal: {}, ...given };
}

/** Adds an error to a draft, unless it already has the same one. */
export function refuse(draft: Draft, field: string, message: string): void {
  if (!draft.errors[field]?.includes(message)) addError(draft.errors, field, message);
}
