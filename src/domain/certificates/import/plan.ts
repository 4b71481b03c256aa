/** Plans an import: validates every row and stores nothing. */

import { authorize } from "../../../auth/mod.ts";
import { addError, type FieldErrors } from "../../../base/errors.ts";
import { pacer } from "../../../base/pace.ts";
import type { Condition } from "../../../filters/mod.ts";
import { type Draft, limitLongTexts, parseGuarded, validateDrafts } from "../../../resource/mod.ts";
import { cacheCertificate, type CertificateCall } from "../mod.ts";
import { type Duplicate, duplicateOf, explainDuplicates, explainFingerprints } from "./duplicates.ts";
import { type Match, mergeRows } from "./merge.ts";
import { resolveNames } from "./named_references.ts";
import { checkTenants, findAssignedObjects, type FoundTarget } from "./row_assignments.ts";
import type { DuplicateRule, FailedRow, ImportRow, SkippedRow, UnchangedRow } from "./rows.ts";

/** What an import would do: drafts to create (without ids) or to change, and rows that it would not store. */
export interface ImportPlan {
  readonly fresh: readonly PlannedRow[];
  readonly changed: readonly PlannedRow[];
  /** The rows that the caller may change; undefined unless the import updates. */
  readonly changeable: Condition | undefined;
  readonly unchanged: readonly UnchangedRow[];
  /** Assignments by row. */
  readonly targets: ReadonlyMap<number, readonly FoundTarget[]>;
  readonly skipped: readonly SkippedRow[];
  readonly failed: readonly FailedRow[];
}

/** A row that will be stored. */
export interface PlannedRow {
  readonly place: number;
  readonly draft: Draft;
}

/** A row and its draft as a new certificate. */
export interface RowDraft extends PlannedRow {
  readonly row: ImportRow;
}

/** Validates all rows. The number of statements does not depend on the number of rows. */
export async function planRows(
  call: CertificateCall,
  given: readonly ImportRow[],
  rule: DuplicateRule,
): Promise<ImportPlan> {
  // Updates need the action `change`, even if there is nothing to update.
  const changeable = rule.onDuplicate === "update"
    ? authorize(call.ctx, "change", call.resource.map)
    : undefined;
  const pause = pacer();
  const rows = await resolveNames(call, given.filter(({ without }) => without === undefined));
  const planned: RowDraft[] = [];
  for (const row of rows) {
    await pause();
    planned.push({ place: row.place, row, draft: draftOf(call, row) });
  }
  const drafts = planned.map(({ draft }) => draft);
  await validateDrafts(call, drafts);
  limitLongTexts(call.resource, drafts.map(({ row }) => row));
  const duplicates = await explainDuplicates(call, planned, rule.noun);
  // A table may write the issuer of a stored certificate in another way. A PEM completes a row of such a table.
  if (rule.noun === "row" || changeable !== undefined) {
    const again = await explainFingerprints(call, planned, {
      noun: rule.noun,
      known: duplicates,
      anySerial: changeable !== undefined,
    });
    for (const [index, duplicate] of again) duplicates.set(index, duplicate);
  }
  const changes = changeable !== undefined
    ? await planChanges({ ...call, allowed: changeable }, { planned, duplicates, rule })
    : new Map<number, Change>();
  const targets = await findAssignedObjects(call, planned);
  for (const [index, { place, draft }] of planned.entries()) {
    const { draft: change } = changes.get(index) ?? {};
    const own = targets.get(place) ?? [];
    checkTenants(change === undefined ? draft : { ...change, errors: draft.errors }, own);
  }
  const fresh: PlannedRow[] = [];
  const changed: PlannedRow[] = [];
  const unchanged: UnchangedRow[] = [];
  const skipped: SkippedRow[] = given.flatMap(({ place, without, cells }) =>
    without === undefined
      ? []
      : [{ place, common_name: String(cells?.common_name ?? ""), serial_number: "", reason: without }]
  );
  const failed: FailedRow[] = [];
  for (const [index, { place, draft }] of planned.entries()) {
    const known = duplicates.get(index);
    const change = changes.get(index);
    if (known !== undefined && change === undefined && isRefused(known, rule)) {
      addError(draft.errors, known.field ?? rule.field, known.reason);
    }
    const id = change?.existing ?? known?.existing;
    const named = {
      place,
      common_name: textOf(draft, "common_name"),
      ...(id === undefined ? {} : { existing: id }),
    };
    const serial_number = textOf(draft, "serial_number");
    if (Object.keys(draft.errors).length > 0) failed.push({ ...named, errors: draft.errors });
    else if (change?.draft !== undefined) changed.push({ place, draft: change.draft });
    else if (change !== undefined) {
      unchanged.push({ place, common_name: named.common_name, serial_number, id: change.existing });
    } else if (known === undefined) fresh.push({ place, draft });
    else skipped.push({ ...named, serial_number, reason: known.reason });
  }
  return { fresh, changed, changeable, unchanged, targets, skipped, failed };
}

/** Returns whether a duplicate is an error. With `update`, only one that the caller may not view is. */
function isRefused({ inBatch }: Duplicate, { onDuplicate }: DuplicateRule): boolean {
  return onDuplicate === "error" || (onDuplicate === "update" && inBatch === undefined);
}

interface Change {
  readonly existing: number;
  /** Undefined if nothing changes. */
  readonly draft: Draft | undefined;
}

/**
 * Plans the changes of the stored certificates, by index. A second row about the same certificate becomes a
 * duplicate of the first.
 */
async function planChanges(
  call: CertificateCall,
  { planned, duplicates, rule }: {
    planned: readonly RowDraft[];
    duplicates: Map<number, Duplicate>;
    rule: DuplicateRule;
  },
): Promise<Map<number, Change>> {
  const first = new Map<number, number>();
  const matches = new Map<number, Match>();
  for (const [index, { row, draft }] of planned.entries()) {
    const existing = duplicates.get(index)?.existing;
    if (existing === undefined) continue;
    const other = first.get(existing);
    if (other === undefined) matches.set(index, { row, draft, existing });
    else duplicates.set(index, duplicateOf(rule.noun, other));
    first.set(existing, other ?? row.place);
  }
  const merged = await mergeRows(call, [...matches.values()], {
    overwrite: rule.overwrite ?? false,
    field: rule.field,
  });
  return new Map(
    [...matches].map(([index, match]) => [index, { existing: match.existing, draft: merged.get(match) }]),
  );
}

/** Returns a draft without an id. Only created rows get ids. */
function draftOf({ resource }: CertificateCall, { body, certificate, errors: found }: ImportRow): Draft {
  // The functions that read the rows have searched the input and its certificates for private keys.
  const { input, errors, reveal } = parseGuarded(resource, body, { mode: "create", errors: {} });
  const draft: Draft = { id: 0, input, row: {}, errors: mergeErrors([found, errors]), reveal };
  if (certificate !== undefined) cacheCertificate(draft, certificate);
  return draft;
}

/** Merges errors by field, without duplicates. */
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

function textOf({ input }: Draft, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}
