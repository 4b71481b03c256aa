/** Rows of an import, and their results. */

import type { FieldErrors } from "../../../base/errors.ts";
import type { Cell } from "../../../db/mod.ts";
import type { Values } from "../../../resource/mod.ts";
import type { Certificate as StoredObject } from "../mod.ts";
import type { NamedColumn } from "./named_references.ts";
import type { NamedTarget } from "./row_assignments.ts";
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

/** A row that was stored, as a new certificate or in an existing one. */
export interface StoredRow {
  readonly place: number;
  /** Without the fields that the import was not asked for. */
  readonly object: StoredObject;
}

/** A row that was not stored. */
export interface SkippedRow {
  readonly place: number;
  readonly common_name: string;
  readonly serial_number: string;
  readonly reason: string;
  /** Id of the equal existing certificate if the caller may view it. */
  readonly existing?: number;
}

/** A row with errors, because of which nothing is imported. */
export interface FailedRow {
  readonly place: number;
  /** Empty if unknown. */
  readonly common_name: string;
  readonly errors: FieldErrors;
  /** As in {@link SkippedRow}. */
  readonly existing?: number;
}

/** A row that does not change its certificate. */
export interface UnchangedRow {
  readonly place: number;
  readonly id: number;
  readonly common_name: string;
  readonly serial_number: string;
}

/** Result of an import. Every row is in one of the lists. */
export interface ImportOutcome {
  /** Whether updates were allowed. */
  readonly updates: boolean;
  readonly created: readonly StoredRow[];
  readonly updated: readonly StoredRow[];
  readonly unchanged: readonly UnchangedRow[];
  readonly skipped: readonly SkippedRow[];
}
