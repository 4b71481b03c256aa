/** Plans an import: validates every row and stores nothing. */

import { authorize } from "../../../auth/mod.ts";
import { addFinding, ALL_FIELDS } from "../../../base/findings.ts";
import { pacer } from "../../../base/pace.ts";
import { type Draft, limitLongTexts, parseGuarded, validateDrafts } from "../../../resource/mod.ts";
import { cacheCertificate, type CertificateCall } from "../mod.ts";
import { type Duplicate, duplicateOf, findDuplicates } from "./duplicates.ts";
import { type Match, mergeRows } from "./duplicates.ts";
import { resolveNames } from "./named_references.ts";
import { checkTenants, findAssignedObjects } from "./row_assignments.ts";
import {
  distinctFindings,
  type DuplicateRule,
  type ImportPlan,
  type ImportRow,
  type PlannedRow,
} from "./rows.ts";

/** A row and its draft as a new certificate. */
export interface RowDraft {
  readonly place: number;
  readonly row: ImportRow;
  readonly draft: Draft;
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
  const duplicates = await findDuplicates(call, planned, {
    noun: rule.noun,
    // A table may write the issuer of a stored certificate in another way. A PEM completes a row of such a table.
    fingerprints: changeable !== undefined ? "any" : rule.noun === "row" ? "serial" : "ignored",
  });
  const changes = changeable !== undefined
    ? await planChanges({ ...call, allowed: changeable }, { planned, duplicates, rule })
    : new Map<number, Change>();
  const targets = await findAssignedObjects(call, planned);
  const outcomes = planned.map(({ place, draft }, index): PlannedRow => {
    const [known, change] = [duplicates.get(index), changes.get(index)];
    const own = targets.get(place) ?? [];
    checkTenants(change?.draft === undefined ? draft : { ...change.draft, errors: draft.errors }, own);
    const errors = distinctFindings(draft.errors);
    if (known !== undefined && change === undefined && isRefused(known, rule)) {
      addFinding(errors, known.field ?? rule.field, known.reason);
    }
    const existing = change?.existing ?? known?.existing;
    const row = {
      place,
      common_name: textOf(draft, "common_name"),
      serial_number: textOf(draft, "serial_number"),
      errors,
      targets: own,
      ...(existing === undefined ? {} : { existing }),
    };
    if (errors.length > 0) return { ...row, status: "error" };
    if (change?.draft !== undefined) return { ...row, status: "update", draft: change.draft };
    if (change !== undefined) return { ...row, status: "unchanged" };
    return known === undefined
      ? { ...row, status: "create", draft }
      : { ...row, status: "skip", reason: { ...known.reason, field: ALL_FIELDS }, targets: [] };
  });
  const empty = given.flatMap(({ place, without, cells }): PlannedRow[] => {
    if (without === undefined) return [];
    const common_name = String(cells?.common_name ?? "");
    return [{
      place,
      status: "skip",
      common_name,
      serial_number: "",
      errors: [],
      reason: { ...without, field: ALL_FIELDS },
      targets: [],
    }];
  });
  return { rows: [...outcomes, ...empty].sort((a, b) => a.place - b.place), changeable };
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
  const { input, errors, reveal } = parseGuarded(resource, body, { mode: "create", errors: [] });
  const draft: Draft = {
    id: 0,
    input,
    row: {},
    errors: distinctFindings([...found, ...errors]),
    reveal,
  };
  if (certificate !== undefined) cacheCertificate(draft, certificate);
  return draft;
}

function textOf({ input }: Draft, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}
