/** Rows of an import, and their results. */

import { addError, type FieldErrors } from "../../../base/errors.ts";
import type { Cell } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import type { Draft, Values } from "../../../resource/mod.ts";
import type { Certificate as StoredObject } from "../mod.ts";
import type { NamedColumn } from "./named_references.ts";
import type { FoundTarget, NamedTarget } from "./row_assignments.ts";
import type { Certificate } from "../../../x509/mod.ts";

/** A certificate to import, as read from a document or request. */
export interface ImportRow {
  /** Number in messages and responses: items of a list from 0, rows of a table from 1. */
  readonly place: number;
  /** Fields of a create request. */
  readonly body: Readonly<Values>;
  /** Errors found while reading; their fields are not in the body. */
  readonly errors: FieldErrors;
  /** The parsed certificate from which `pem_content` in the body was written. */
  readonly certificate?: Certificate;
  /** Texts that name objects, by column; the ids of the objects are added to the body. */
  readonly named?: Readonly<Partial<Record<NamedColumn, readonly string[]>>>;
  /** Why the row contains nothing to store; it is skipped. */
  readonly without?: string;
  /** Objects that use the certificate. */
  readonly targets?: readonly NamedTarget[];
  /** Cells by column, unchanged. */
  readonly cells?: Readonly<Values>;
}

/** How an import handles an existing certificate. */
export const ON_DUPLICATE = ["error", "skip", "update"] as const;
export type OnDuplicate = typeof ON_DUPLICATE[number];

/** How an import handles certificates that already exist or occur twice in the batch. */
export interface DuplicateRule {
  readonly onDuplicate: OnDuplicate;
  /** Whether an update replaces values, too; otherwise it only fills missing ones. */
  readonly overwrite?: boolean;
  /** Noun for a row in messages. */
  readonly noun: "item" | "row" | "certificate";
  /** The field for which the error is reported. */
  readonly field: string;
}

/**
 * Columns and lists of ids that a certificate gets from another one, even if the caller may not view what
 * they refer to.
 */
export interface Inherited {
  readonly row: Readonly<Record<string, Cell>>;
  readonly input: Readonly<Record<string, readonly number[]>>;
}

/** What an import does with a row, or did: `error` rows refuse the import. */
export type RowStatus = "create" | "update" | "unchanged" | "skip" | "error";

/** A row of a plan. */
export interface PlannedRow {
  readonly place: number;
  readonly status: RowStatus;
  /** Empty if unknown, as the serial number. */
  readonly common_name: string;
  readonly serial_number: string;
  /** With `error`. */
  readonly errors: FieldErrors;
  /** With `skip`: why. */
  readonly reason?: string;
  /** Id of the existing certificate if the caller may view it. */
  readonly existing?: number;
  /** What is stored, with `create` (without an id) and `update`. */
  readonly draft?: Draft;
  /** Objects that use the certificate. */
  readonly targets: readonly FoundTarget[];
}

/** What an import would do. */
export interface ImportPlan {
  /** In the order of their places. */
  readonly rows: readonly PlannedRow[];
  /** The rows that the caller may change; undefined unless the import updates. */
  readonly changeable: Condition | undefined;
}

/** A row of an import that was done. */
export interface ImportedRow extends Omit<PlannedRow, "draft" | "errors" | "targets"> {
  /** Id of the certificate; of an existing one if the caller may view it. */
  readonly id?: number;
  /** The created or updated certificate, without the fields that the import was not asked for. */
  readonly object?: StoredObject;
}

/** Result of an import. */
export interface ImportOutcome {
  /** Whether updates were allowed. */
  readonly updates: boolean;
  readonly rows: readonly ImportedRow[];
}

/** Returns the errors of a row, or why it is skipped, by field. */
export function messagesOf(
  { errors, reason }: { errors: FieldErrors; reason?: string | undefined },
): FieldErrors {
  return reason === undefined ? errors : { __all__: [reason] };
}

/** Returns the errors of all rows by field, without duplicates. */
export function mergeErrors(all: readonly FieldErrors[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const one of all) {
    for (const [field, messages] of Object.entries(one)) {
      const known = Object.hasOwn(errors, field) ? errors[field] : undefined;
      for (const message of messages) if (!known?.includes(message)) addError(errors, field, message);
    }
  }
  return errors;
}
