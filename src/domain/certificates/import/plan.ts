/** The plan of an import: every row judged, nothing written. */

import { addError, type FieldErrors } from "../../../base/errors.ts";
import { pacer } from "../../../base/pace.ts";
import {
  type Draft,
  parseGuarded,
  parseObject,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { notePem } from "../mod.ts";
import { explainDuplicates } from "./duplicates.ts";
import type { DuplicateRule, FailedRow, ImportRow, SkippedRow } from "./rows.ts";
import { resolveTenants } from "./tenant_texts.ts";

/** What is to be done: drafts without ids, rows to pass over, and rows that refuse it all. */
export interface Plan {
  readonly fresh: readonly { readonly place: number; readonly draft: Draft }[];
  readonly skipped: readonly SkippedRow[];
  readonly failed: readonly FailedRow[];
}

/** Judges all rows, with all errors of each. The number of statements does not depend on how many there are. */
export async function planRows(
  call: WriteCall,
  rows: readonly ImportRow[],
  rule: DuplicateRule,
): Promise<Plan> {
  const pause = pacer();
  const drafts: Draft[] = [];
  for (const row of await resolveTenants(call, rows)) {
    await pause();
    drafts.push(draftOf(call, row));
  }
  await validateDrafts(call, drafts);
  const places = rows.map(({ place }) => place);
  const duplicates = await explainDuplicates(call, drafts, { places, noun: rule.noun });
  const fresh: { place: number; draft: Draft }[] = [];
  const skipped: SkippedRow[] = [];
  const failed: FailedRow[] = [];
  for (const [index, draft] of drafts.entries()) {
    const place = places[index] as number;
    const known = duplicates.get(index);
    if (known !== undefined && rule.onDuplicate === "error") {
      addError(draft.errors, rule.field, known.reason);
    }
    const existing = known?.existing === undefined ? {} : { existing: known.existing };
    const named = { place, common_name: textOf(draft, "common_name"), ...existing };
    if (Object.keys(draft.errors).length > 0) failed.push({ ...named, errors: draft.errors });
    else if (known === undefined) fresh.push({ place, draft });
    else skipped.push({ ...named, serial_number: textOf(draft, "serial_number"), reason: known.reason });
  }
  return { fresh, skipped, failed };
}

/** A draft without an id of its own: only rows that are created get one. */
function draftOf({ resource }: WriteCall, { body, certificate, errors: found }: ImportRow): Draft {
  // Keys have been looked for in all that the caller wrote, but not in PEM that was written out of a certificate.
  const { input, errors, reveal } = certificate === undefined
    ? parseGuarded(resource, body, { mode: "create", errors: {} })
    : parseObject(resource, body, "create");
  const draft: Draft = { id: 0, input, row: {}, errors: merged([found, errors]), reveal };
  if (certificate !== undefined) notePem(draft, certificate);
  return draft;
}

/** All messages by field, each once. */
export function merged(all: readonly FieldErrors[]): FieldErrors {
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
