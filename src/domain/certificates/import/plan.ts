/** Plans an import: validates every row and stores nothing. */

import { authorize, restriction } from "../../../auth/mod.ts";
import { addFinding, ALL_FIELDS } from "../../../base/findings.ts";
import { pacer } from "../../../base/pace.ts";
import { type Draft, limitLongTexts, parseGuarded, validateDrafts } from "../../../resource/mod.ts";
import { cacheCertificate, type CertificateCall } from "../mod.ts";
import { type Duplicate, duplicateOf, findDuplicates } from "./duplicates.ts";
import { type Match, mergeRows } from "./duplicates.ts";
import { fillListed, findNamesakes, LISTED } from "./listed.ts";
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
  finder: Pick<CertificateCall, "ctx"> = call,
): Promise<ImportPlan> {
  const updates = rule.onDuplicate === "update";
  // Updates need the action `change`, even if there is nothing to update.
  const changeable = updates
    ? authorize(call.ctx, "change", call.resource.map)
    : restriction(call.ctx, "change", call.resource.map);
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
    fingerprints: updates ? "any" : rule.noun === "row" ? "serial" : "ignored",
  });
  const compared = planned.filter(({ row: { isListed } }, index) =>
    !duplicates.has(index) && (isListed || rule.completes !== false)
  );
  const namesakes = await findNamesakes(call, compared, { noun: rule.noun, finder });
  for (const [index, { place }] of planned.entries()) {
    const repeated = namesakes.repeated.get(place);
    if (repeated !== undefined) duplicates.set(index, repeated);
  }
  const { completed } = namesakes;
  const changes = changeable !== undefined && (updates || completed.size > 0)
    ? await planChanges({ ...call, allowed: changeable }, { planned, duplicates, completed, rule })
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
    const isListed = planned[index]?.row.isListed === true;
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
      ? { ...row, status: "create", draft, ...(isListed ? { reason: LISTED } : {}) }
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
  const all = [...outcomes, ...empty].sort((a, b) => a.place - b.place);
  return { rows: all, changeable, updates: updates || changes.size > 0 };
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
  { planned, duplicates, completed, rule }: {
    planned: readonly RowDraft[];
    duplicates: Map<number, Duplicate>;
    completed: ReadonlyMap<number, number>;
    rule: DuplicateRule;
  },
): Promise<Map<number, Change>> {
  const first = new Map<number, number>();
  const matches = new Map<number, Match>();
  for (const [index, { row, draft }] of planned.entries()) {
    const listed = completed.get(row.place);
    const known = rule.onDuplicate === "update" ? duplicates.get(index)?.existing : undefined;
    const existing = known ?? listed;
    if (existing === undefined) continue;
    const other = first.get(existing);
    if (other === undefined) matches.set(index, { row, draft, existing, completes: known === undefined });
    else if (known !== undefined) duplicates.set(index, duplicateOf(rule.noun, other));
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
function draftOf(
  { ctx, resource }: CertificateCall,
  { body, certificate, errors: found, isListed = false }: ImportRow,
): Draft {
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
  if (isListed) fillListed(draft, ctx.clock.now());
  return draft;
}

function textOf({ input }: Draft, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}
