/** Rows of an import, and their results. */

import { type Finding, textOf } from "../../../base/findings.ts";
import type { Cell } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import type { Draft, NameOf, Values } from "../../../resource/mod.ts";
import type { Certificate as StoredObject } from "../mod.ts";
import type { NamedColumn } from "./named_references.ts";
import type { FoundTarget } from "./row_assignments.ts";
import type { NamedTarget } from "./row_targets.ts";
import type { Certificate } from "../../../x509/mod.ts";

/** Values of a create request by the names of the fields of certificates. */
export type CertificateBody = Readonly<Partial<Record<NameOf<StoredObject>, unknown>>>;

/** A certificate to import, as read from a document or request. */
export interface ImportRow<Body extends Readonly<Values> = CertificateBody> {
  /** Number in messages and responses: items of a list from 0, rows of a table from 1. */
  readonly place: number;
  /** Fields of a create request. */
  readonly body: Body;
  /** Errors found while reading; their fields are not in the body. */
  readonly errors: readonly Finding[];
  /** The parsed certificate from which `pem_content` in the body was written. */
  readonly certificate?: Certificate;
  /** Texts that name objects, by column; the ids of the objects are added to the body. */
  readonly named?: Readonly<Partial<Record<NamedColumn, readonly string[]>>>;
  /** Why the row contains nothing to store; it is skipped. */
  readonly without?: Finding;
  /** Whether it lacks some of the certificate's identity, and becomes a record that is known from a list. */
  readonly isListed?: boolean;
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
  /** Whether certificates complete records that are known from a list; true by default. */
  readonly completes?: boolean;
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
  readonly errors: readonly Finding[];
  /** With `skip`: why. Otherwise what is special about the row. */
  readonly reason?: Finding;
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
  /** The rows that the caller may change; undefined for none. */
  readonly changeable: Condition | undefined;
  /** Whether reports have the numbers of updates. */
  readonly updates: boolean;
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

/** Returns the errors of a row, or why it is skipped. */
export function findingsOf({ errors, reason }: Pick<PlannedRow, "errors" | "reason">): readonly Finding[] {
  return reason === undefined ? errors : [reason];
}

/** Returns findings without those that say the same about the same field. */
export function distinctFindings(all: readonly Finding[]): Finding[] {
  if (all.length < 2) return [...all];
  const byText = Map.groupBy(all, (one) => JSON.stringify([one.field, textOf(one)]));
  return [...byText.values()].flatMap(([first]) => first ?? []);
}
