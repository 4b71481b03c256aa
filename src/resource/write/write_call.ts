/** A write in progress, and findings about its drafts. */

import type { Context } from "../../auth/mod.ts";
import { addError } from "../../base/errors.ts";
import type { Transaction } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import type { Draft, Resource } from "../model/definition.ts";

/** A write in progress. */
export interface WriteCall {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly resource: Resource;
  /** Where the result must lie: the restriction of the action that is being done. */
  readonly allowed: Condition;
}

/** Adds the same finding to a draft once. */
export function refuse(draft: Draft, field: string, message: string): void {
  if (!draft.errors[field]?.includes(message)) addError(draft.errors, field, message);
}
