/** What goes through every import: rows that were read, and what becomes of each. */

import type { FieldErrors } from "../../../base/errors.ts";
import type { Cell } from "../../../db/mod.ts";
import type { Certificate } from "../../../x509/mod.ts";

/** One certificate to be, as the document or request has it. */
export interface ImportRow {
  /** By which messages and answers name it: an item counts from 0, a row of a table from 1. */
  readonly place: number;
  /** Fields as a create request has them. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What was wrong when it was read; such fields are not in the body. */
  readonly errors: FieldErrors;
  /** The certificate that `pem_content` in the body was written from. */
  readonly certificate?: Certificate;
  /** A tenant by its name, slug or id in digits; instead of a `tenant` in the body. */
  readonly tenantText?: string;
  /** By column, as the table has them. */
  readonly cells?: Readonly<Record<string, unknown>>;
}

/** How an import deals with certificates that are there already, or twice in the batch. */
export interface DuplicateRule {
  readonly onDuplicate: "error" | "skip";
  /** What a row is called in messages. */
  readonly noun: "item" | "row" | "certificate";
  /** The field that the finding stands under. */
  readonly field: string;
}

/** What records take over from another one, whether the caller may see it or not: columns, and resolved lists of ids. */
export interface Inherited {
  readonly row: Readonly<Record<string, Cell>>;
  readonly input: Readonly<Record<string, readonly number[]>>;
}

/** A row that became a record. */
export interface CreatedRow {
  readonly place: number;
  readonly object: Readonly<Record<string, unknown>>;
}

/** A row that was passed over. */
export interface SkippedRow {
  readonly place: number;
  readonly common_name: string;
  readonly serial_number: string;
  readonly reason: string;
  /** Id of the stored certificate that is the same, where there is one that the caller may see. */
  readonly existing?: number;
}

/** A row that refuses the import. */
export interface FailedRow {
  readonly place: number;
  /** Empty where it cannot be told. */
  readonly common_name: string;
  readonly errors: FieldErrors;
  /** As that of a row that was passed over. */
  readonly existing?: number;
}

/** What an import did. */
export interface ImportOutcome {
  readonly created: readonly CreatedRow[];
  readonly skipped: readonly SkippedRow[];
}
